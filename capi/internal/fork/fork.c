/* Threads do not survive fork(), and a Go runtime without its threads hangs
 * at the first call. The child learns here that it is one. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int forked;

int cuzki_forked(void)
{
    return atomic_load_explicit(&forked, memory_order_relaxed);
}

static void in_child(void)
{
    atomic_store_explicit(&forked, 1, memory_order_relaxed);
}

/* Runs when the library is loaded, as the Go runtime's start does. */
__attribute__((constructor)) static void watch_fork(void)
{
    pthread_atfork(NULL, NULL, in_child);
}
