/* Every call that is cheap, with the arguments and the destroy functions that
 * filecoin-ffi's Go half uses; the published crates' proofs verify. */
#include "drop.h"

#define WINNING 0
#define WINDOW_V1 5
#define WINDOW_V1_1 10

static const char *golden;

/* The published crates' proof of sector 0 of 2k-v1_1. */
static void read_proof(const char *kind, uint8_t proof[192])
{
    char name[256];
    size_t len;
    snprintf(name, sizeof name, "sectors/2k-v1_1/proof-%s-0.json", kind);
    char *text = (char *)read_file(golden, name, &len);
    unhex(hex_of(text, "proof"), proof, 192);
    free(text);
}

static bool window_holds(const post_case *c, PoStProof_t proof)
{
    Result_bool_t *r = verify_window_post(&c->randomness, (slice_ref_PublicReplicaInfo_t){ c->replicas, c->sectors },
                                          (slice_ref_PoStProof_t){ &proof, 1 }, &c->prover_id);
    CHECK(OK(r));
    bool value = r->value;
    destroy_verify_window_post_response(r);
    return value;
}

/* Three sectors, two partitions: whole, and by partition and merge. */
static void window(const char *sector, RegisteredPoStProof_t proof, uint64_t first)
{
    post_case c = read_post(golden, sector, "window_post", proof, 3, first);
    slice_ref_slice_boxed_uint8_t all = { c.vanilla, 3 };
    Result_GenerateWindowPoSt_t *r = generate_window_post_with_vanilla(proof, &c.randomness, &c.prover_id, all);
    CHECK(OK(r) && r->value.proofs.len == 1 && r->value.faulty_sectors.len == 0);
    CHECK(r->value.proofs.ptr[0].registered_proof == proof && r->value.proofs.ptr[0].proof.len == 2 * 192);
    CHECK(window_holds(&c, r->value.proofs.ptr[0]));
    r->value.proofs.ptr[0].proof.ptr[0] ^= 0x20; /* -A: a point, and a wrong proof */
    CHECK(!window_holds(&c, r->value.proofs.ptr[0]));
    destroy_generate_window_post_response(r);

    Result_size_t *n = get_num_partition_for_fallback_post(proof, 3);
    CHECK(OK(n) && n->value == 2);
    destroy_get_num_partition_for_fallback_post_response(n);
    Result_GenerateSingleWindowPoStWithVanilla_t *part[2];
    slice_boxed_uint8_t proofs[2];
    for (size_t k = 0; k < 2; k++) {
        slice_ref_slice_boxed_uint8_t some = { c.vanilla + 2 * k, 2 - k };
        part[k] = generate_single_window_post_with_vanilla(proof, &c.randomness, &c.prover_id, some, k);
        CHECK(OK(part[k]) && part[k]->value.partition_proof.registered_proof == proof);
        proofs[k] = part[k]->value.partition_proof.proof;
        CHECK(proofs[k].len == 192 && part[k]->value.faulty_sectors.len == 0);
    }
    Result_PoStProof_t *merged =
        merge_window_post_partition_proofs(proof, (slice_ref_slice_boxed_uint8_t){ proofs, 2 });
    CHECK(OK(merged) && merged->value.registered_proof == proof && merged->value.proof.len == 2 * 192);
    CHECK(window_holds(&c, merged->value));
    destroy_merge_window_post_partition_proofs_response(merged);
    for (size_t k = 0; k < 2; k++)
        destroy_generate_single_window_post_with_vanilla_response(part[k]);
    free_post(&c);
}

static void winning(void)
{
    post_case c = read_post(golden, "2k-v1_1", "winning_post", WINNING, 1, 101);
    Result_slice_boxed_PoStProof_t *r = generate_winning_post_with_vanilla(
        WINNING, &c.randomness, &c.prover_id, (slice_ref_slice_boxed_uint8_t){ c.vanilla, 1 });
    CHECK(OK(r) && r->value.len == 1 && r->value.ptr[0].registered_proof == WINNING);
    CHECK(r->value.ptr[0].proof.len == 192);
    for (int good = 1; good >= 0; good--) {
        Result_bool_t *v = verify_winning_post(&c.randomness, (slice_ref_PublicReplicaInfo_t){ c.replicas, 1 },
                                               (slice_ref_PoStProof_t){ r->value.ptr, r->value.len }, &c.prover_id);
        CHECK(OK(v) && v->value == (bool)good);
        destroy_verify_winning_post_response(v);
        c.replicas[0].comm_r.idx[0] ^= 1;
    }
    destroy_generate_winning_post_response(r);
    free_post(&c);
}

/* Challenges come sorted, whatever the order asked for; the second version
 * does not depend on it. */
