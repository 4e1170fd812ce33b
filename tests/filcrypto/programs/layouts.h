/*
 * layouts.h - the C interface of filecoin-ffi as its own header declares it,
 * written down by hand a second time: what a program compiled against
 * filcrypto.h expects to find.
 */
#ifndef LAYOUTS_H
#define LAYOUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t FCPResponseStatus_t;
typedef int32_t RegisteredSealProof_t;
typedef int32_t RegisteredPoStProof_t;
typedef int32_t RegisteredUpdateProof_t;

typedef struct {
    uint8_t idx[32];
} uint8_32_array_t;

#define SLICE_REF(name, T) \
    typedef struct {       \
        T const *ptr;      \
        size_t len;        \
    } name
#define SLICE_BOXED(name, T) \
    typedef struct {         \
        T *ptr;              \
        size_t len;          \
    } name
#define RESULT(name, T)                  \
    typedef struct {                     \
        FCPResponseStatus_t status_code; \
        slice_boxed_uint8_t error_msg;   \
        T value;                         \
    } name

SLICE_REF(slice_ref_uint8_t, uint8_t);
SLICE_REF(slice_ref_uint64_t, uint64_t);
SLICE_BOXED(slice_boxed_uint8_t, uint8_t);
SLICE_BOXED(slice_boxed_uint64_t, uint64_t);
SLICE_BOXED(slice_boxed_slice_boxed_uint64_t, slice_boxed_uint64_t);
SLICE_REF(slice_ref_slice_boxed_uint8_t, slice_boxed_uint8_t);

typedef struct {
    RegisteredPoStProof_t registered_proof;
    slice_boxed_uint8_t proof;
} PoStProof_t, PartitionSnarkProof_t;
typedef struct {
    RegisteredPoStProof_t registered_proof;
    uint8_32_array_t comm_r;
    uint64_t sector_id;
} PublicReplicaInfo_t;

SLICE_REF(slice_ref_PublicReplicaInfo_t, PublicReplicaInfo_t);

typedef int32_t RegisteredAggregationProof_t;

typedef struct {
    uint8_32_array_t comm_r, comm_d;
    uint64_t sector_id;
    uint8_32_array_t ticket, seed;
} AggregationInputs_t;

SLICE_REF(slice_ref_AggregationInputs_t, AggregationInputs_t);
SLICE_REF(slice_ref_uint8_32_array_t, uint8_32_array_t);
SLICE_REF(slice_ref_PoStProof_t, PoStProof_t);
SLICE_BOXED(slice_boxed_PoStProof_t, PoStProof_t);

typedef struct {
    slice_boxed_PoStProof_t proofs;
    slice_boxed_uint64_t faulty_sectors;
} GenerateWindowPoSt_t;
typedef struct {
    PartitionSnarkProof_t partition_proof;
    slice_boxed_uint64_t faulty_sectors;
} GenerateSingleWindowPoStWithVanilla_t;
typedef struct {
    slice_boxed_uint64_t ids;
    slice_boxed_slice_boxed_uint64_t challenges;
} GenerateFallbackSectorChallenges_t;

RESULT(Result_slice_boxed_uint8_t, slice_boxed_uint8_t);
RESULT(Result_bool_t, bool);
RESULT(Result_size_t, size_t);
RESULT(Result_slice_boxed_uint64_t, slice_boxed_uint64_t);
RESULT(Result_slice_boxed_PoStProof_t, slice_boxed_PoStProof_t);
RESULT(Result_PoStProof_t, PoStProof_t);
RESULT(Result_GenerateWindowPoSt_t, GenerateWindowPoSt_t);
RESULT(Result_GenerateSingleWindowPoStWithVanilla_t, GenerateSingleWindowPoStWithVanilla_t);
RESULT(Result_GenerateFallbackSectorChallenges_t, GenerateFallbackSectorChallenges_t);

slice_boxed_uint8_t alloc_boxed_slice(size_t);
void destroy_boxed_slice(slice_boxed_uint8_t);

Result_slice_boxed_uint8_t *seal_commit_phase2(slice_ref_uint8_t, uint64_t, uint8_32_array_t const *);
Result_slice_boxed_uint8_t *seal_commit_phase2_circuit_proofs(slice_ref_uint8_t, uint64_t);
Result_bool_t *verify_seal(RegisteredSealProof_t, uint8_32_array_t const *comm_r, uint8_32_array_t const *comm_d,
                           uint8_32_array_t const *prover_id, uint8_32_array_t const *ticket,
                           uint8_32_array_t const *seed, uint64_t, slice_ref_uint8_t);
Result_slice_boxed_uint8_t *aggregate_seal_proofs(RegisteredSealProof_t, RegisteredAggregationProof_t,
                                                  slice_ref_uint8_32_array_t comm_rs, slice_ref_uint8_32_array_t seeds,
                                                  slice_ref_slice_boxed_uint8_t);
