/* A snapshot tells what the JSON tells, in structs of any accepted length. */
#include "check.h"

static cuzk_engine *engine;

static cuzk_snapshot look(void)
{
    cuzk_snapshot s = CUZK_SNAPSHOT_INIT;
    memset((char *)&s + sizeof s.struct_size, 0xff, sizeof s - sizeof s.struct_size);
    WORKS(cuzk_engine_snapshot(engine, &s, &err));
    CHECK(s.struct_size == sizeof s);
    CHECK(s.backend == CUZK_BACKEND_CPU && s.device_count == 0);
    CHECK(strcmp(s.version, cuzk_version()) == 0);
    CHECK(s.threads >= 1 && s.limit.host > 0 && s.input_limit > 0);
    for (size_t i = 0; i < sizeof s.devices / sizeof *s.devices; i++)
        CHECK(s.devices[i].name[0] == 0 && s.devices[i].memory == 0 && s.devices[i].usable == 0);
    return s;
}

static void at_base(const cuzk_snapshot *s)
{
    CHECK(s->jobs_queued == 0 && s->jobs_running == 0);
    CHECK(s->solve.waiting[0] == 0 && s->solve.running == 0);
    CHECK(s->prove.waiting[0] == 0 && s->prove.running == 0);
    CHECK(s->used_partitions.host == 0 && s->input_used == 0 && s->memory_waiting == 0);
}

static void load(void)
{
    cuzk_job *job = NULL;
    WORKS(cuzk_submit_load(engine, CUZK_KIND_WINDOW_POST, 2048, &job, &err));
    WORKS(cuzk_job_wait(job, -1, NULL, NULL, &err));
    cuzk_job_free(job);
}

/* Work that goes on for a while and is seen at it. */
static void busy(void)
{
    cuzk_job *job = NULL;
    cuzk_job_options options = CUZK_JOB_OPTIONS_INIT;
    cuzk_measure_request request = CUZK_MEASURE_REQUEST_INIT;
    options.priority = CUZK_PRIORITY_HIGH;
    request.what = CUZK_MEASURE_NTT;
    request.log2_size = 12;
    request.repeats = 65536;
    request.job = &options;
    WORKS(cuzk_submit_measure(engine, &request, &job, &err));
    cuzk_snapshot s;
    do
        s = look();
    while (s.jobs_running == 0 || (s.prove.running == 0 && s.prove.waiting[0] == 0));
    CHECK(s.jobs_running == 1);
    WORKS(cuzk_job_cancel(job, NULL, &err));
    FAILS(CUZK_ERR_CANCELLED, cuzk_job_wait(job, -1, NULL, NULL, &err));
    cuzk_job_free(job);
    do
        s = look();
    while (s.prove.running != 0 || s.jobs_running != 0);
    at_base(&s);
    CHECK(s.jobs_cancelled == 1);
}

static void lengths(void)
{
    cuzk_snapshot s = CUZK_SNAPSHOT_INIT;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_engine_snapshot(engine, NULL, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_engine_snapshot(NULL, &s, &err));
    FAILS(CUZK_ERR_HANDLE, cuzk_engine_snapshot((cuzk_engine *)&s, &s, &err));
    s.struct_size = 12;
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_engine_snapshot(engine, &s, &err));

    /* An older caller's struct ends early, a newer one's end is cleared. */
    s.struct_size = 24;
    s.jobs_queued = 77;
    WORKS(cuzk_engine_snapshot(engine, &s, &err));
    CHECK(s.threads >= 1 && s.jobs_queued == 77 && s.struct_size == 24);
    struct {
        cuzk_snapshot known;
        uint64_t unknown[3];
    } newer;
    memset(&newer, 0xff, sizeof newer);
    newer.known.struct_size = sizeof newer;
    WORKS(cuzk_engine_snapshot(engine, &newer.known, &err));
    CHECK(newer.known.threads >= 1 && newer.unknown[0] == 0 && newer.unknown[2] == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    engine = open_engine(argv[2]);
    cuzk_snapshot s = look();
    at_base(&s);
    CHECK(s.jobs_done == 0 && s.params_count[CUZK_TIER_DISK] == 0);
    load();
    s = look();
    CHECK(s.jobs_done == 1 && s.params_count[CUZK_TIER_MAPPED] == 1);
    CHECK(s.params_bytes[CUZK_TIER_MAPPED] > 1000000);
    WORKS(cuzk_params_evict(engine, 0, 0, NULL, &err));
    s = look();
    CHECK(s.params_count[CUZK_TIER_MAPPED] == 0 && s.params_count[CUZK_TIER_DISK] == 1);
    CHECK(s.params_bytes[CUZK_TIER_DISK] > 1000000);
    busy();
    lengths();
    cuzk_free(engine);
    s.struct_size = sizeof s;
    FAILS(CUZK_ERR_HANDLE, cuzk_engine_snapshot(engine, &s, &err));
    return 0;
}
