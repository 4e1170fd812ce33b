/* Wrong arguments, wrong bytes, a wrong environment, a forked child: always a
 * result with status 1 and a message, never a crash. */
#include "drop.h"
#include <sys/wait.h>
#include <unistd.h>

static post_case c;

/* The window call with vanilla proofs of the caller's, which must fail. */
static void refuses(RegisteredPoStProof_t proof, slice_ref_slice_boxed_uint8_t vanilla, const char *code)
{
    Result_GenerateWindowPoSt_t *r = generate_window_post_with_vanilla(proof, &c.randomness, &c.prover_id, vanilla);
    CHECK(FAILED(r, code));
    CHECK(r->value.proofs.len == 0 && r->value.proofs.ptr != NULL && r->value.faulty_sectors.len == 0);
    destroy_generate_window_post_response(r);
}

static void refuses_c1(const void *c1, size_t len, uint64_t sector, const char *code)
{
    slice_ref_uint8_t text = { c1, len };
    Result_slice_boxed_uint8_t *r = seal_commit_phase2(text, sector, &c.prover_id);
    CHECK(FAILED(r, code) && r->value.len == 0);
    destroy_seal_pre_commit_phase1_response(r);
    if (strcmp(code, "input_mismatch") == 0)
        return;
    r = seal_commit_phase2_circuit_proofs(text, sector);
    CHECK(FAILED(r, code) && r->value.len == 0);
    destroy_seal_pre_commit_phase1_response(r);
}

static void null_arguments(void)
{
    slice_ref_slice_boxed_uint8_t vanilla = { c.vanilla, 1 };
    Result_slice_boxed_PoStProof_t *w = generate_winning_post_with_vanilla(0, NULL, &c.prover_id, vanilla);
    CHECK(FAILED(w, "argument"));
    destroy_generate_winning_post_response(w);
    Result_GenerateSingleWindowPoStWithVanilla_t *p =
        generate_single_window_post_with_vanilla(10, &c.randomness, NULL, vanilla, 0);
    CHECK(FAILED(p, "argument") && p->value.partition_proof.registered_proof == 8); /* as Rust's default */
    destroy_generate_single_window_post_with_vanilla_response(p);
    uint8_32_array_t id = { { 1 } };
    Result_bool_t *v = verify_seal(5, &id, &id, &id, &id, NULL, 1, (slice_ref_uint8_t){ NULL, 0 });
    CHECK(FAILED(v, "argument") && !v->value);
    destroy_verify_seal_response(v);
    Result_slice_boxed_uint8_t *u = generate_empty_sector_update_proof_with_vanilla(0, vanilla, &id, &id, NULL);
    CHECK(FAILED(u, "argument"));
    destroy_empty_sector_update_generate_proof_response(u);
    v = verify_empty_sector_update_partition_proofs(0, vanilla, &id, NULL, &id);
    CHECK(FAILED(v, "argument"));
    destroy_verify_empty_sector_update_partition_proof_response(v);
    v = verify_empty_sector_update_partition_proofs(0, vanilla, &id, &id, &id);
    CHECK(FAILED(v, "input_syntax")); /* a PoSt's vanilla proof */
    destroy_verify_empty_sector_update_partition_proof_response(v);
}

/* Arrays: empty ones have any address, impossible ones are not looked at. */
static void arrays(void)
{
    slice_boxed_uint8_t empty[2] = { { (uint8_t *)1, 0 }, { NULL, 0 } };
    refuses(10, (slice_ref_slice_boxed_uint8_t){ empty, 2 }, "input_syntax");
    refuses(10, (slice_ref_slice_boxed_uint8_t){ (slice_boxed_uint8_t *)8, 0 }, "input_value");
    refuses(10, (slice_ref_slice_boxed_uint8_t){ c.vanilla, SIZE_MAX / 8 }, "argument");
    refuses(10, (slice_ref_slice_boxed_uint8_t){ c.vanilla, (size_t)1 << 40 }, "argument");
    PoStProof_t long_one = { 0, { c.vanilla[0].ptr, (size_t)1 << 44 } };
    PublicReplicaInfo_t replica = c.replicas[0];
    replica.registered_proof = 0;
    Result_bool_t *w = verify_winning_post(&c.randomness, (slice_ref_PublicReplicaInfo_t){ &replica, 1 },
                                           (slice_ref_PoStProof_t){ &long_one, 1 }, &c.prover_id);
    CHECK(FAILED(w, "argument") && !w->value);
    destroy_verify_winning_post_response(w);
    refuses_c1((void *)1, 0, 101, "input_syntax");
    refuses_c1("{}", SIZE_MAX, 101, "argument");
    Result_PoStProof_t *m = merge_window_post_partition_proofs(0, (slice_ref_slice_boxed_uint8_t){ empty, 2 });
    CHECK(FAILED(m, "argument"));
    destroy_merge_window_post_partition_proofs_response(m);
    m = merge_window_post_partition_proofs(10, (slice_ref_slice_boxed_uint8_t){ empty, 2 }); /* joined unseen */
    CHECK(m->status_code == 0 && m->value.proof.len == 0 && m->value.registered_proof == 10);
    destroy_merge_window_post_partition_proofs_response(m);
    Result_bool_t *v = verify_window_post(&c.randomness, (slice_ref_PublicReplicaInfo_t){ c.replicas, 3 },
                                          (slice_ref_PoStProof_t){ NULL, 0 }, &c.prover_id);
    CHECK(FAILED(v, "argument"));
    destroy_verify_window_post_response(v);
    PoStProof_t none = { 10, { (uint8_t *)1, 0 } };
    v = verify_window_post(&c.randomness, (slice_ref_PublicReplicaInfo_t){ c.replicas, 3 },
                           (slice_ref_PoStProof_t){ &none, 1 }, &c.prover_id);
    CHECK(FAILED(v, "proof_malformed"));
    destroy_verify_window_post_response(v);
    c.replicas[1].registered_proof = 5;
    v = verify_window_post(&c.randomness, (slice_ref_PublicReplicaInfo_t){ c.replicas, 3 },
                           (slice_ref_PoStProof_t){ &none, 1 }, &c.prover_id);
    CHECK(FAILED(v, "argument"));
    destroy_verify_window_post_response(v);
}

