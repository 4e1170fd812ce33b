/*
 * cuzk_filcrypto.h - filecoin-ffi's proving calls, on libcuzk.
 *
 * The functions, structs and numbers here are those of filecoin-ffi's
 * filcrypto.h, bit for bit, for everything that proves from vanilla proofs or
 * verifies. A program that includes filcrypto.h keeps it and only links
 * libcuzk_filcrypto.so.0 (pkg-config: cuzk_filcrypto) before libfilcrypto;
 * one that needs nothing else includes this header instead. The two headers
 * cannot be included together. docs/drop-in.md has the whole story.
 *
 * C99, clean in C++17.
 *
 *
 * Rules that hold for every function
 *
 * Results    A function returns a result on the heap that the caller passes to
 *            one destroy function. status_code says whether there is a value:
 *            0 or, with a text in error_msg (not NUL-terminated), 1. After a
 *            failure the value is empty. NULL is returned only if there is no
 *            memory for a result. A proof that does not hold is the value
 *            false, not a failure.                                  [calls, misuse]
 * Memory     Everything is allocated with malloc, each struct and each array of
 *            len > 0 on its own; with len 0 nothing is. So does libfilcrypto
 *            with Rust's default allocator: each library's destroy functions
 *            free the other's results, and all that have the same argument
 *            type are the same. Destroying NULL does nothing. Memory that ends
 *            in the midst of a call is its failure.                 [calls, memory]
 * Arguments  Slices are read during the call and not kept; with len 0 their
 *            pointer is not looked at. Arrays of 32 bytes must not be NULL (an
 *            error here, undefined there).                          [misuse]
 * Errors     error_msg is "code: text (place)", with the codes of cuzk.h in
 *            lower case, such as "input_mismatch".                  [misuse]
 * Threads    Any thread, any number at once. In a forked child every call
 *            fails; destroy functions work.                         [misuse]
 * Engine     The first call that proves or verifies opens an engine, which
 *            stays. It reads the environment of then: parameters are where
 *            FIL_PROOFS_PARAMETER_CACHE says; variables that make no sense are
 *            an error of every call until they are mended.          [misuse]
 */
#ifndef CUZK_FILCRYPTO_H
#define CUZK_FILCRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Numbers -------------------------------------------------------------- */

/* Outcome of a call: here only the first two occur. */
typedef int32_t FCPResponseStatus_t;
enum {
    F_C_P_RESPONSE_STATUS_NO_ERROR = 0,
    F_C_P_RESPONSE_STATUS_UNCLASSIFIED_ERROR = 1,
    F_C_P_RESPONSE_STATUS_CALLER_ERROR = 2,
    F_C_P_RESPONSE_STATUS_RECEIVER_ERROR = 3
};

/* The versions of SnarkPack. */
typedef int32_t RegisteredAggregationProof_t;
enum {
    REGISTERED_AGGREGATION_PROOF_SNARK_PACK_V1 = 0,
    REGISTERED_AGGREGATION_PROOF_SNARK_PACK_V2 = 1
};

/* Seal proofs. The numbers are those of go-state-types and of the porep id. */
typedef int32_t RegisteredSealProof_t;
enum {
    REGISTERED_SEAL_PROOF_STACKED_DRG2_KI_B_V1 = 0,
    REGISTERED_SEAL_PROOF_STACKED_DRG8_MI_B_V1 = 1,
    REGISTERED_SEAL_PROOF_STACKED_DRG512_MI_B_V1 = 2,
    REGISTERED_SEAL_PROOF_STACKED_DRG32_GI_B_V1 = 3,
    REGISTERED_SEAL_PROOF_STACKED_DRG64_GI_B_V1 = 4,
    REGISTERED_SEAL_PROOF_STACKED_DRG2_KI_B_V1_1 = 5,
    REGISTERED_SEAL_PROOF_STACKED_DRG8_MI_B_V1_1 = 6,
    REGISTERED_SEAL_PROOF_STACKED_DRG512_MI_B_V1_1 = 7,
    REGISTERED_SEAL_PROOF_STACKED_DRG32_GI_B_V1_1 = 8,
    REGISTERED_SEAL_PROOF_STACKED_DRG64_GI_B_V1_1 = 9,
    REGISTERED_SEAL_PROOF_STACKED_DRG2_KI_B_V1_1__FEAT__SYNTHETIC_PO_REP = 10,
    REGISTERED_SEAL_PROOF_STACKED_DRG8_MI_B_V1_1__FEAT__SYNTHETIC_PO_REP = 11,
    REGISTERED_SEAL_PROOF_STACKED_DRG512_MI_B_V1_1__FEAT__SYNTHETIC_PO_REP = 12,
    REGISTERED_SEAL_PROOF_STACKED_DRG32_GI_B_V1_1__FEAT__SYNTHETIC_PO_REP = 13,
    REGISTERED_SEAL_PROOF_STACKED_DRG64_GI_B_V1_1__FEAT__SYNTHETIC_PO_REP = 14,
    REGISTERED_SEAL_PROOF_STACKED_DRG2_KI_B_V1_2__FEAT__NON_INTERACTIVE_PO_REP = 15,
    REGISTERED_SEAL_PROOF_STACKED_DRG8_MI_B_V1_2__FEAT__NON_INTERACTIVE_PO_REP = 16,
    REGISTERED_SEAL_PROOF_STACKED_DRG512_MI_B_V1_2__FEAT__NON_INTERACTIVE_PO_REP = 17,
    REGISTERED_SEAL_PROOF_STACKED_DRG32_GI_B_V1_2__FEAT__NON_INTERACTIVE_PO_REP = 18,
    REGISTERED_SEAL_PROOF_STACKED_DRG64_GI_B_V1_2__FEAT__NON_INTERACTIVE_PO_REP = 19
};

