/* In a child process, however it was made, every call fails at once, and the
 * functions on errors, versions and names work; the parent goes on. */
#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
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

static pid_t by_fork(void)
{
    return fork();
}

/* POSIX 2024: fork without the handlers of pthread_atfork; glibc has it since 2.34. */
static pid_t by_underscore_fork(void)
{
    pid_t (*underscore_fork)(void);
    *(void **)&underscore_fork = dlsym(RTLD_DEFAULT, "_Fork");
    return underscore_fork != NULL ? underscore_fork() : fork();
}

static pid_t by_clone(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static cuzk_engine *engine;
static cuzk_error *error;

static void check_child(pid_t child)
{
    int result;
    CHECK(waitpid(child, &result, 0) == child);
    if (!WIFEXITED(result) || WEXITSTATUS(result) != 0)
        fprintf(stderr, "child: wait status %#x\n", (unsigned)result);
    CHECK(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

/* A child that shares the memory of its parent, as vfork's does. */
static int sharing(void *arg)
{
    uint64_t partitions;
    (void)arg;
    _exit(cuzk_post_partitions(10, 1, &partitions, NULL) == CUZK_ERR_FORKED ? 0 : 1);
}

static void check_sharing(void)
{
    static char stack[65536];
    pid_t child = clone(sharing, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    CHECK(child > 0);
    check_child(child);
}

/* A child that was forked in a callback and returns from it. */
static pid_t parent, forked_in_callback;
static pid_t (*make_child)(void);

static int32_t fork_in_callback(const cuzk_progress *progress, void *payload)
{
    (void)progress;
    CHECK(payload == &forked_in_callback);
    if (getpid() == parent && forked_in_callback == 0) {
        forked_in_callback = make_child();
        CHECK(forked_in_callback >= 0);
        if (forked_in_callback == 0)
            alarm(5);
    }
    return 0;
}

static void check_callback(void)
{
    cuzk_measure_request request = CUZK_MEASURE_REQUEST_INIT;
    cuzk_job *job;
    request.what = CUZK_MEASURE_SHA256;
    request.log2_size = 4;
    forked_in_callback = 0;
    WORKS(cuzk_submit_measure(engine, &request, &job, &err));
    cuzk_error *err = NULL;
    cuzk_status status = cuzk_job_wait(job, -1, fork_in_callback, &forked_in_callback, &err);
    if (getpid() != parent) {
        CHECK(status == CUZK_ERR_FORKED && cuzk_error_code(err) == CUZK_ERR_FORKED);
        in_child(engine, error);
    }
    CHECK(status == CUZK_OK && forked_in_callback > 0);
    check_child(forked_in_callback);
    cuzk_job_free(job);
}

int main(void)
{
    parent = getpid();
    engine = open_engine("/nonexistent");
    CHECK(cuzk_init(NULL, NULL, &error) == CUZK_ERR_ARGUMENT);
    pid_t (*const ways[])(void) = { by_fork, by_underscore_fork, by_clone };
    for (size_t i = 0; i < 5 * sizeof ways / sizeof *ways; i++) {
        make_child = ways[i % (sizeof ways / sizeof *ways)];
        pid_t child = make_child();
        CHECK(child >= 0);
        if (child == 0)
            in_child(engine, error);
        check_child(child);
        check_callback();
    }
    check_sharing();
    CHECK(cuzk_error_code(error) == CUZK_ERR_ARGUMENT);
    cuzk_error_free(error);
    uint8_t proof[PROOF_BYTES];
    size_t len = sizeof proof;
    FAILS(CUZK_ERR_INPUT_SYNTAX, cuzk_prove_porep(engine, proof, 0, 1, PROVER_ID, proof, &len, &err));
    cuzk_free(engine);
    return 0;
}
