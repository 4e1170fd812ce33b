/* Handles are numbers: NULL, freed twice, stale, foreign and invented ones give
 * errors and never a crash. */
#include "check.h"

static const uint8_t c1[] = "{}";
static uint8_t proof[PROOF_BYTES];
static size_t proof_len;

static void every_call(cuzk_engine *engine, cuzk_job *job, cuzk_status want)
{
    cuzk_porep_info info = CUZK_POREP_INFO_INIT;
    cuzk_params_options params = CUZK_PARAMS_OPTIONS_INIT;
    params.kind = CUZK_KIND_POREP;
    int32_t valid = 7;
    cuzk_job *out = (cuzk_job *)1;
    cuzk_porep_request request = porep_request(c1, 2);
    cuzk_post_request post = CUZK_POST_REQUEST_INIT;
    cuzk_post_info post_info = CUZK_POST_INFO_INIT;
    cuzk_update_request update = CUZK_UPDATE_REQUEST_INIT;
    cuzk_update_info update_info = CUZK_UPDATE_INFO_INIT;
    cuzk_aggregate_request aggregate = CUZK_AGGREGATE_REQUEST_INIT;
    cuzk_aggregate_info aggregate_info = CUZK_AGGREGATE_INFO_INIT;
    cuzk_aggregate_claim claim = { &aggregate_info, NULL, 0 };
    cuzk_status verdict;
    proof_len = sizeof proof;
    FAILS(want, cuzk_prove_porep(engine, c1, 2, 1, PROVER_ID, proof, &proof_len, &err));
    CHECK(proof_len == 0);
    FAILS(want, cuzk_verify_porep(engine, &info, proof, sizeof proof, &valid, &err));
    CHECK(valid == 0);
    FAILS(want, cuzk_params_make(engine, &params, NULL, NULL, &err));
    FAILS(want, cuzk_submit_porep(engine, &request, &out, &err));
    CHECK(out == NULL);
    FAILS(want, cuzk_prove_post(engine, &post, proof, &proof_len, &err));
    FAILS(want, cuzk_verify_post(engine, &post_info, proof, sizeof proof, &valid, &err));
    FAILS(want, cuzk_submit_post(engine, &post, &out, &err));
    FAILS(want, cuzk_prove_update(engine, &update, proof, &proof_len, &err));
    FAILS(want, cuzk_verify_update(engine, &update_info, proof, sizeof proof, &valid, &err));
    cuzk_bytes part = { proof, sizeof proof };
    FAILS(want, cuzk_verify_update_vanilla(engine, &update_info, &part, 1, &valid, &err));
    FAILS(want, cuzk_aggregate(engine, &aggregate, proof, &proof_len, &err));
    FAILS(want, cuzk_submit_aggregate(engine, &aggregate, &out, &err));
    FAILS(want, cuzk_verify_aggregate(engine, &aggregate_info, proof, sizeof proof, &valid, &err));
    FAILS(want, cuzk_verify_aggregates(engine, &claim, 1, &verdict, &err));
    FAILS(want, cuzk_submit_update(engine, &update, &out, &err));
    FAILS(want, cuzk_submit_params(engine, &params, &out, &err));
    FAILS(want, cuzk_job_wait(job, -1, NULL, NULL, &err));
    proof_len = sizeof proof;
    FAILS(want, cuzk_job_result(job, proof, &proof_len, &err));
    CHECK(proof_len == 0);
    proof_len = sizeof proof;
    FAILS(want, cuzk_job_report(job, proof, &proof_len, &err));
    FAILS(want, cuzk_job_cancel(job, &valid, &err));
    FAILS(want, cuzk_submit_load(engine, CUZK_KIND_POREP, 2048, &out, &err));
    FAILS(want, cuzk_params_evict(engine, 0, 0, NULL, &err));
    FAILS(want, cuzk_engine_status(engine, proof, &proof_len, &err));
    FAILS(want, cuzk_engine_metrics(engine, proof, &proof_len, &err));
    FAILS(want, cuzk_engine_trace(engine, proof, &proof_len, &err));
    FAILS(want, cuzk_engine_drain(engine, 0, &err));
    cuzk_snapshot snapshot = CUZK_SNAPSHOT_INIT;
    cuzk_fixture_options fixture = CUZK_FIXTURE_OPTIONS_INIT;
    cuzk_measure_request measure = CUZK_MEASURE_REQUEST_INIT;
    FAILS(want, cuzk_engine_snapshot(engine, &snapshot, &err));
    FAILS(want, cuzk_submit_fixture(engine, &fixture, &out, &err));
    FAILS(want, cuzk_submit_measure(engine, &measure, &out, &err));
    CHECK(out == NULL);
}

