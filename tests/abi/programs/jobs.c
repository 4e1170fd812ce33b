/* Jobs go on without their caller; a timeout leaves them running, a cancel ends
 * them, and closing the engine wakes every waiter. */
#include "check.h"

#include <pthread.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Cancels after some looks at the stage that is named. */
typedef struct canceller {
    const char *stage;
    int looks;
    double at;
} canceller;

static int32_t cancel_in(const cuzk_progress *progress, void *payload)
{
    canceller *c = payload;
    if (strcmp(progress->stage, c->stage) != 0 || c->at != 0 || c->looks-- > 0)
        return 0;
    c->at = seconds();
    return 1;
}

/* Whether the engine's status has a text. */
static int status_has(cuzk_engine *engine, const char *text)
{
    static char status[1 << 20];
    size_t len = sizeof status - 1;
    WORKS(cuzk_engine_status(engine, (uint8_t *)status, &len, &err));
    status[len] = '\0';
    return strstr(status, text) != NULL;
}

/* A job that is stopped in the midst of its one long partition ends within 5 s
 * and gives its memory back. */
static void stopped_in_a_partition(cuzk_engine *engine, const cuzk_porep_request *request)
{
    cuzk_job *job = NULL;
    canceller c = { "prove", 10, 0 }; /* a second later */
    WORKS(cuzk_submit_porep(engine, request, &job, &err));
    FAILS(CUZK_ERR_CANCELLED, cuzk_job_wait(job, -1, cancel_in, &c, &err));
    CHECK(c.at != 0 && seconds() - c.at < 5);
    while (status_has(engine, "\"partition\""))
        CHECK(seconds() - c.at < 5);
    int32_t ended = 0;
    WORKS(cuzk_job_cancel(job, &ended, &err));
    CHECK(ended == 1);
    cuzk_job_free(job);
}

static void *wait_for_it(void *job)
{
    return (void *)(intptr_t)cuzk_job_wait(job, -1, NULL, NULL, NULL);
}

/* The input is copied: the caller's is overwritten while the job waits or runs. */
static void input_is_copied(cuzk_engine *engine, uint8_t *c1, size_t c1_len)
{
    cuzk_porep_request request = porep_request(c1, c1_len);
    cuzk_job_options options = CUZK_JOB_OPTIONS_INIT;
    options.witness_only = 1;
    request.job = &options;
    cuzk_job *job = NULL;
    WORKS(cuzk_submit_porep(engine, &request, &job, &err));
    memset(c1, 0, c1_len);
    WORKS(cuzk_job_wait(job, -1, NULL, NULL, &err));
    cuzk_job_free(job);
}

/* A timeout is no end, and the result stays. */
static void result_stays(cuzk_engine *engine, const char *golden)
{
    cuzk_bytes vanilla;
    cuzk_post_request request = winning_request(golden, &vanilla);
    cuzk_job *job = NULL;
    uint8_t proof[PROOF_BYTES];
    size_t len = sizeof proof;
    WORKS(cuzk_submit_post(engine, &request, &job, &err));
    memset((void *)vanilla.data, 0, vanilla.len);
    FAILS(CUZK_ERR_TIMEOUT, cuzk_job_wait(job, 1, NULL, NULL, &err));
    FAILS(CUZK_ERR_BUSY, cuzk_job_result(job, proof, &len, &err));
    CHECK(len == 0);
    WORKS(cuzk_job_wait(job, -1, NULL, NULL, &err));
    len = 1;
    FAILS(CUZK_ERR_BUFFER_SHORT, cuzk_job_result(job, proof, &len, &err));
    CHECK(len == PROOF_BYTES);
    WORKS(cuzk_job_result(job, proof, &len, &err));
    WORKS(cuzk_job_result(job, proof, &len, &err));
    CHECK(len == PROOF_BYTES);
    int32_t ended = 0;
    WORKS(cuzk_job_cancel(job, &ended, &err)); /* too late, and it says so */
    CHECK(ended == 1);
    WORKS(cuzk_job_cancel(job, NULL, &err));
    WORKS(cuzk_job_wait(job, 0, NULL, NULL, &err));
    cuzk_job_free(job);
    free((void *)vanilla.data);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    size_t c1_len, len;
    uint8_t *c1 = read_c1(argv[1], &c1_len);
    uint8_t proof[PROOF_BYTES];
    int32_t ended = 0;
    cuzk_engine *engine = open_engine(argv[2]);
    input_is_copied(engine, c1, c1_len);
    result_stays(engine, argv[1]);

    /* Cancelled. */
    free(c1);
    c1 = read_c1(argv[1], &c1_len);
    cuzk_porep_request request = porep_request(c1, c1_len);
    cuzk_job *job = NULL;
    WORKS(cuzk_submit_porep(engine, &request, &job, &err));
    WORKS(cuzk_job_cancel(job, &ended, &err));
    CHECK(ended == 0);
    FAILS(CUZK_ERR_CANCELLED, cuzk_job_wait(job, -1, NULL, NULL, &err));
    len = sizeof proof;
    FAILS(CUZK_ERR_CANCELLED, cuzk_job_result(job, proof, &len, &err));
    cuzk_job_free(job);

    stopped_in_a_partition(engine, &request);

    /* Waited for while its engine closes. */
    WORKS(cuzk_submit_porep(engine, &request, &job, &err));
    pthread_t waiter;
    void *status;
    CHECK(pthread_create(&waiter, NULL, wait_for_it, job) == 0);
    cuzk_free(engine);
    CHECK(pthread_join(waiter, &status) == 0);
    CHECK((intptr_t)status == CUZK_ERR_CLOSED);
    cuzk_job_free(job);
    free(c1);
    return 0;
}
