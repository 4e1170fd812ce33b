/* Structs that grow: the caller's may be older or newer than ours. */
#include <string.h>

#include "shim.h"

/* No struct of this ABI will ever be longer; a larger size is garbage. */
#define MAX_STRUCT 4096

static cuzk_status check_size(const void *theirs, uint32_t size, const char *name, uint32_t *out, cuzk_error **err)
{
    memcpy(out, theirs, sizeof *out);
    if (*out >= 8 && *out <= MAX_STRUCT && *out % 8 == 0)
        return CUZK_OK;
    return cuzki_failf(err, CUZK_ERR_STRUCT_SIZE, "struct_size", "%s.struct_size is %u, want %u (use the _INIT macro)",
                       name, *out, size);
}

cuzk_status cuzki_read_struct(void *ours, uint32_t size, const void *theirs, const char *name, cuzk_error **err)
{
    uint32_t theirs_size;
    cuzk_status code = check_size(theirs, size, name, &theirs_size, err);
    if (code != CUZK_OK)
        return code;
    for (uint32_t i = size; i < theirs_size; i++)
        if (((const unsigned char *)theirs)[i] != 0)
            return cuzki_failf(err, CUZK_ERR_STRUCT_SIZE, "struct_size",
                               "%s byte %u is set, but this version knows %u bytes only", name, i, size);
    memset(ours, 0, size);
    memcpy(ours, theirs, theirs_size < size ? theirs_size : size);
    return CUZK_OK;
}

cuzk_status cuzki_write_struct(void *theirs, const void *ours, uint32_t size, const char *name, cuzk_error **err)
{
    uint32_t theirs_size;
    cuzk_status code = check_size(theirs, size, name, &theirs_size, err);
    if (code != CUZK_OK)
        return code;
    const uint32_t head = sizeof theirs_size;
    memset((char *)theirs + head, 0, theirs_size - head);
    memcpy((char *)theirs + head, (const char *)ours + head, (theirs_size < size ? theirs_size : size) - head);
    return CUZK_OK;
}
