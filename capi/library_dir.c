/* Files that were installed in the folder of this library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shim.h"

char *cuzki_in_library_dir(const char *name, char *out, size_t size)
{
    Dl_info info;
    if (dladdr((void *)cuzki_in_library_dir, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash != NULL ? (int)(slash - info.dli_fname) + 1 : 0;
    int length = snprintf(out, size, "%.*s%s", folder, info.dli_fname, name);
    if (folder == 0 || length < 0 || (size_t)length >= size || access(out, R_OK) != 0)
        return NULL;
    return out;
}
