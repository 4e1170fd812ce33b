/* The library says which version it is, and knows its codes by name. */
#include "check.h"

int main(void)
{
    char want[32];
    snprintf(want, sizeof want, "%d.%d.%d", CUZK_VERSION_MAJOR, CUZK_VERSION_MINOR, CUZK_VERSION_PATCH);
    CHECK(strcmp(cuzk_version(), want) == 0);
    CHECK(cuzk_abi_version() == CUZK_ABI_VERSION);
    CHECK(strcmp(cuzk_status_name(CUZK_OK), "ok") == 0);
    CHECK(strcmp(cuzk_status_name(CUZK_ERR_SRS_MISSING), "srs_missing") == 0);
    CHECK(strcmp(cuzk_status_name(-12345), "unknown") == 0);
    CHECK(strcmp(cuzk_status_name(1), "unknown") == 0);
    return 0;
}
