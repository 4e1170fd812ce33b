/*
 * shim.h - what the C half and the Go half of capi share. Nothing here is
 * public: the version script exports cuzk_* alone.
 */
#ifndef CUZK_SHIM_H
#define CUZK_SHIM_H

#include <setjmp.h>

#include "cuzk.h"
#include "fork.h"
#include "signals.h"

#ifdef __linux__
#include <features.h>
#ifndef __GLIBC__
#error "libcuzk as a C library needs glibc: a Go library cannot be loaded on musl. Static Go programs work there."
#endif
#endif

/* A failure on its way from Go to an error object. The texts are malloc'd. */
typedef struct cuzki_failure {
    int32_t retryable;
    char *message;
    char *detail;
} cuzki_failure;

/* The tags in the low bits of handles; all odd, so that none is an address
 * that malloc could return. */
#define CUZKI_TAG_BITS 4
#define CUZKI_TAG_ENGINE 0x3
#define CUZKI_TAG_JOB 0x5
#define CUZKI_TAG_ERROR 0x7

/* error.c: makes an error object in *err (unless err is NULL) and returns
 * code. The first takes over the failure's texts, the second formats. */
cuzk_status cuzki_fail(cuzk_error **err, cuzk_status code, cuzki_failure *failure);
cuzk_status cuzki_failf(cuzk_error **err, cuzk_status code, const char *detail, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* error.c: the failure of every call in a child process; it takes no lock and no
 * memory. */
cuzk_status cuzki_fail_forked(cuzk_error **err);

/* preflight.c: asks the system for what Go's runtime ends the process without. A
 * failure has code CUZK_ERR_MEMORY, or CUZK_ERR_UNSUPPORTED if it is refused for
 * good. threads: whether to ask for threads, too, which costs a millisecond. */
cuzk_status cuzki_preflight(int threads, cuzk_error **err);

/* library_dir.c: the path of an existing file in the folder of this library, in out;
 * NULL if there is none. */
char *cuzki_in_library_dir(const char *name, char *out, size_t size);

/* structs.c: copies min(size, *theirs) bytes of a caller's struct over the
 * zeroed ours, after the rules of cuzk.h. theirs is not NULL. */
cuzk_status cuzki_read_struct(void *ours, uint32_t size, const void *theirs, const char *name, cuzk_error **err);

/* structs.c: copies ours to a caller's struct of the length that it says, and
 * clears what that has beyond ours; struct_size stays the caller's. */
cuzk_status cuzki_write_struct(void *theirs, const void *ours, uint32_t size, const char *name, cuzk_error **err);

/* What cuzkgo_copy copies. */
enum { CUZKI_JOB_RESULT, CUZKI_JOB_REPORT, CUZKI_ENGINE_STATUS, CUZKI_ENGINE_METRICS, CUZKI_ENGINE_TRACE };

/* A callback and where to go when it has returned in a child process. */
typedef struct cuzki_callback {
    cuzk_progress_fn fn;
    void *payload;
    jmp_buf forked;
} cuzki_callback;

/* Calls a callback; Go cannot call a function pointer itself, and has its address
 * as a number. A child that was forked in the callback never comes back to Go,
 * which has lost its threads: it jumps to the C function that was called. */
static inline int32_t cuzki_progress(uintptr_t callback, const char *stage, uint64_t done, uint64_t total)
{
    cuzki_callback *c = (cuzki_callback *)callback;
    cuzk_progress progress = { sizeof progress, 0, stage, done, total };
    int32_t result = c->fn(&progress, c->payload);
    if (cuzki_forked())
        longjmp(c->forked, 1);
    return result;
}

#endif
