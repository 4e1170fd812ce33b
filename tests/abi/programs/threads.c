/* 64 threads use one engine and their own, while it is closed under them. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 64, ROUNDS = 2 };

static cuzk_engine *shared;
static uint8_t *c1;
static size_t c1_len;

static void *work(void *arg)
{
    size_t n = (size_t)arg;
    for (int round = 0; round < ROUNDS; round++) {
        uint8_t proof[PROOF_BYTES];
        size_t len = round % 2 == 0 ? 0 : sizeof proof;
        cuzk_error *err = NULL;
        cuzk_status status = cuzk_prove_porep(shared, c1, c1_len, SECTOR_NUMBER + n % 2, PROVER_ID, proof, &len, &err);
        cuzk_status want = n % 2 != 0       ? CUZK_ERR_INPUT_MISMATCH
                           : round % 2 == 0 ? CUZK_ERR_BUFFER_SHORT
                                            : CUZK_ERR_SRS_MISSING;
        CHECK(status == want || status == CUZK_ERR_CLOSED || status == CUZK_ERR_HANDLE);
        CHECK(cuzk_error_code(err) == status);
        cuzk_error_free(err);

        cuzk_engine *mine = open_engine("/nonexistent");
        cuzk_job *job = NULL;
        cuzk_porep_request request = porep_request(c1, c1_len);
        request.sector_number++;
        WORKS(cuzk_submit_porep(mine, &request, &job, &err));
        if (n % 3 == 0)
            CHECK(cuzk_job_wait(job, -1, NULL, NULL, NULL) == CUZK_ERR_INPUT_MISMATCH);
        if (n % 3 == 1)
            cuzk_job_free(job);
        cuzk_free(mine);
        cuzk_job_free(job);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    c1 = read_c1(argv[1], &c1_len);
    shared = open_engine("/nonexistent");
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (size_t i = 0; i < THREADS / 2; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    cuzk_free(shared);
    for (size_t i = THREADS / 2; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    free(c1);
    return 0;
}
