/* Jobs go on without their caller; a timeout leaves them running, a cancel ends
 * them, and closing the engine wakes every waiter. */
#include "check.h"

#include <pthread.h>

static void *wait_for_it(void *job)
{
    return (void *)(intptr_t)cuzk_job_wait(job, -1, NULL, NULL, NULL);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    size_t c1_len, len;
    uint8_t *c1 = read_c1(argv[1], &c1_len);
    uint8_t proof[PROOF_BYTES];
    cuzk_engine *engine = open_engine(argv[2]);

    /* The input is copied, a timeout is no end, the result stays. */
    cuzk_job *job = NULL;
    cuzk_porep_request request = porep_request(c1, c1_len);
    WORKS(cuzk_submit_porep(engine, &request, &job, &err));
    memset(c1, 0, c1_len);
    FAILS(CUZK_ERR_TIMEOUT, cuzk_job_wait(job, 1, NULL, NULL, &err));
    len = sizeof proof;
    FAILS(CUZK_ERR_BUSY, cuzk_job_result(job, proof, &len, &err));
    CHECK(len == 0);
    WORKS(cuzk_job_wait(job, -1, NULL, NULL, &err));
    len = 1;
    FAILS(CUZK_ERR_BUFFER_SHORT, cuzk_job_result(job, proof, &len, &err));
    CHECK(len == PROOF_BYTES);
    WORKS(cuzk_job_result(job, proof, &len, &err));
    WORKS(cuzk_job_result(job, proof, &len, &err));
    CHECK(len == PROOF_BYTES);
    WORKS(cuzk_job_cancel(job, &err)); /* too late to matter */
    WORKS(cuzk_job_wait(job, 0, NULL, NULL, &err));
    cuzk_job_free(job);

    /* Cancelled. */
    free(c1);
    c1 = read_c1(argv[1], &c1_len);
    request = porep_request(c1, c1_len);
    WORKS(cuzk_submit_porep(engine, &request, &job, &err));
    WORKS(cuzk_job_cancel(job, &err));
    FAILS(CUZK_ERR_CANCELLED, cuzk_job_wait(job, -1, NULL, NULL, &err));
    FAILS(CUZK_ERR_CANCELLED, cuzk_job_result(job, proof, &len, &err));
    cuzk_job_free(job);

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