/* PoSt proofs. The second window version, V1_1 here and in Go, is called V1_2
 * by the Rust API. */
typedef int32_t RegisteredPoStProof_t;
enum {
    REGISTERED_PO_ST_PROOF_STACKED_DRG_WINNING2_KI_B_V1 = 0,
    REGISTERED_PO_ST_PROOF_STACKED_DRG_WINNING8_MI_B_V1 = 1,
    REGISTERED_PO_ST_PROOF_STACKED_DRG_WINNING512_MI_B_V1 = 2,
    REGISTERED_PO_ST_PROOF_STACKED_DRG_WINNING32_GI_B_V1 = 3,
    REGISTERED_PO_ST_PROOF_STACKED_DRG_WINNING64_GI_B_V1 = 4,
    REGISTERED_PO_ST_PROOF_STACKED_DRG_WINDOW2_KI_B_V1 = 5,
    REGISTERED_PO_ST_PROOF_STACKED_DRG_WINDOW8_MI_B_V1 = 6,
    REGISTERED_PO_ST_PROOF_STACKED_DRG_WINDOW512_MI_B_V1 = 7,
    REGISTERED_PO_ST_PROOF_STACKED_DRG_WINDOW32_GI_B_V1 = 8,
    REGISTERED_PO_ST_PROOF_STACKED_DRG_WINDOW64_GI_B_V1 = 9,
    REGISTERED_PO_ST_PROOF_STACKED_DRG_WINDOW2_KI_B_V1_1 = 10,
    REGISTERED_PO_ST_PROOF_STACKED_DRG_WINDOW8_MI_B_V1_1 = 11,
    REGISTERED_PO_ST_PROOF_STACKED_DRG_WINDOW512_MI_B_V1_1 = 12,
    REGISTERED_PO_ST_PROOF_STACKED_DRG_WINDOW32_GI_B_V1_1 = 13,
    REGISTERED_PO_ST_PROOF_STACKED_DRG_WINDOW64_GI_B_V1_1 = 14
};

/* Proofs of sector updates (SnapDeals). */
typedef int32_t RegisteredUpdateProof_t;
enum {
    REGISTERED_UPDATE_PROOF_STACKED_DRG2_KI_B_V1 = 0,
    REGISTERED_UPDATE_PROOF_STACKED_DRG8_MI_B_V1 = 1,
    REGISTERED_UPDATE_PROOF_STACKED_DRG512_MI_B_V1 = 2,
    REGISTERED_UPDATE_PROOF_STACKED_DRG32_GI_B_V1 = 3,
    REGISTERED_UPDATE_PROOF_STACKED_DRG64_GI_B_V1 = 4
};

/* ---- Arguments ------------------------------------------------------------ */

/* A commitment, a prover id (the actor's number as unsigned LEB128, then
 * zeros), a ticket, a seed or randomness. */
typedef struct uint8_32_array {
    uint8_t idx[32];
} uint8_32_array_t;

/* Borrowed arrays, passed by value. */
typedef struct slice_ref_uint8 {
    uint8_t const *ptr;
    size_t len;
} slice_ref_uint8_t;

typedef struct slice_ref_uint64 {
    uint64_t const *ptr;
    size_t len;
} slice_ref_uint64_t;

/* Owned arrays. */
typedef struct slice_boxed_uint8 {
    uint8_t *ptr;
    size_t len;
} slice_boxed_uint8_t;

