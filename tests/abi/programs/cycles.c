/* Ten thousand jobs and errors come and go, and the memory that C holds for
 * them with them: run under the leak checker by the tests. */
#include "check.h"

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    (void)argv;
    cuzk_engine *engine = open_engine("/nonexistent");
    cuzk_porep_request request = porep_request((const uint8_t *)"{}", 2);
    for (int i = 0; i < 10000; i++) {
        cuzk_job *job = NULL;
        WORKS(cuzk_submit_porep(engine, &request, &job, &err));
        FAILS(CUZK_ERR_INPUT_SYNTAX, cuzk_job_wait(job, -1, NULL, NULL, &err));
        uint8_t report[4096];
        size_t len = sizeof report;
        WORKS(cuzk_job_report(job, report, &len, &err));
        cuzk_job_free(job);
    }
    cuzk_free(engine);
    return 0;
}
