#include "load.h"

#include <dlfcn.h>
#include <stdio.h>

int cuzki_gpu_load(const char* path, cuzk_gpu_library* l, char* message, size_t size) {
    /* Local: its C++ runtime and CUDA must not meet the host's. */
    l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (l->handle == NULL) {
        const char* why = dlerror();
        snprintf(message, size, "%s", why ? why : "dlopen failed");
        return 0;
    }
#define X(name)                                                               \
    *(void**)&l->name = dlsym(l->handle, "cuzk_cuda_" #name);                 \
    if (l->name == NULL) {                                                    \
        snprintf(message, size, "%s: no function cuzk_cuda_%s", path, #name); \
        dlclose(l->handle);                                                   \
        return 0;                                                             \
    }
    CUZK_GPU_FUNCTIONS(X)
#undef X
    if (l->abi() != CUZK_CUDA_ABI) {
        snprintf(message, size, "%s: interface version %u, this library needs %u", path, l->abi(), CUZK_CUDA_ABI);
        dlclose(l->handle);
        return 0;
    }
    return 1;
}

void* cuzki_gpu_symbol(cuzk_gpu_library* l, const char* name) { return dlsym(l->handle, name); }