/* Wrong bytes and wrong numbers. */
static void values(const char *golden)
{
    slice_ref_slice_boxed_uint8_t all = { c.vanilla, 3 };
    refuses(0, all, "argument");
    refuses(-1, all, "argument");
    refuses(15, all, "argument");
    refuses(5, all, "input_mismatch"); /* the challenges of the other version */
    slice_boxed_uint8_t longer = alloc_boxed_slice(c.vanilla[0].len + 1);
    memcpy(longer.ptr, c.vanilla[0].ptr, c.vanilla[0].len);
    refuses(10, (slice_ref_slice_boxed_uint8_t){ &longer, 1 }, "input_syntax");
    destroy_boxed_slice(longer);
    slice_boxed_uint8_t twice[] = { c.vanilla[0], c.vanilla[0] };
    refuses(10, (slice_ref_slice_boxed_uint8_t){ twice, 2 }, "input_value");

    size_t len;
    uint8_t *c1 = read_file(golden, "sectors/2k-v1_1/c1-0.json", &len);
    refuses_c1(c1, len, 102, "input_mismatch");
    refuses_c1(c1, len - 1, 101, "input_syntax");
    /* Circuit proofs are not tied to a prover: nothing but parameters lacks. */
    Result_slice_boxed_uint8_t *r = seal_commit_phase2_circuit_proofs((slice_ref_uint8_t){ c1, len }, 102);
    CHECK(FAILED(r, "srs_missing"));
    destroy_seal_pre_commit_phase1_response(r);
    c1[len] = 'x';
    refuses_c1(c1, len + 1, 101, "input_syntax");
    free(c1);

    Result_slice_boxed_uint64_t *w = generate_winning_post_sector_challenge(3, &c.randomness, 0, &c.prover_id);
    CHECK(FAILED(w, "argument") && w->value.len == 0);
    destroy_generate_winning_post_sector_challenge(w);
    Result_size_t *n = get_num_partition_for_fallback_post(3, 1);
    CHECK(FAILED(n, "argument") && n->value == 0);
    destroy_get_num_partition_for_fallback_post_response(n);
    Result_GenerateFallbackSectorChallenges_t *f =
        generate_fallback_sector_challenges(10, &c.randomness, (slice_ref_uint64_t){ NULL, 0 }, &c.prover_id);
    CHECK(FAILED(f, "input_value") && f->value.ids.len == 0 && f->value.challenges.len == 0);
    destroy_generate_fallback_sector_challenges_response(f);
}

/* A variable that makes no sense fails every call until it is mended; no
 * parameters are an error too. */
static void environment(void)
{
    slice_ref_slice_boxed_uint8_t all = { c.vanilla, 3 };
    setenv("FIL_PROOFS_PARAMETER_CACHE", "", 1);
    refuses(10, all, "argument");
    setenv("FIL_PROOFS_PARAMETER_CACHE", "/nonexistent", 1);
    setenv("FIL_PROOFS_VERIFY_PRODUCTION_PARAMS", "perhaps", 1);
    refuses(10, all, "argument");
    unsetenv("FIL_PROOFS_VERIFY_PRODUCTION_PARAMS");
    refuses(10, all, "srs_missing");
}

static void forked_child(void)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(10);
        refuses(10, (slice_ref_slice_boxed_uint8_t){ c.vanilla, 3 }, "forked");
        Result_size_t *n = get_num_partition_for_fallback_post(10, 1);
        CHECK(FAILED(n, "forked"));
        destroy_get_num_partition_for_fallback_post_response(n);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    c = read_post(argv[1], "2k-window3", "window_post", 10, 3, 501);
    environment();
    null_arguments();
    arrays();
    values(argv[1]);
    forked_child();
    free_post(&c);
    return 0;
}