typedef struct slice_boxed_uint64 {
    uint64_t *ptr;
    size_t len;
} slice_boxed_uint64_t;

typedef struct slice_boxed_slice_boxed_uint64 {
    slice_boxed_uint64_t *ptr;
    size_t len;
} slice_boxed_slice_boxed_uint64_t;

/* Vanilla or partition proofs, in order. */
typedef struct slice_ref_slice_boxed_uint8 {
    slice_boxed_uint8_t const *ptr;
    size_t len;
} slice_ref_slice_boxed_uint8_t;

/* What the chain knows of a sector in a PoSt. */
typedef struct PublicReplicaInfo {
    RegisteredPoStProof_t registered_proof;
    uint8_32_array_t comm_r;
    uint64_t sector_id;
} PublicReplicaInfo_t;

/* What the chain knows of one sector of an aggregate. */
typedef struct AggregationInputs {
    uint8_32_array_t comm_r;
    uint8_32_array_t comm_d;
    uint64_t sector_id;
    uint8_32_array_t ticket;
    uint8_32_array_t seed;
} AggregationInputs_t;

typedef struct slice_ref_AggregationInputs {
    AggregationInputs_t const *ptr;
    size_t len;
} slice_ref_AggregationInputs_t;

typedef struct slice_ref_uint8_32_array {
    uint8_32_array_t const *ptr;
    size_t len;
} slice_ref_uint8_32_array_t;

typedef struct slice_ref_PublicReplicaInfo {
    PublicReplicaInfo_t const *ptr;
    size_t len;
} slice_ref_PublicReplicaInfo_t;

/* A PoSt: the proofs of all its partitions, 192 bytes each. */
typedef struct PoStProof {
    RegisteredPoStProof_t registered_proof;
    slice_boxed_uint8_t proof;
} PoStProof_t;

typedef struct slice_ref_PoStProof {
    PoStProof_t const *ptr;
    size_t len;
} slice_ref_PoStProof_t;

typedef struct slice_boxed_PoStProof {
    PoStProof_t *ptr;
    size_t len;
} slice_boxed_PoStProof_t;

/* ---- Results -------------------------------------------------------------- */

/* The proof of one partition of a WindowPoSt. */
typedef struct PartitionSnarkProof {
    RegisteredPoStProof_t registered_proof;
    slice_boxed_uint8_t proof;
} PartitionSnarkProof_t;

/* faulty_sectors is always empty: a vanilla proof that does not hold is an
 * error that names its place in the list. */
typedef struct GenerateWindowPoSt {
    slice_boxed_PoStProof_t proofs;
    slice_boxed_uint64_t faulty_sectors;
} GenerateWindowPoSt_t;

typedef struct GenerateSingleWindowPoStWithVanilla {
    PartitionSnarkProof_t partition_proof;
    slice_boxed_uint64_t faulty_sectors;
} GenerateSingleWindowPoStWithVanilla_t;

/* ids are in ascending order without repetition; challenges[i] are of ids[i]. */
typedef struct GenerateFallbackSectorChallenges {
    slice_boxed_uint64_t ids;
    slice_boxed_slice_boxed_uint64_t challenges;
} GenerateFallbackSectorChallenges_t;

typedef struct Result_slice_boxed_uint8 {
    FCPResponseStatus_t status_code;
    slice_boxed_uint8_t error_msg;
    slice_boxed_uint8_t value;
} Result_slice_boxed_uint8_t;

typedef struct Result_bool {
    FCPResponseStatus_t status_code;
    slice_boxed_uint8_t error_msg;
    bool value;
} Result_bool_t;

typedef struct Result_size {
    FCPResponseStatus_t status_code;
    slice_boxed_uint8_t error_msg;
    size_t value;
} Result_size_t;

typedef struct Result_slice_boxed_uint64 {
    FCPResponseStatus_t status_code;
    slice_boxed_uint8_t error_msg;
    slice_boxed_uint64_t value;
} Result_slice_boxed_uint64_t;

typedef struct Result_slice_boxed_PoStProof {
    FCPResponseStatus_t status_code;
    slice_boxed_uint8_t error_msg;
    slice_boxed_PoStProof_t value;
} Result_slice_boxed_PoStProof_t;

typedef struct Result_PoStProof {
    FCPResponseStatus_t status_code;
    slice_boxed_uint8_t error_msg;
    PoStProof_t value;
} Result_PoStProof_t;

typedef struct Result_GenerateWindowPoSt {
    FCPResponseStatus_t status_code;
    slice_boxed_uint8_t error_msg;
    GenerateWindowPoSt_t value;
} Result_GenerateWindowPoSt_t;

