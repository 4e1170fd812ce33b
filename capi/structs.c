/* Structs that grow: the caller's may be older or newer than ours. */
#include <string.h>

#include "shim.h"

/* No struct of this ABI will ever be longer; a larger size is garbage. */
#define MAX_STRUCT 4096

cuzk_status cuzki_read_struct(void *ours, uint32_t size, const void *theirs, const char *name,
                              cuzk_error **err)
{
    uint32_t theirs_size;
    memcpy(&theirs_size, theirs, sizeof theirs_size);
    if (theirs_size < 8 || theirs_size > MAX_STRUCT || theirs_size % 8 != 0)
        return cuzki_failf(err, CUZK_ERR_STRUCT_SIZE, "struct_size",
                           "%s.struct_size is %u, want %u (use the _INIT macro)",
                           name, theirs_size, size);
    for (uint32_t i = size; i < theirs_size; i++)
        if (((const unsigned char *)theirs)[i] != 0)
            return cuzki_failf(err, CUZK_ERR_STRUCT_SIZE, "struct_size",
                               "%s byte %u is set, but this version knows %u bytes only",
                               name, i, size);
    memset(ours, 0, size);
    memcpy(ours, theirs, theirs_size < size ? theirs_size : size);
    return CUZK_OK;
}