Result_bool_t *verify_aggregate_seal_proof(RegisteredSealProof_t, RegisteredAggregationProof_t,
                                           uint8_32_array_t const *prover_id, slice_ref_uint8_t,
                                           slice_ref_AggregationInputs_t);
Result_slice_boxed_uint64_t *generate_winning_post_sector_challenge(RegisteredPoStProof_t,
                                                                    uint8_32_array_t const *randomness, uint64_t,
                                                                    uint8_32_array_t const *prover_id);
Result_GenerateFallbackSectorChallenges_t *generate_fallback_sector_challenges(RegisteredPoStProof_t,
                                                                               uint8_32_array_t const *randomness,
                                                                               slice_ref_uint64_t,
                                                                               uint8_32_array_t const *prover_id);
Result_slice_boxed_PoStProof_t *generate_winning_post_with_vanilla(RegisteredPoStProof_t,
                                                                   uint8_32_array_t const *randomness,
                                                                   uint8_32_array_t const *prover_id,
                                                                   slice_ref_slice_boxed_uint8_t);
Result_bool_t *verify_winning_post(uint8_32_array_t const *randomness, slice_ref_PublicReplicaInfo_t,
                                   slice_ref_PoStProof_t, uint8_32_array_t const *prover_id);
Result_GenerateWindowPoSt_t *generate_window_post_with_vanilla(RegisteredPoStProof_t,
                                                               uint8_32_array_t const *randomness,
                                                               uint8_32_array_t const *prover_id,
                                                               slice_ref_slice_boxed_uint8_t);
Result_GenerateSingleWindowPoStWithVanilla_t *generate_single_window_post_with_vanilla(
    RegisteredPoStProof_t, uint8_32_array_t const *randomness, uint8_32_array_t const *prover_id,
    slice_ref_slice_boxed_uint8_t, size_t);
Result_PoStProof_t *merge_window_post_partition_proofs(RegisteredPoStProof_t, slice_ref_slice_boxed_uint8_t);
Result_bool_t *verify_window_post(uint8_32_array_t const *randomness, slice_ref_PublicReplicaInfo_t,
                                  slice_ref_PoStProof_t, uint8_32_array_t const *prover_id);
Result_size_t *get_num_partition_for_fallback_post(RegisteredPoStProof_t, size_t);
Result_slice_boxed_uint8_t *generate_empty_sector_update_proof_with_vanilla(RegisteredUpdateProof_t,
                                                                            slice_ref_slice_boxed_uint8_t,
                                                                            uint8_32_array_t const *comm_r_old,
                                                                            uint8_32_array_t const *comm_r_new,
                                                                            uint8_32_array_t const *comm_d_new);
Result_bool_t *verify_empty_sector_update_partition_proofs(RegisteredUpdateProof_t, slice_ref_slice_boxed_uint8_t,
                                                           uint8_32_array_t const *comm_r_old,
                                                           uint8_32_array_t const *comm_r_new,
                                                           uint8_32_array_t const *comm_d_new);
Result_bool_t *verify_empty_sector_update_proof(RegisteredUpdateProof_t, slice_ref_uint8_t,
                                                uint8_32_array_t const *comm_r_old, uint8_32_array_t const *comm_r_new,
                                                uint8_32_array_t const *comm_d_new);

/* The destroy functions that filecoin-ffi's Go half calls. */
void destroy_seal_pre_commit_phase1_response(Result_slice_boxed_uint8_t *);
void destroy_verify_seal_response(Result_bool_t *);
void destroy_generate_winning_post_sector_challenge(Result_slice_boxed_uint64_t *);
void destroy_generate_fallback_sector_challenges_response(Result_GenerateFallbackSectorChallenges_t *);
void destroy_generate_winning_post_response(Result_slice_boxed_PoStProof_t *);
void destroy_generate_window_post_response(Result_GenerateWindowPoSt_t *);
void destroy_generate_single_window_post_with_vanilla_response(Result_GenerateSingleWindowPoStWithVanilla_t *);
void destroy_merge_window_post_partition_proofs_response(Result_PoStProof_t *);
void destroy_get_num_partition_for_fallback_post_response(Result_size_t *);

/* The others: one function under several names. */
void destroy_seal_commit_phase1_response(Result_slice_boxed_uint8_t *);
void destroy_seal_commit_phase2_response(Result_slice_boxed_uint8_t *);
void destroy_generate_single_vanilla_proof_response(Result_slice_boxed_uint8_t *);
void destroy_aggregate_proof(Result_slice_boxed_uint8_t *);
void destroy_empty_sector_update_generate_proof_response(Result_slice_boxed_uint8_t *);
void destroy_string_response(Result_slice_boxed_uint8_t *);
void destroy_verify_aggregate_seal_response(Result_bool_t *);
void destroy_verify_winning_post_response(Result_bool_t *);
void destroy_verify_window_post_response(Result_bool_t *);
void destroy_empty_sector_update_verify_proof_response(Result_bool_t *);
void destroy_verify_empty_sector_update_partition_proof_response(Result_bool_t *);

#endif
