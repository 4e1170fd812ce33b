/* Callbacks run on the waiting thread with its payload, and can cancel. */
#include "check.h"

#include <pthread.h>

typedef struct seen {
    pthread_t thread;
    int calls;
    int cancel_at; /* call number from 1; 0: never */
} seen;

static int32_t look(const cuzk_progress *progress, void *payload)
{
    seen *s = payload;
    CHECK(pthread_equal(s->thread, pthread_self()));
    CHECK(progress->struct_size == sizeof *progress && progress->reserved == 0);
    CHECK(progress->stage != NULL && progress->stage[0] != '\0');
    CHECK(progress->total == 0 || progress->done <= progress->total);
    s->calls++;
    return s->calls == s->cancel_at;
}

static int32_t any_payload(const cuzk_progress *progress, void *payload)
{
    (void)progress;
    CHECK(payload == (void *)1);
    return 0;
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    cuzk_engine *engine = open_engine(argv[2]);
    char dir[] = "/tmp/cuzk-callbacks-XXXXXX";
    CHECK(mkdtemp(dir) != NULL);

    /* Parameters take long enough to be cancelled at the third look. */
    cuzk_params_options params = CUZK_PARAMS_OPTIONS_INIT;
    params.kind = CUZK_KIND_POREP;
    params.sector_size = 2048;
    params.dir = dir;
    seen s = { pthread_self(), 0, 3 };
    FAILS(CUZK_ERR_CANCELLED, cuzk_params_make(engine, &params, look, &s, &err));
    CHECK(s.calls >= 3);
    CHECK(remove(dir) == 0); /* which works on an empty folder only: nothing was left */

    /* A wait that ends at once still reports once. */
    cuzk_job *job = NULL;
    cuzk_porep_request request = porep_request((const uint8_t *)"{}", 2);
    WORKS(cuzk_submit_porep(engine, &request, &job, &err));
    CHECK(cuzk_job_wait(job, -1, NULL, NULL, NULL) < 0);
    s.calls = s.cancel_at = 0;
    CHECK(cuzk_job_wait(job, 0, look, &s, NULL) < 0);
    CHECK(s.calls == 1);

    /* A payload may be any value. */
    CHECK(cuzk_job_wait(job, 0, any_payload, (void *)1, NULL) < 0);
    cuzk_job_free(job);
    cuzk_free(engine);
    return 0;
}
