/* What needs no parameters: inputs of sectors that were never sealed, proofs
 * that end with their witness, and measurements. */
#include "check.h"

#include <unistd.h>

static cuzk_engine *engine;
static char dir[] = "/tmp/cuzk-fixtures-XXXXXX";

/* Waits for a job and returns its result, NUL-terminated; the caller frees it. */
static char *result_of(cuzk_job *job, size_t *len)
{
    WORKS(cuzk_job_wait(job, -1, NULL, NULL, &err));
    *len = 4096;
    char *out = malloc(*len + 1);
    CHECK(out != NULL);
    WORKS(cuzk_job_result(job, (uint8_t *)out, len, &err));
    out[*len] = '\0';
    cuzk_job_free(job);
    return out;
}

static void fixture(void)
{
    cuzk_fixture_options options = CUZK_FIXTURE_OPTIONS_INIT;
    cuzk_job *job = NULL;
    options.kind = CUZK_KIND_WINNING_POST;
    options.sector_size = 2048;
    options.seed = 5;
    FAILS(CUZK_ERR_FILE_IO, cuzk_submit_fixture(engine, &options, &job, &err));
    options.dir = dir;
    options.kind = 9;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_fixture(engine, &options, &job, &err));
    options.kind = CUZK_KIND_WINNING_POST;
    options.sectors = UINT64_MAX;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_fixture(engine, &options, &job, &err));
    options.sectors = 0;
    options.sector_size = 3;
    FAILS(CUZK_ERR_UNSUPPORTED, cuzk_submit_fixture(engine, &options, &job, &err));
    CHECK(job == NULL);
    options.sector_size = 2048;
    size_t len;
    WORKS(cuzk_submit_fixture(engine, &options, &job, &err));
    char *path = result_of(job, &len);
    CHECK(strstr(path, "/winning_post.json") != NULL && strncmp(path, dir, strlen(dir)) == 0);
    free(path);
}

static void witness(void)
{
    cuzk_job_options options = CUZK_JOB_OPTIONS_INIT;
    cuzk_post_request request = CUZK_POST_REQUEST_INIT;
    cuzk_bytes vanilla;
    size_t len;
    char *json = (char *)read_file(dir, "winning_post.json", &len);
    vanilla.data = read_file(dir, "winning_post-0.vanilla", &vanilla.len);
    unhex(hex_of(json, "randomness"), request.randomness, 32);
    unhex(hex_of(json, "prover_id"), request.prover_id, 32);
    request.vanilla_proofs = &vanilla;
    request.vanilla_count = 1;
    request.job = &options;
    cuzk_job *job = NULL;
    WORKS(cuzk_submit_post(engine, &request, &job, &err));
    FAILS(CUZK_ERR_SRS_MISSING, cuzk_job_wait(job, -1, NULL, NULL, &err));
    cuzk_job_free(job);

    options.witness_only = 1;
    WORKS(cuzk_submit_post(engine, &request, &job, &err));
    free(result_of(job, &len));
    CHECK(len == 0);
    uint8_t proof[PROOF_BYTES];
    len = sizeof proof;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_prove_post(engine, &request, proof, &len, &err));
    ((uint8_t *)vanilla.data)[100] ^= 1;
    WORKS(cuzk_submit_post(engine, &request, &job, &err));
    CHECK(cuzk_job_wait(job, -1, NULL, NULL, NULL) != CUZK_OK);
    cuzk_job_free(job);
    free((void *)vanilla.data);
    free(json);
}

static void measure(void)
{
    cuzk_measure_request request = CUZK_MEASURE_REQUEST_INIT;
    cuzk_job *job = NULL;
    for (int32_t what = CUZK_MEASURE_FIELD; what <= CUZK_MEASURE_SHA256; what++) {
        uint64_t times[3];
        size_t len = sizeof times;
        request.what = what;
        request.log2_size = 8;
        request.repeats = 3;
        WORKS(cuzk_submit_measure(engine, &request, &job, &err));
        WORKS(cuzk_job_wait(job, -1, NULL, NULL, &err));
        WORKS(cuzk_job_result(job, (uint8_t *)times, &len, &err));
        CHECK(len == sizeof times && times[0] > 0 && times[2] > 0 && times[2] < 1000000000);
        cuzk_job_free(job);
    }
    request.what = CUZK_MEASURE_SHA256 + 1;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_measure(engine, &request, &job, &err));
    request.what = CUZK_MEASURE_NTT;
    request.log2_size = 29;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_measure(engine, &request, &job, &err));
    request.log2_size = 8;
    request.repeats = 1 << 20;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_measure(engine, &request, &job, &err));
    CHECK(job == NULL);
}

static void clean_up(void)
{
    CHECK(chdir(dir) == 0);
    CHECK(unlink("winning_post.json") == 0 && unlink("winning_post-0.vanilla") == 0);
    CHECK(chdir("/") == 0 && rmdir(dir) == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    CHECK(mkdtemp(dir) != NULL);
    engine = open_engine(argv[2]);
    fixture();
    witness();
    measure();
    cuzk_free(engine);
    clean_up();
    return 0;
}