static void challenges(void)
{
    post_case c = read_post(golden, "2k-window3", "window_post", WINDOW_V1_1, 3, 501);
    const uint64_t mixed[] = { 503, 501, 502, 501 };
    Result_GenerateFallbackSectorChallenges_t *r =
        generate_fallback_sector_challenges(WINDOW_V1_1, &c.randomness, (slice_ref_uint64_t){ mixed, 4 }, &c.prover_id);
    CHECK(OK(r) && r->value.ids.len == 3 && r->value.challenges.len == 3);
    static const uint64_t first[] = { 51, 30, 27, 18, 31, 28, 37, 32, 20, 34 };
    for (size_t i = 0; i < 3; i++)
        CHECK(r->value.ids.ptr[i] == c.numbers[i] && r->value.challenges.ptr[i].len == 10);
    CHECK(memcmp(r->value.challenges.ptr[0].ptr, first, sizeof first) == 0);
    destroy_generate_fallback_sector_challenges_response(r);

    Result_slice_boxed_uint64_t *w = generate_winning_post_sector_challenge(WINNING, &c.randomness, 7, &c.prover_id);
    CHECK(OK(w) && w->value.len == 1 && w->value.ptr[0] < 7);
    destroy_generate_winning_post_sector_challenge(w);
    free_post(&c);
}

/* The published proofs of the seal and of the update. */
static void verify_published(void)
{
    size_t len;
    uint8_t proof[192];
    char *text = (char *)read_file(golden, "sectors/2k-v1_1/sector-0.json", &len);
    uint8_32_array_t comm_r = id_of(text, "comm_r", 0), comm_d = id_of(text, "comm_d", 0),
                     prover = id_of(text, "prover_id", 0), ticket = id_of(text, "ticket", 0),
                     seed = id_of(text, "seed", 0);
    free(text);
    read_proof("porep", proof);
    for (uint64_t sector = 101; sector <= 102; sector++) {
        Result_bool_t *r =
            verify_seal(5, &comm_r, &comm_d, &prover, &ticket, &seed, sector, (slice_ref_uint8_t){ proof, 192 });
        CHECK(OK(r) && r->value == (sector == 101));
        destroy_verify_seal_response(r);
    }

    text = (char *)read_file(golden, "sectors/2k-v1_1/update.json", &len);
    uint8_32_array_t old = id_of(text, "comm_r_old", 0), new = id_of(text, "comm_r_new", 0),
                     d = id_of(text, "comm_d_new", 0);
    free(text);
    read_proof("update", proof);
    Result_bool_t *r = verify_empty_sector_update_proof(0, (slice_ref_uint8_t){ proof, 192 }, &old, &new, &d);
    CHECK(OK(r) && r->value);
    destroy_empty_sector_update_verify_proof_response(r);
    r = verify_empty_sector_update_proof(0, (slice_ref_uint8_t){ proof, 192 }, &new, &old, &d);
    CHECK(OK(r) && !r->value);
    destroy_empty_sector_update_verify_proof_response(r);

    slice_boxed_uint8_t vanilla = boxed_file(golden, "sectors/2k-v1_1/update-0.vanilla");
    for (int good = 1; good >= 0; good--) {
        r = verify_empty_sector_update_partition_proofs(0, (slice_ref_slice_boxed_uint8_t){ &vanilla, 1 }, &old, &new,
                                                        &d);
        CHECK(OK(r) && r->value == (bool)good);
        destroy_verify_empty_sector_update_partition_proof_response(r);
        d = old;
    }
    destroy_boxed_slice(vanilla);
}

/* Results as libfilcrypto would have made them: Rust's default allocator is
 * malloc, and its empty arrays have an address at which nothing is. Each
 * destroy function of a type frees them. */
static void foreign_results(void)
{
    void (*bytes[])(Result_slice_boxed_uint8_t *) = { destroy_seal_pre_commit_phase1_response,
                                                      destroy_seal_commit_phase1_response,
                                                      destroy_seal_commit_phase2_response,
                                                      destroy_generate_single_vanilla_proof_response,
                                                      destroy_aggregate_proof,
                                                      destroy_empty_sector_update_generate_proof_response,
                                                      destroy_string_response };
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        Result_slice_boxed_uint8_t *r = malloc(sizeof *r);
        CHECK(r != NULL);
        *r = (Result_slice_boxed_uint8_t){ 0, { (uint8_t *)1, 0 }, { malloc(7), 7 } };
        bytes[i](r);
        bytes[i](NULL);
    }
    void (*bools[])(Result_bool_t *) = { destroy_verify_seal_response,
                                         destroy_verify_aggregate_seal_response,
                                         destroy_verify_winning_post_response,
                                         destroy_verify_window_post_response,
                                         destroy_empty_sector_update_verify_proof_response,
                                         destroy_verify_empty_sector_update_partition_proof_response };
    for (size_t i = 0; i < sizeof bools / sizeof *bools; i++) {
        Result_bool_t *r = malloc(sizeof *r);
        CHECK(r != NULL);
        *r = (Result_bool_t){ 1, { malloc(3), 3 }, false };
        bools[i](r);
        bools[i](NULL);
    }
    slice_boxed_uint8_t s = alloc_boxed_slice(1000);
    CHECK(s.len == 1000 && s.ptr[0] == 0 && s.ptr[999] == 0);
    free(s.ptr); /* as Rust would */
    s = alloc_boxed_slice(0);
    CHECK(s.len == 0 && s.ptr != NULL);
    destroy_boxed_slice(s);
    destroy_boxed_slice((slice_boxed_uint8_t){ malloc(5), 5 });
    destroy_boxed_slice((slice_boxed_uint8_t){ (uint8_t *)1, 0 });
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    golden = argv[1];
    foreign_results();
    challenges();
    verify_published();
    winning();
    window("2k-window3", WINDOW_V1_1, 501);
    window("2k-v1", WINDOW_V1, 201);
    return 0;
}
