/* The fork flag of libcuzk.so, which has a table to hold still that is not
 * here. */
#include "../fork.c"

void cuzki_errors_lock(void)
{
}

void cuzki_errors_unlock(void)
{
}