typedef struct Result_GenerateSingleWindowPoStWithVanilla {
    FCPResponseStatus_t status_code;
    slice_boxed_uint8_t error_msg;
    GenerateSingleWindowPoStWithVanilla_t value;
} Result_GenerateSingleWindowPoStWithVanilla_t;

typedef struct Result_GenerateFallbackSectorChallenges {
    FCPResponseStatus_t status_code;
    slice_boxed_uint8_t error_msg;
    GenerateFallbackSectorChallenges_t value;
} Result_GenerateFallbackSectorChallenges_t;

/* ---- Seal proofs ---------------------------------------------------------- */

/* The seal proof of a commit-phase-1 output (its JSON), 192 bytes per
 * partition. The output is checked against sector_id, prover_id and itself
 * first, the proof against them last. Of non-interactive PoRep it is the aggregate
 * (SnarkPack version 2) of the partitions.                               [seal] */
Result_slice_boxed_uint8_t *seal_commit_phase2(
    slice_ref_uint8_t seal_commit_phase1_output, uint64_t sector_id,
    uint8_32_array_t const *prover_id);

/* The proofs of all partitions, one after the other, whatever the kind of seal
 * proof. Each is verified against the replica id that the input names, which
 * nothing here ties to a prover.                                         [misuse] */
Result_slice_boxed_uint8_t *seal_commit_phase2_circuit_proofs(
    slice_ref_uint8_t seal_commit_phase1_output, uint64_t sector_id);

/* Whether a seal proof holds.                                           [calls] */
Result_bool_t *verify_seal(
    RegisteredSealProof_t registered_proof, uint8_32_array_t const *comm_r,
    uint8_32_array_t const *comm_d, uint8_32_array_t const *prover_id,
    uint8_32_array_t const *ticket, uint8_32_array_t const *seed, uint64_t sector_id,
    slice_ref_uint8_t proof);

/* The aggregate of seal proofs, one of each sector: comm_rs, seeds and proofs are as
 * many, in one order. It is verified, but not that the proofs hold, for which
 * this call is not told enough.                                     [aggregate] */
Result_slice_boxed_uint8_t *aggregate_seal_proofs(
    RegisteredSealProof_t registered_proof, RegisteredAggregationProof_t registered_aggregation,
    slice_ref_uint8_32_array_t comm_rs, slice_ref_uint8_32_array_t seeds,
    slice_ref_slice_boxed_uint8_t seal_commit_responses);

/* Whether an aggregate holds.                                       [aggregate] */
Result_bool_t *verify_aggregate_seal_proof(
    RegisteredSealProof_t registered_proof, RegisteredAggregationProof_t registered_aggregation,
    uint8_32_array_t const *prover_id, slice_ref_uint8_t proof,
    slice_ref_AggregationInputs_t commit_inputs);

/* ---- Proofs of spacetime --------------------------------------------------
 *
 * randomness and a prover id are canonical field elements, else an error: every
 * caller in the network clears the top two bits of randomness before. */

/* One index below sector_set_len: the sector a WinningPoSt is about.    [calls] */
Result_slice_boxed_uint64_t *generate_winning_post_sector_challenge(
    RegisteredPoStProof_t registered_proof, uint8_32_array_t const *randomness,
    uint64_t sector_set_len, uint8_32_array_t const *prover_id);

/* The challenged nodes of each sector, whose order matters for the first
 * version of WindowPoSt.                                                [calls] */
Result_GenerateFallbackSectorChallenges_t *generate_fallback_sector_challenges(
    RegisteredPoStProof_t registered_proof, uint8_32_array_t const *randomness,
    slice_ref_uint64_t sector_ids, uint8_32_array_t const *prover_id);

/* One WinningPoSt, of the one sector in vanilla_proofs.                 [calls] */
Result_slice_boxed_PoStProof_t *generate_winning_post_with_vanilla(
    RegisteredPoStProof_t registered_proof, uint8_32_array_t const *randomness,
    uint8_32_array_t const *prover_id, slice_ref_slice_boxed_uint8_t vanilla_proofs);

/* Whether a WinningPoSt holds. The replica says which one it is.        [calls] */
Result_bool_t *verify_winning_post(
    uint8_32_array_t const *randomness, slice_ref_PublicReplicaInfo_t replicas,
    slice_ref_PoStProof_t proofs, uint8_32_array_t const *prover_id);

/* One WindowPoSt of all sectors, which must be in ascending order without
 * repetition.                                                           [calls] */
Result_GenerateWindowPoSt_t *generate_window_post_with_vanilla(
    RegisteredPoStProof_t registered_proof, uint8_32_array_t const *randomness,
    uint8_32_array_t const *prover_id, slice_ref_slice_boxed_uint8_t vanilla_proofs);

