/*
 * The public functions. Each makes a result without a value, refuses forked
 * children and missing or impossible arguments, and lets the Go export that
 * does the work fill it in.
 */
#include <stdio.h>

#include "_cgo_export.h"
#include "fork.h"
#include "result.h"

/* Whether a call may go to Go; otherwise its result says why not. */
static bool may(filc_head *head)
{
    if (head != NULL && cuzki_forked())
        filc_fail(head,
                  "forked: this process was forked from one that had loaded "
                  "libcuzk_filcrypto: exec, or spawn instead of fork");
    return head != NULL && head->status_code == 0;
}

static bool given(filc_head *head, const void *argument, const char *name)
{
    char text[80];
    if (argument == NULL) {
        snprintf(text, sizeof text, "argument: %s is NULL (%s)", name, name);
        filc_fail(head, text);
    }
    return argument != NULL;
}

/* Far above any number of sectors in a proof: a larger one is garbage, for which
 * no memory must be asked. */
#define MAX_ELEMENTS ((size_t)1 << 24)

static bool possible(filc_head *head, size_t len, size_t element, const char *name)
{
    char text[120];
    bool ok = len <= (element == 1 ? (size_t)PTRDIFF_MAX : MAX_ELEMENTS);
    if (!ok) {
        snprintf(text, sizeof text, "argument: %s has %zu elements (%s)", name, len, name);
        filc_fail(head, text);
    }
    return ok;
}

#define HEAD(r) ((filc_head *)(r))
#define MAY(r) may(HEAD(r))
#define GIVEN(r, arg) given(HEAD(r), arg, #arg)
#define POSSIBLE(r, slice) possible(HEAD(r), (slice).len, sizeof *(slice).ptr, #slice)

/* A slice as two arguments for Go: NULL if it is empty, because Go must not see
 * an address at which nothing is. */
#define SLICE(s) ((s).len != 0 ? (void *)(s).ptr : NULL), (s).len

Result_slice_boxed_uint8_t *seal_commit_phase2(slice_ref_uint8_t seal_commit_phase1_output, uint64_t sector_id,
                                               uint8_32_array_t const *prover_id)
{
    Result_slice_boxed_uint8_t *r = filc_new_bytes();
    if (MAY(r) && POSSIBLE(r, seal_commit_phase1_output) && GIVEN(r, prover_id))
        cuzkgo_seal_commit_phase2(SLICE(seal_commit_phase1_output), sector_id, (void *)prover_id, r);
    return r;
}

Result_slice_boxed_uint8_t *seal_commit_phase2_circuit_proofs(slice_ref_uint8_t seal_commit_phase1_output,
                                                              uint64_t sector_id)
{
    Result_slice_boxed_uint8_t *r = filc_new_bytes();
    if (MAY(r) && POSSIBLE(r, seal_commit_phase1_output))
        cuzkgo_seal_commit_phase2(SLICE(seal_commit_phase1_output), sector_id, NULL, r);
    return r;
}

Result_bool_t *verify_seal(RegisteredSealProof_t registered_proof, uint8_32_array_t const *comm_r,
                           uint8_32_array_t const *comm_d, uint8_32_array_t const *prover_id,
                           uint8_32_array_t const *ticket, uint8_32_array_t const *seed, uint64_t sector_id,
                           slice_ref_uint8_t proof)
{
    Result_bool_t *r = filc_new_bool();
    if (MAY(r) && GIVEN(r, comm_r) && GIVEN(r, comm_d) && GIVEN(r, prover_id) && GIVEN(r, ticket) && GIVEN(r, seed) &&
        POSSIBLE(r, proof))
        cuzkgo_verify_seal(registered_proof, (void *)comm_r, (void *)comm_d, (void *)prover_id, (void *)ticket,
                           (void *)seed, sector_id, SLICE(proof), r);
    return r;
}

Result_slice_boxed_uint8_t *aggregate_seal_proofs(RegisteredSealProof_t registered_proof,
                                                  RegisteredAggregationProof_t registered_aggregation,
                                                  slice_ref_uint8_32_array_t comm_rs, slice_ref_uint8_32_array_t seeds,
                                                  slice_ref_slice_boxed_uint8_t seal_commit_responses)
{
    Result_slice_boxed_uint8_t *r = filc_new_bytes();
    if (MAY(r) && POSSIBLE(r, comm_rs) && POSSIBLE(r, seeds) && POSSIBLE(r, seal_commit_responses))
        cuzkgo_aggregate(registered_proof, registered_aggregation, SLICE(comm_rs), SLICE(seeds),
                         SLICE(seal_commit_responses), r);
    return r;
}

