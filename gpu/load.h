/* The functions of libcuzk_cuda.so, found at run time. */
#ifndef CUZK_GPU_LOAD_H
#define CUZK_GPU_LOAD_H

#include <stddef.h>

#include "cuda/cuzk_cuda.h"

/* clang-format off */
#define CUZK_GPU_FUNCTIONS(X)                                                                                   \
    X(abi)                                                                                                      \
    X(count)                                                                                                    \
    X(describe)                                                                                                 \
    X(open)                                                                                                     \
    X(close) X(memory) X(circuit_create) X(circuit_free) X(srs_create) X(srs_placement) X(srs_take) X(srs_give) \
        X(srs_put) X(srs_generate) X(srs_finish) X(srs_get) X(srs_free) X(job_create) X(fill) X(start) X(wait)  \
            X(pauses) X(release) X(run_create) X(run_execute) X(run_stop) X(run_free)
/* clang-format on */

typedef struct cuzk_gpu_library {
    void* handle;
#define X(name) __typeof__(&cuzk_cuda_##name) name;
    CUZK_GPU_FUNCTIONS(X)
#undef X
} cuzk_gpu_library;

/* Opens a library into l; on failure returns 0 and writes why into message. */
int cuzki_gpu_load(const char* path, cuzk_gpu_library* l, char* message, size_t size);
void* cuzki_gpu_symbol(cuzk_gpu_library* l, const char* name);

#endif
