/* In a forked child every call fails at once, and the functions on errors,
 * versions and names work; the parent goes on. */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

static void in_child(cuzk_engine *engine, cuzk_error *from_parent)
{
    alarm(5); /* a call that hangs must not hang the test */
    cuzk_engine *other;
    cuzk_job *job;
    uint8_t proof[PROOF_BYTES] = { 0 };
    size_t len = sizeof proof;
    int32_t valid;
    uint64_t number = 1;
    cuzk_porep_info info = CUZK_POREP_INFO_INIT;
    cuzk_params_options params = CUZK_PARAMS_OPTIONS_INIT;
    cuzk_porep_request request = porep_request(proof, 1);
    cuzk_post_request post = CUZK_POST_REQUEST_INIT;
    cuzk_post_info post_info = CUZK_POST_INFO_INIT;
    cuzk_update_request update = CUZK_UPDATE_REQUEST_INIT;
    cuzk_update_info update_info = CUZK_UPDATE_INFO_INIT;
    cuzk_aggregate_request aggregate = CUZK_AGGREGATE_REQUEST_INIT;
    cuzk_aggregate_info aggregate_info = CUZK_AGGREGATE_INFO_INIT;
    cuzk_aggregate_claim claim = { &aggregate_info, NULL, 0 };
    cuzk_status verdict;
    cuzk_bytes part = { proof, sizeof proof };
    FAILS(CUZK_ERR_FORKED, cuzk_init(NULL, &other, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_prove_porep(engine, proof, 1, 1, PROVER_ID, proof, &len, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_verify_porep(engine, &info, proof, sizeof proof, &valid, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_params_make(engine, &params, NULL, NULL, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_submit_porep(engine, &request, &job, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_prove_post(engine, &post, proof, &len, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_submit_post(engine, &post, &job, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_verify_post(engine, &post_info, proof, sizeof proof, &valid, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_post_merge(10, &part, 1, proof, &len, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_post_winner(0, proof, proof, 1, &number, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_post_partitions(10, 1, &number, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_post_challenges(10, proof, &number, 1, &number, &len, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_prove_update(engine, &update, proof, &len, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_submit_update(engine, &update, &job, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_verify_update(engine, &update_info, proof, sizeof proof, &valid, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_verify_update_vanilla(engine, &update_info, &part, 1, &valid, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_aggregate(engine, &aggregate, proof, &len, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_submit_aggregate(engine, &aggregate, &job, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_verify_aggregate(engine, &aggregate_info, proof, sizeof proof, &valid, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_verify_aggregates(engine, &claim, 1, &verdict, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_submit_params(engine, &params, &job, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_job_wait((cuzk_job *)5, -1, NULL, NULL, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_job_result((cuzk_job *)5, proof, &len, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_job_report((cuzk_job *)5, proof, &len, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_job_cancel((cuzk_job *)5, NULL, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_submit_load(engine, CUZK_KIND_POREP, 2048, &job, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_params_evict(engine, 0, 0, NULL, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_engine_status(engine, proof, &len, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_engine_metrics(engine, proof, &len, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_engine_trace(engine, proof, &len, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_engine_drain(engine, 0, &err));
    cuzk_snapshot snapshot = CUZK_SNAPSHOT_INIT;
    cuzk_fixture_options fixture = CUZK_FIXTURE_OPTIONS_INIT;
    cuzk_measure_request measure = CUZK_MEASURE_REQUEST_INIT;
    FAILS(CUZK_ERR_FORKED, cuzk_engine_snapshot(engine, &snapshot, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_submit_fixture(engine, &fixture, &job, &err));
    FAILS(CUZK_ERR_FORKED, cuzk_submit_measure(engine, &measure, &job, &err));
    cuzk_job_free((cuzk_job *)5);
    cuzk_free(engine);
    CHECK(cuzk_abi_version() == CUZK_ABI_VERSION && cuzk_version()[0] != '\0');
    CHECK(cuzk_error_code(from_parent) == CUZK_ERR_ARGUMENT);
    CHECK(cuzk_error_message(from_parent)[0] != '\0');
    CHECK(cuzk_error_detail(from_parent)[0] != '\0' && cuzk_error_retryable(from_parent) == 0);
    CHECK(strcmp(cuzk_status_name(CUZK_ERR_FORKED), "forked") == 0);
    cuzk_error_free(from_parent);
    _exit(0);
}

int main(void)
{
    cuzk_engine *engine = open_engine("/nonexistent");
    cuzk_error *error = NULL;
    CHECK(cuzk_init(NULL, NULL, &error) == CUZK_ERR_ARGUMENT);
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0)
            in_child(engine, error);
        int result;
        CHECK(waitpid(child, &result, 0) == child);
        CHECK(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    }
    CHECK(cuzk_error_code(error) == CUZK_ERR_ARGUMENT);
    cuzk_error_free(error);
    uint8_t proof[PROOF_BYTES];
    size_t len = sizeof proof;
    FAILS(CUZK_ERR_INPUT_SYNTAX, cuzk_prove_porep(engine, proof, 0, 1, PROVER_ID, proof, &len, &err));
    cuzk_free(engine);
    return 0;
}