Result_bool_t *verify_aggregate_seal_proof(RegisteredSealProof_t registered_proof,
                                           RegisteredAggregationProof_t registered_aggregation,
                                           uint8_32_array_t const *prover_id, slice_ref_uint8_t proof,
                                           slice_ref_AggregationInputs_t commit_inputs)
{
    Result_bool_t *r = filc_new_bool();
    if (MAY(r) && GIVEN(r, prover_id) && POSSIBLE(r, proof) && POSSIBLE(r, commit_inputs))
        cuzkgo_verify_aggregate(registered_proof, registered_aggregation, (void *)prover_id, SLICE(proof),
                                SLICE(commit_inputs), r);
    return r;
}

Result_slice_boxed_uint64_t *generate_winning_post_sector_challenge(RegisteredPoStProof_t registered_proof,
                                                                    uint8_32_array_t const *randomness,
                                                                    uint64_t sector_set_len,
                                                                    uint8_32_array_t const *prover_id)
{
    Result_slice_boxed_uint64_t *r = filc_new_numbers();
    if (MAY(r) && GIVEN(r, randomness) && GIVEN(r, prover_id))
        cuzkgo_winning_sector(registered_proof, (void *)randomness, sector_set_len, (void *)prover_id, r);
    return r;
}

Result_GenerateFallbackSectorChallenges_t *generate_fallback_sector_challenges(RegisteredPoStProof_t registered_proof,
                                                                               uint8_32_array_t const *randomness,
                                                                               slice_ref_uint64_t sector_ids,
                                                                               uint8_32_array_t const *prover_id)
{
    Result_GenerateFallbackSectorChallenges_t *r = filc_new_challenges();
    if (MAY(r) && GIVEN(r, randomness) && POSSIBLE(r, sector_ids) && GIVEN(r, prover_id))
        cuzkgo_challenges(registered_proof, (void *)randomness, SLICE(sector_ids), r);
    return r;
}

Result_slice_boxed_PoStProof_t *generate_winning_post_with_vanilla(RegisteredPoStProof_t registered_proof,
                                                                   uint8_32_array_t const *randomness,
                                                                   uint8_32_array_t const *prover_id,
                                                                   slice_ref_slice_boxed_uint8_t vanilla_proofs)
{
    Result_slice_boxed_PoStProof_t *r = filc_new_proofs();
    if (MAY(r) && GIVEN(r, randomness) && GIVEN(r, prover_id) && POSSIBLE(r, vanilla_proofs))
        cuzkgo_winning_post(registered_proof, (void *)randomness, (void *)prover_id, SLICE(vanilla_proofs), r);
    return r;
}

Result_bool_t *verify_winning_post(uint8_32_array_t const *randomness, slice_ref_PublicReplicaInfo_t replicas,
                                   slice_ref_PoStProof_t proofs, uint8_32_array_t const *prover_id)
{
    Result_bool_t *r = filc_new_bool();
    if (MAY(r) && GIVEN(r, randomness) && POSSIBLE(r, replicas) && POSSIBLE(r, proofs) && GIVEN(r, prover_id))
        cuzkgo_verify_winning_post((void *)randomness, SLICE(replicas), SLICE(proofs), (void *)prover_id, r);
    return r;
}

Result_GenerateWindowPoSt_t *generate_window_post_with_vanilla(RegisteredPoStProof_t registered_proof,
                                                               uint8_32_array_t const *randomness,
                                                               uint8_32_array_t const *prover_id,
                                                               slice_ref_slice_boxed_uint8_t vanilla_proofs)
{
    Result_GenerateWindowPoSt_t *r = filc_new_window();
    if (MAY(r) && GIVEN(r, randomness) && GIVEN(r, prover_id) && POSSIBLE(r, vanilla_proofs))
        cuzkgo_window_post(registered_proof, (void *)randomness, (void *)prover_id, SLICE(vanilla_proofs), r);
    return r;
}

