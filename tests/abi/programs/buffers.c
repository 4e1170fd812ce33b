/* A short buffer is told the needed size before anything is proved, and
 * nothing is written to it. */
#include "check.h"

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    size_t c1_len, len;
    uint8_t *c1 = read_c1(argv[1], &c1_len);
    cuzk_engine *engine = open_engine("/nonexistent"); /* so proving would fail */

    uint8_t proof[PROOF_BYTES + 1];
    static const size_t lengths[] = { 0, 1, PROOF_BYTES - 1 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        memset(proof, 0xa5, sizeof proof);
        len = lengths[i];
        FAILS(CUZK_ERR_BUFFER_SHORT, cuzk_prove_porep(engine, c1, c1_len, SECTOR_NUMBER, PROVER_ID, proof, &len, &err));
        CHECK(len == PROOF_BYTES);
        for (size_t k = 0; k < sizeof proof; k++)
            CHECK(proof[k] == 0xa5);
    }
    len = PROOF_BYTES; /* a NULL buffer has no room, whatever *len says */
    FAILS(CUZK_ERR_BUFFER_SHORT, cuzk_prove_porep(engine, c1, c1_len, SECTOR_NUMBER, PROVER_ID, NULL, &len, &err));
    CHECK(len == PROOF_BYTES);

    /* Empty arrays may have any address. */
    len = 0;
    FAILS(CUZK_ERR_BUFFER_SHORT,
          cuzk_prove_porep(engine, c1, c1_len, SECTOR_NUMBER, PROVER_ID, (uint8_t *)1, &len, &err));
    FAILS(CUZK_ERR_INPUT_SYNTAX,
          cuzk_prove_porep(engine, (uint8_t *)1, 0, SECTOR_NUMBER, PROVER_ID, proof, &len, &err));

    /* Bad input comes before the buffer. */
    len = 0;
    FAILS(CUZK_ERR_INPUT_SYNTAX, cuzk_prove_porep(engine, c1, c1_len - 1, SECTOR_NUMBER, PROVER_ID, proof, &len, &err));
    CHECK(len == 0);
    len = sizeof proof;
    FAILS(CUZK_ERR_SRS_MISSING, cuzk_prove_porep(engine, c1, c1_len, SECTOR_NUMBER, PROVER_ID, proof, &len, &err));
    CHECK(len == 0);

    /* The same rule for a job's report. */
    cuzk_job *job = NULL;
    cuzk_porep_request request = porep_request(c1, c1_len);
    WORKS(cuzk_submit_porep(engine, &request, &job, &err));
    FAILS(CUZK_ERR_SRS_MISSING, cuzk_job_wait(job, -1, NULL, NULL, &err));
    len = 0;
    FAILS(CUZK_ERR_BUFFER_SHORT, cuzk_job_report(job, NULL, &len, &err));
    CHECK(len > 0);
    uint8_t *report = malloc(len);
    WORKS(cuzk_job_report(job, report, &len, &err));
    CHECK(report[0] == '{' && report[len - 1] == '}');
    free(report);
    cuzk_job_free(job);

    cuzk_free(engine);
    free(c1);
    return 0;
}