static void missing_arguments(cuzk_engine *engine)
{
    cuzk_porep_info info = CUZK_POREP_INFO_INIT;
    int32_t valid;
    cuzk_job *job;
    proof_len = sizeof proof;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_prove_porep(engine, NULL, 2, 1, PROVER_ID, proof, &proof_len, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_prove_porep(engine, c1, SIZE_MAX, 1, PROVER_ID, proof, &proof_len, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_prove_porep(engine, c1, 2, 1, NULL, proof, &proof_len, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_prove_porep(engine, c1, 2, 1, PROVER_ID, proof, NULL, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_verify_porep(engine, NULL, proof, sizeof proof, &valid, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_verify_porep(engine, &info, NULL, sizeof proof, &valid, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_verify_porep(engine, &info, proof, SIZE_MAX, &valid, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_verify_porep(engine, &info, proof, sizeof proof, NULL, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_params_make(engine, NULL, NULL, NULL, &err));
    cuzk_porep_request request = porep_request(c1, 2);
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_porep(engine, NULL, &job, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_porep(engine, &request, NULL, &err));
    request.c1_json = NULL;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_porep(engine, &request, &job, &err));
    request = porep_request(c1, SIZE_MAX);
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_porep(engine, &request, &job, &err));
    /* Lengths that no memory has: refused before anything is copied. */
    for (int bits = 31; bits < 63; bits++) {
        request = porep_request(c1, (size_t)1 << bits);
        FAILS(CUZK_ERR_INPUT_VALUE, cuzk_submit_porep(engine, &request, &job, &err));
    }
    cuzk_bytes parts[] = { { c1, PTRDIFF_MAX }, { c1, PTRDIFF_MAX }, { c1, 2 } };
    cuzk_update_request update = CUZK_UPDATE_REQUEST_INIT;
    update.vanilla_proofs = parts;
    update.vanilla_count = 3;
    FAILS(CUZK_ERR_INPUT_VALUE, cuzk_submit_update(engine, &update, &job, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_params(engine, NULL, &job, &err));
}

int main(void)
{
    /* NULL, and what is no handle at all. */
    every_call(NULL, NULL, CUZK_ERR_ARGUMENT);
    int on_the_stack = 0;
    uintptr_t invented[] = { 1, 3, 5, 7, 0x13, 0x15, 0xdeadbeef, (uintptr_t)&on_the_stack, UINTPTR_MAX };
    for (size_t i = 0; i < sizeof invented / sizeof *invented; i++) {
        every_call((cuzk_engine *)invented[i], (cuzk_job *)invented[i], CUZK_ERR_HANDLE);
        cuzk_free((cuzk_engine *)invented[i]);
        cuzk_job_free((cuzk_job *)invented[i]);
        cuzk_error_free((cuzk_error *)invented[i]);
        CHECK(cuzk_error_code((cuzk_error *)invented[i]) == CUZK_ERR_HANDLE);
        CHECK(strcmp(cuzk_error_message((cuzk_error *)invented[i]), "") == 0);
        CHECK(strcmp(cuzk_error_detail((cuzk_error *)invented[i]), "") == 0);
        CHECK(cuzk_error_retryable((cuzk_error *)invented[i]) == 0);
    }
    cuzk_free(NULL);
    cuzk_job_free(NULL);
    cuzk_error_free(NULL);

    /* Of the wrong kind, while alive. */
    cuzk_engine *engine = open_engine("/nonexistent");
    cuzk_job *job = NULL;
    cuzk_porep_request request = porep_request(c1, 2);
    WORKS(cuzk_submit_porep(engine, &request, &job, &err));
    every_call((cuzk_engine *)job, (cuzk_job *)engine, CUZK_ERR_HANDLE);
    cuzk_free((cuzk_engine *)job);
    cuzk_job_free((cuzk_job *)engine);
    missing_arguments(engine);

    /* Freed, freed again, used afterwards; numbers are not used again. */
    cuzk_job_free(job);
    cuzk_job_free(job);
    cuzk_free(engine);
    cuzk_free(engine);
    every_call(engine, job, CUZK_ERR_HANDLE);
    cuzk_engine *next = open_engine("/nonexistent");
    CHECK(next != engine);
    every_call(engine, job, CUZK_ERR_HANDLE);
    cuzk_free(next);

    /* The same for errors. */
    cuzk_error *first = NULL, *second = NULL;
    CHECK(cuzk_init(NULL, NULL, &first) == CUZK_ERR_ARGUMENT);
    cuzk_error_free(first);
    cuzk_error_free(first);
    CHECK(cuzk_init(NULL, NULL, &second) == CUZK_ERR_ARGUMENT);
    CHECK(second != first);
    CHECK(cuzk_error_code(first) == CUZK_ERR_HANDLE);
    CHECK(cuzk_error_code(second) == CUZK_ERR_ARGUMENT);
    cuzk_error_free(second);
    return 0;
}