Result_GenerateSingleWindowPoStWithVanilla_t *generate_single_window_post_with_vanilla(
    RegisteredPoStProof_t registered_proof, uint8_32_array_t const *randomness, uint8_32_array_t const *prover_id,
    slice_ref_slice_boxed_uint8_t vanilla_proofs, size_t partition_index)
{
    Result_GenerateSingleWindowPoStWithVanilla_t *r = filc_new_partition();
    if (MAY(r) && GIVEN(r, randomness) && GIVEN(r, prover_id) && POSSIBLE(r, vanilla_proofs))
        cuzkgo_window_partition(registered_proof, (void *)randomness, (void *)prover_id, SLICE(vanilla_proofs),
                                partition_index, r);
    return r;
}

Result_PoStProof_t *merge_window_post_partition_proofs(RegisteredPoStProof_t registered_proof,
                                                       slice_ref_slice_boxed_uint8_t partition_proofs)
{
    Result_PoStProof_t *r = filc_new_proof();
    if (MAY(r) && POSSIBLE(r, partition_proofs))
        cuzkgo_merge(registered_proof, SLICE(partition_proofs), r);
    return r;
}

Result_bool_t *verify_window_post(uint8_32_array_t const *randomness, slice_ref_PublicReplicaInfo_t replicas,
                                  slice_ref_PoStProof_t proofs, uint8_32_array_t const *prover_id)
{
    Result_bool_t *r = filc_new_bool();
    if (MAY(r) && GIVEN(r, randomness) && POSSIBLE(r, replicas) && POSSIBLE(r, proofs) && GIVEN(r, prover_id))
        cuzkgo_verify_window_post((void *)randomness, SLICE(replicas), SLICE(proofs), (void *)prover_id, r);
    return r;
}

Result_size_t *get_num_partition_for_fallback_post(RegisteredPoStProof_t registered_proof, size_t num_sectors)
{
    Result_size_t *r = filc_new_size();
    if (MAY(r))
        cuzkgo_partitions(registered_proof, num_sectors, r);
    return r;
}

Result_slice_boxed_uint8_t *generate_empty_sector_update_proof_with_vanilla(
    RegisteredUpdateProof_t registered_proof, slice_ref_slice_boxed_uint8_t vanilla_proofs,
    uint8_32_array_t const *comm_r_old, uint8_32_array_t const *comm_r_new, uint8_32_array_t const *comm_d_new)
{
    Result_slice_boxed_uint8_t *r = filc_new_bytes();
    if (MAY(r) && POSSIBLE(r, vanilla_proofs) && GIVEN(r, comm_r_old) && GIVEN(r, comm_r_new) && GIVEN(r, comm_d_new))
        cuzkgo_update(registered_proof, SLICE(vanilla_proofs), (void *)comm_r_old, (void *)comm_r_new,
                      (void *)comm_d_new, r);
    return r;
}

Result_bool_t *verify_empty_sector_update_proof(RegisteredUpdateProof_t registered_proof, slice_ref_uint8_t proof,
                                                uint8_32_array_t const *comm_r_old, uint8_32_array_t const *comm_r_new,
                                                uint8_32_array_t const *comm_d_new)
{
    Result_bool_t *r = filc_new_bool();
    if (MAY(r) && POSSIBLE(r, proof) && GIVEN(r, comm_r_old) && GIVEN(r, comm_r_new) && GIVEN(r, comm_d_new))
        cuzkgo_verify_update(registered_proof, SLICE(proof), (void *)comm_r_old, (void *)comm_r_new, (void *)comm_d_new,
                             r);
    return r;
}

Result_bool_t *verify_empty_sector_update_partition_proofs(RegisteredUpdateProof_t registered_proof,
                                                           slice_ref_slice_boxed_uint8_t proofs,
                                                           uint8_32_array_t const *comm_r_old,
                                                           uint8_32_array_t const *comm_r_new,
                                                           uint8_32_array_t const *comm_d_new)
{
    Result_bool_t *r = filc_new_bool();
    if (MAY(r) && POSSIBLE(r, proofs) && GIVEN(r, comm_r_old) && GIVEN(r, comm_r_new) && GIVEN(r, comm_d_new))
        cuzkgo_verify_partitions(registered_proof, SLICE(proofs), (void *)comm_r_old, (void *)comm_r_new,
                                 (void *)comm_d_new, r);
    return r;
}
