/*
 * result.h - results on the heap, shared by the C and the Go half of the
 * drop-in library. Nothing here is public: the version script exports the
 * functions of cuzk_filcrypto.h alone.
 */
#ifndef FILC_RESULT_H
#define FILC_RESULT_H

#include "cuzk_filcrypto.h"

#ifdef __linux__
#include <features.h>
#ifndef __GLIBC__
#error "libcuzk as a C library needs glibc: a Go library cannot be loaded on musl. Static Go programs work there."
#endif
#endif

/* What every result begins with. */
typedef struct filc_head {
    FCPResponseStatus_t status_code;
    slice_boxed_uint8_t error_msg;
} filc_head;

/* New results without a value; NULL if there is no memory. */
Result_slice_boxed_uint8_t *filc_new_bytes(void);
Result_bool_t *filc_new_bool(void);
Result_size_t *filc_new_size(void);
Result_slice_boxed_uint64_t *filc_new_numbers(void);
Result_slice_boxed_PoStProof_t *filc_new_proofs(void);
Result_PoStProof_t *filc_new_proof(void);
Result_GenerateWindowPoSt_t *filc_new_window(void);
Result_GenerateSingleWindowPoStWithVanilla_t *filc_new_partition(void);
Result_GenerateFallbackSectorChallenges_t *filc_new_challenges(void);

/* A zeroed array of size bytes; for 0 an address at which nothing is and which
 * is not freed. NULL if there is no memory. */
void *filc_array(size_t size);

/* Makes a failure of a result. */
void filc_fail(filc_head *head, const char *text);

#endif
