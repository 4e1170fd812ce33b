/*
 * shim.h - what the C half and the Go half of capi share. Nothing here is
 * public: the version script exports cuzk_* alone.
 */
#ifndef CUZK_SHIM_H
#define CUZK_SHIM_H

#include "cuzk.h"
#include "fork.h"

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

/* Calls a callback; Go cannot call a function pointer itself. The payload goes
 * through Go as a number: it may be any value, and Go's runtime ends a process
 * in which it meets a small one where a pointer should be. */
static inline int32_t cuzki_progress(cuzk_progress_fn fn, uintptr_t payload, const char *stage, uint64_t done,
                                     uint64_t total)
{
    cuzk_progress progress = { sizeof progress, 0, stage, done, total };
    return fn(&progress, (void *)payload);
}

#endif
