/*
 * Results and their ends. Each struct and each array of len > 0 is a block of
 * malloc, an empty array is none: so does Rust's default allocator, so that the
 * results of libfilcrypto may come here and ours go there.
 */
#include <stdlib.h>
#include <string.h>

#include "result.h"

/* The address of empty arrays: Rust's are never NULL. */
static uint64_t nothing;

void *filc_array(size_t size)
{
    return size == 0 ? &nothing : calloc(1, size);
}

/* What Rust's default for a PoSt proof says, and so a failed result. */
#define NO_POST REGISTERED_PO_ST_PROOF_STACKED_DRG_WINDOW32_GI_B_V1

#define EMPTY(array) ((array).ptr = (void *)&nothing)

/* The body of a constructor; rest empties the value. */
#define NEW(type, rest)                 \
    do {                                \
        type *r = calloc(1, sizeof *r); \
        if (r == NULL)                  \
            return NULL;                \
        EMPTY(r->error_msg);            \
        rest;                           \
        return r;                       \
    } while (0)

Result_slice_boxed_uint8_t *filc_new_bytes(void)
{
    NEW(Result_slice_boxed_uint8_t, EMPTY(r->value));
}

Result_bool_t *filc_new_bool(void)
{
    NEW(Result_bool_t, );
}

Result_size_t *filc_new_size(void)
{
    NEW(Result_size_t, );
}

Result_slice_boxed_uint64_t *filc_new_numbers(void)
{
    NEW(Result_slice_boxed_uint64_t, EMPTY(r->value));
}

Result_slice_boxed_PoStProof_t *filc_new_proofs(void)
{
    NEW(Result_slice_boxed_PoStProof_t, EMPTY(r->value));
}

Result_PoStProof_t *filc_new_proof(void)
{
    NEW(Result_PoStProof_t, r->value.registered_proof = NO_POST; EMPTY(r->value.proof));
}

Result_GenerateWindowPoSt_t *filc_new_window(void)
{
    NEW(Result_GenerateWindowPoSt_t, EMPTY(r->value.proofs); EMPTY(r->value.faulty_sectors));
}

Result_GenerateSingleWindowPoStWithVanilla_t *filc_new_partition(void)
{
    NEW(Result_GenerateSingleWindowPoStWithVanilla_t, r->value.partition_proof.registered_proof = NO_POST;
        EMPTY(r->value.partition_proof.proof); EMPTY(r->value.faulty_sectors));
}

Result_GenerateFallbackSectorChallenges_t *filc_new_challenges(void)
{
    NEW(Result_GenerateFallbackSectorChallenges_t, EMPTY(r->value.ids); EMPTY(r->value.challenges));
}

void filc_fail(filc_head *head, const char *text)
{
    size_t len = strlen(text);
    head->status_code = F_C_P_RESPONSE_STATUS_UNCLASSIFIED_ERROR;
    head->error_msg.ptr = filc_array(len);
    if (head->error_msg.ptr == NULL)
        EMPTY(head->error_msg);
    else
        memcpy(head->error_msg.ptr, text, head->error_msg.len = len);
}

slice_boxed_uint8_t alloc_boxed_slice(size_t size)
{
    slice_boxed_uint8_t s = { filc_array(size), size };
    if (s.ptr == NULL)
        s.len = 0;
    return s;
}

/* Frees an array, if it is one. */
#define DROP(array)            \
    do {                       \
        if ((array).len != 0)  \
            free((array).ptr); \
    } while (0)

void destroy_boxed_slice(slice_boxed_uint8_t slice)
{
    DROP(slice);
}

static void drop_proofs(slice_boxed_PoStProof_t s)
{
    for (size_t i = 0; i < s.len; i++)
        DROP(s.ptr[i].proof);
    DROP(s);
}

static void drop_lists(slice_boxed_slice_boxed_uint64_t s)
{
    for (size_t i = 0; i < s.len; i++)
        DROP(s.ptr[i]);
    DROP(s);
}

/* Defines a destroy function; rest frees the value. */
#define DESTROY(name, type, rest) \
    void name(type *result)       \
    {                             \
        if (result == NULL)       \
            return;               \
        rest;                     \
        DROP(result->error_msg);  \
        free(result);             \
    }

#define BYTES(name) DESTROY(name, Result_slice_boxed_uint8_t, DROP(result->value))
BYTES(destroy_seal_pre_commit_phase1_response)
BYTES(destroy_seal_commit_phase1_response)
BYTES(destroy_seal_commit_phase2_response)
BYTES(destroy_generate_single_vanilla_proof_response)
BYTES(destroy_aggregate_proof)
BYTES(destroy_empty_sector_update_generate_proof_response)
BYTES(destroy_string_response)

#define BOOL(name) DESTROY(name, Result_bool_t, )
BOOL(destroy_verify_seal_response)
BOOL(destroy_verify_aggregate_seal_response)
BOOL(destroy_verify_winning_post_response)
BOOL(destroy_verify_window_post_response)
BOOL(destroy_empty_sector_update_verify_proof_response)
BOOL(destroy_verify_empty_sector_update_partition_proof_response)

DESTROY(destroy_generate_winning_post_sector_challenge, Result_slice_boxed_uint64_t, DROP(result->value))
DESTROY(destroy_generate_fallback_sector_challenges_response, Result_GenerateFallbackSectorChallenges_t,
        DROP(result->value.ids);
        drop_lists(result->value.challenges))
DESTROY(destroy_generate_winning_post_response, Result_slice_boxed_PoStProof_t, drop_proofs(result->value))
DESTROY(destroy_generate_window_post_response, Result_GenerateWindowPoSt_t, drop_proofs(result->value.proofs);
        DROP(result->value.faulty_sectors))
DESTROY(destroy_generate_single_window_post_with_vanilla_response, Result_GenerateSingleWindowPoStWithVanilla_t,
        DROP(result->value.partition_proof.proof);
        DROP(result->value.faulty_sectors))
DESTROY(destroy_merge_window_post_partition_proofs_response, Result_PoStProof_t, DROP(result->value.proof))
DESTROY(destroy_get_num_partition_for_fallback_post_response, Result_size_t, )
