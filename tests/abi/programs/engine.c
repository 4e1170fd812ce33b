/* What an engine does apart from proving: loading and evicting parameters,
 * keys, priorities and deadlines of jobs, and a look inside. */
#include "check.h"

#include <pthread.h>

enum { WINDOW_V1_1 = 10, CALLERS = 12 };

static cuzk_engine *engine;

/* Reads a text of the engine with the two-call rule; the caller frees it. */
static char *text_of(cuzk_status (*get)(cuzk_engine *, uint8_t *, size_t *, cuzk_error **))
{
    size_t len = 0;
    FAILS(CUZK_ERR_BUFFER_SHORT, get(engine, NULL, &len, &err));
    len += 65536; /* it may have grown */
    char *text = malloc(len + 1);
    CHECK(text != NULL);
    WORKS(get(engine, (uint8_t *)text, &len, &err));
    text[len] = '\0';
    return text;
}

static void loading(void)
{
    cuzk_job *job = NULL;
    uint64_t freed = 7;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_load(engine, 99, 2048, &job, &err));
    FAILS(CUZK_ERR_UNSUPPORTED, cuzk_submit_load(engine, CUZK_KIND_WINDOW_POST, 3, &job, &err));
    WORKS(cuzk_submit_load(engine, CUZK_KIND_WINDOW_POST, 2048, &job, &err));
    WORKS(cuzk_job_wait(job, -1, NULL, NULL, &err));
    cuzk_job_free(job);
    FAILS(CUZK_ERR_ARGUMENT, cuzk_params_evict(engine, -1, 2048, &freed, &err));
    CHECK(freed == 0);
    WORKS(cuzk_params_evict(engine, CUZK_KIND_WINDOW_POST, 2048, &freed, &err));
    WORKS(cuzk_params_evict(engine, 0, 0, NULL, &err));
}

/* One of many callers with one key: every third has room for the proof. */
typedef struct caller {
    const cuzk_post_request *request;
    int number;
    uint8_t proof[PROOF_BYTES];
} caller;

static void *prove(void *arg)
{
    caller *c = arg;
    size_t len = c->number % 3 == 0 ? PROOF_BYTES : (size_t)c->number;
    if (c->number % 3 == 0) {
        WORKS(cuzk_prove_post(engine, c->request, c->proof, &len, &err));
    } else {
        FAILS(CUZK_ERR_BUFFER_SHORT, cuzk_prove_post(engine, c->request, c->proof, &len, &err));
    }
    CHECK(len == PROOF_BYTES);
    return NULL;
}

/* A short buffer is its owner's failure alone, whoever began. */
static void short_buffers(cuzk_post_request request)
{
    cuzk_job_options options = CUZK_JOB_OPTIONS_INIT;
    options.key = "many callers";
    request.job = &options;
    pthread_t threads[CALLERS];
    caller callers[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        callers[i].request = &request;
        callers[i].number = CALLERS - 1 - i; /* the first has a short one */
        CHECK(pthread_create(&threads[i], NULL, prove, &callers[i]) == 0);
    }
    for (int i = 0; i < CALLERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < CALLERS; i++)
        if (callers[i].number % 3 == 0)
            CHECK(memcmp(callers[i].proof, callers[CALLERS - 1].proof, PROOF_BYTES) == 0);
}

static void job_options(const char *golden)
{
    cuzk_bytes vanilla[2];
    size_t json_len;
    char *json = (char *)read_file(golden, "sectors/2k-v1_1/window_post.json", &json_len);
    vanilla[0].data = read_file(golden, "sectors/2k-v1_1/window_post-0.vanilla", &vanilla[0].len);
    vanilla[1].data = read_file(golden, "sectors/2k-v1_1/window_post-1.vanilla", &vanilla[1].len);
    cuzk_job_options options = CUZK_JOB_OPTIONS_INIT;
    cuzk_post_request request = CUZK_POST_REQUEST_INIT;
    request.registered_proof = WINDOW_V1_1;
    unhex(hex_of(json, "randomness"), request.randomness, 32);
    memcpy(request.prover_id, PROVER_ID, 32);
    request.vanilla_proofs = vanilla;
    request.vanilla_count = 2;
    request.job = &options;

    /* One key, one proof, also when the first caller has lost interest. */
    cuzk_job *first = NULL, *second = NULL;
    options.key = "deadline 12, partition 0";
    options.priority = CUZK_PRIORITY_CRITICAL;
    WORKS(cuzk_submit_post(engine, &request, &first, &err));
    WORKS(cuzk_submit_post(engine, &request, &second, &err));
    cuzk_job_free(first);
    uint8_t proof[PROOF_BYTES], again[PROOF_BYTES];
    size_t len = sizeof proof;
    WORKS(cuzk_job_wait(second, -1, NULL, NULL, &err));
    WORKS(cuzk_job_result(second, proof, &len, &err));
    cuzk_job_free(second);
    len = sizeof again;
    WORKS(cuzk_prove_post(engine, &request, again, &len, &err));
    CHECK(memcmp(proof, again, sizeof proof) == 0);
    short_buffers(request);
    request.vanilla_count = 1;
    FAILS(CUZK_ERR_CONFLICT, cuzk_submit_post(engine, &request, &first, &err));
    CHECK(first == NULL);

    /* Options that cannot be right, and one that cannot be met. */
    options.key = NULL;
    options.priority = 5;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_post(engine, &request, &first, &err));
    options.priority = 0;
    options.reserved = 1;
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_submit_post(engine, &request, &first, &err));
    options.reserved = 0;
    options.struct_size = 12;
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_submit_post(engine, &request, &first, &err));
    options.struct_size = sizeof options;
    options.deadline_ms = 1;
    request.vanilla_count = 2;
    FAILS(CUZK_ERR_DEADLINE, cuzk_prove_post(engine, &request, again, &len, &err));
    free((void *)vanilla[0].data);
    free((void *)vanilla[1].data);
    free(json);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    engine = open_engine(argv[2]);
    loading();
    job_options(argv[1]);

    char *status = text_of(cuzk_engine_status), *metrics = text_of(cuzk_engine_metrics),
         *trace = text_of(cuzk_engine_trace);
    CHECK(status[0] == '{' && strstr(status, "\"jobs\"") != NULL);
    CHECK(strstr(metrics, "# TYPE ") != NULL);
    CHECK(strstr(trace, "prove") != NULL);
    free(status);
    free(metrics);
    free(trace);

    WORKS(cuzk_engine_drain(engine, -1, &err));
    cuzk_job *job = NULL;
    FAILS(CUZK_ERR_CLOSED, cuzk_submit_load(engine, CUZK_KIND_WINDOW_POST, 2048, &job, &err));
    cuzk_free(engine);
    return 0;
}