/* The proof of one partition, from the vanilla proofs of its sectors.   [calls] */
Result_GenerateSingleWindowPoStWithVanilla_t *generate_single_window_post_with_vanilla(
    RegisteredPoStProof_t registered_proof, uint8_32_array_t const *randomness,
    uint8_32_array_t const *prover_id, slice_ref_slice_boxed_uint8_t vanilla_proofs,
    size_t partition_index);

/* A WindowPoSt of the proofs of all its partitions.                     [calls] */
Result_PoStProof_t *merge_window_post_partition_proofs(
    RegisteredPoStProof_t registered_proof,
    slice_ref_slice_boxed_uint8_t partition_proofs);

/* Whether a WindowPoSt holds. Replicas may come in any order and repeat. [calls] */
Result_bool_t *verify_window_post(
    uint8_32_array_t const *randomness, slice_ref_PublicReplicaInfo_t replicas,
    slice_ref_PoStProof_t proofs, uint8_32_array_t const *prover_id);

/* The number of partitions of a WindowPoSt, at least one.               [calls] */
Result_size_t *get_num_partition_for_fallback_post(
    RegisteredPoStProof_t registered_proof, size_t num_sectors);

/* ---- Sector updates ------------------------------------------------------- */

/* The proof of an update, from the vanilla proofs of all partitions in order,
 * 192 bytes per partition.                                             [update] */
Result_slice_boxed_uint8_t *generate_empty_sector_update_proof_with_vanilla(
    RegisteredUpdateProof_t registered_proof, slice_ref_slice_boxed_uint8_t vanilla_proofs,
    uint8_32_array_t const *comm_r_old, uint8_32_array_t const *comm_r_new,
    uint8_32_array_t const *comm_d_new);

/* Whether the vanilla proofs of all partitions hold. Needs no parameters. [calls] */
Result_bool_t *verify_empty_sector_update_partition_proofs(
    RegisteredUpdateProof_t registered_proof, slice_ref_slice_boxed_uint8_t proofs,
    uint8_32_array_t const *comm_r_old, uint8_32_array_t const *comm_r_new,
    uint8_32_array_t const *comm_d_new);

/* Whether the proof of an update holds.                                 [calls] */
Result_bool_t *verify_empty_sector_update_proof(
    RegisteredUpdateProof_t registered_proof, slice_ref_uint8_t proof,
    uint8_32_array_t const *comm_r_old, uint8_32_array_t const *comm_r_new,
    uint8_32_array_t const *comm_d_new);

/* ---- Memory --------------------------------------------------------------- */

/* size zero bytes for an argument; len 0 and NULL if there is no memory.
 *                                                                       [calls] */
slice_boxed_uint8_t alloc_boxed_slice(size_t size);
void destroy_boxed_slice(slice_boxed_uint8_t slice);

void destroy_seal_pre_commit_phase1_response(Result_slice_boxed_uint8_t *result);
void destroy_seal_commit_phase1_response(Result_slice_boxed_uint8_t *result);
void destroy_seal_commit_phase2_response(Result_slice_boxed_uint8_t *result);
void destroy_generate_single_vanilla_proof_response(Result_slice_boxed_uint8_t *result);
void destroy_aggregate_proof(Result_slice_boxed_uint8_t *result);
void destroy_empty_sector_update_generate_proof_response(Result_slice_boxed_uint8_t *result);
void destroy_string_response(Result_slice_boxed_uint8_t *result);

void destroy_verify_seal_response(Result_bool_t *result);
void destroy_verify_aggregate_seal_response(Result_bool_t *result);
void destroy_verify_winning_post_response(Result_bool_t *result);
void destroy_verify_window_post_response(Result_bool_t *result);
void destroy_empty_sector_update_verify_proof_response(Result_bool_t *result);
void destroy_verify_empty_sector_update_partition_proof_response(Result_bool_t *result);

void destroy_generate_winning_post_sector_challenge(Result_slice_boxed_uint64_t *result);

void destroy_generate_fallback_sector_challenges_response(Result_GenerateFallbackSectorChallenges_t *result);

void destroy_generate_winning_post_response(Result_slice_boxed_PoStProof_t *result);

void destroy_generate_window_post_response(Result_GenerateWindowPoSt_t *result);

void destroy_generate_single_window_post_with_vanilla_response(Result_GenerateSingleWindowPoStWithVanilla_t *result);

void destroy_merge_window_post_partition_proofs_response(Result_PoStProof_t *result);

void destroy_get_num_partition_for_fallback_post_response(Result_size_t *result);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_FILCRYPTO_H */
