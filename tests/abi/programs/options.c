/* Wrong options are refused, each by name; the folder of the network's tools is
 * taken from the environment, and junk there is an error. */
#include "check.h"

static cuzk_engine *engine;

static void refused(cuzk_options options, cuzk_status want, const char *word)
{
    cuzk_error *err = NULL;
    CHECK(cuzk_init(&options, &engine, &err) == want);
    CHECK(engine == NULL);
    if (strstr(cuzk_error_message(err), word) == NULL) {
        fprintf(stderr, "no \"%s\" in: %s\n", word, cuzk_error_message(err));
        exit(1);
    }
    cuzk_error_free(err);
}

/* Whether a text is one line of valid UTF-8; longer forms than needed are not
 * looked for. */
static int one_line(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != 0; p++) {
        int more = *p < 0x80                 ? 0
                   : *p >= 0xc2 && *p < 0xe0 ? 1
                   : *p >= 0xe0 && *p < 0xf0 ? 2
                   : *p >= 0xf0 && *p < 0xf5 ? 3
                                             : -1;
        if (more < 0 || *p < 0x20 || *p == 0x7f)
            return 0;
        for (; more > 0; more--)
            if ((*++p & 0xc0) != 0x80)
                return 0;
    }
    return text[0] != 0;
}

/* Messages are lines of UTF-8, also about a folder whose name is none, and
 * about several mistakes at once. */
static void messages(const uint8_t *proof)
{
    cuzk_options options = CUZK_OPTIONS_INIT;
    options.params_dir = "/nonexistent/\xff\xc3(\xe2\x82/\xc3\xa9/\x1b[31m\r\n\x7f";
    WORKS(cuzk_init(&options, &engine, &err));
    cuzk_porep_info info = CUZK_POREP_INFO_INIT;
    memset(info.comm_r, 1, sizeof info.comm_r);
    memset(info.comm_d, 1, sizeof info.comm_d);
    memset(info.seed, 1, sizeof info.seed);
    cuzk_error *err;
    int32_t valid;
    CHECK(cuzk_verify_porep(engine, &info, proof, PROOF_BYTES, &valid, &err) == CUZK_ERR_SRS_MISSING);
    CHECK(one_line(cuzk_error_message(err)) && one_line(cuzk_error_detail(err)));
    cuzk_error_free(err);
    cuzk_job *job;
    WORKS(cuzk_submit_load(engine, CUZK_KIND_POREP, 2048, &job, &err));
    CHECK(cuzk_job_wait(job, -1, NULL, NULL, &err) == CUZK_ERR_SRS_MISSING);
    CHECK(one_line(cuzk_error_message(err)) && one_line(cuzk_error_detail(err)));
    cuzk_error_free(err);
    cuzk_job_free(job);
    cuzk_free(engine);
    options.params_dir = "/dev/null";
    options.threads = 0xffffffff;
    CHECK(cuzk_init(&options, &engine, &err) == CUZK_ERR_ARGUMENT);
    CHECK(one_line(cuzk_error_message(err)));
    CHECK(strstr(cuzk_error_message(err), "/dev/null") && strstr(cuzk_error_message(err), "Threads"));
    cuzk_error_free(err);
}

/* Who asks for a device gets one or an error that says why not: never the CPU. */
static void devices(void)
{
    cuzk_options options = CUZK_OPTIONS_INIT;
    options.device_library = "/nonexistent/libcuzk_cuda.so";
    options.backend = CUZK_BACKEND_CUDA;
    refused(options, CUZK_ERR_NO_DEVICE, "/nonexistent/libcuzk_cuda.so");
    options.backend = CUZK_BACKEND_AUTO;
    options.devices = "0";
    refused(options, CUZK_ERR_NO_DEVICE, "/nonexistent/libcuzk_cuda.so");
    options.backend = CUZK_BACKEND_CPU;
    refused(options, CUZK_ERR_ARGUMENT, "Devices");
    options.devices = "0,,1";
    refused(options, CUZK_ERR_ARGUMENT, "Devices");
    options.devices = NULL;
    options.device_slots = 65;
    refused(options, CUZK_ERR_ARGUMENT, "DeviceSlots");
    options.device_slots = 0;
    options.backend = CUZK_BACKEND_AUTO;
    refused(options, CUZK_ERR_NO_DEVICE, "/nonexistent/libcuzk_cuda.so");
    options.device_library = "/dev/null";
    refused(options, CUZK_ERR_NO_DEVICE, "/dev/null");
    options.device_library = NULL; /* then the CPU will do */
    WORKS(cuzk_init(&options, &engine, &err));
    cuzk_free(engine);
}

/* An empty text is not "not given", a flag is 0 or 1, and a limit that no memory has
 * is none. */
static void values(void)
{
    cuzk_options options = CUZK_OPTIONS_INIT;
    const char **const texts[] = { &options.params_dir, &options.devices, &options.device_library };
    const char *const names[] = { "params_dir", "devices", "device_library" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = "";
        refused(options, CUZK_ERR_ARGUMENT, names[i]);
        *texts[i] = NULL;
    }
    options.memory_budget = 1;
    refused(options, CUZK_ERR_ARGUMENT, "MemoryBudget");
    options.memory_budget = options.max_input = options.device_memory_limit = UINT64_MAX;
    WORKS(cuzk_init(&options, &engine, &err));
    cuzk_job *job;
    uint8_t byte = 0;
    for (uint32_t flag = 0; flag < 9; flag++) {
        const cuzk_status want = flag < 2 ? CUZK_OK : CUZK_ERR_ARGUMENT;
        cuzk_job_options with = CUZK_JOB_OPTIONS_INIT;
        cuzk_porep_request porep = porep_request(&byte, 1);
        cuzk_post_request post = CUZK_POST_REQUEST_INIT;
        porep.circuit_proofs = post.single = with.witness_only = flag;
        CHECK(cuzk_submit_porep(engine, &porep, &job, NULL) == want);
        cuzk_job_free(job);
        CHECK(flag < 2 || cuzk_submit_post(engine, &post, &job, NULL) == want);
        porep.circuit_proofs = 0;
        porep.job = &with;
        CHECK(cuzk_submit_porep(engine, &porep, &job, NULL) == want);
        cuzk_job_free(job);
        with.witness_only = 0;
        with.key = "";
        FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_porep(engine, &porep, &job, &err));
    }
    cuzk_params_options params = CUZK_PARAMS_OPTIONS_INIT;
    params.kind = CUZK_KIND_WINNING_POST;
    params.sector_size = 2048;
    params.dir = "";
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_params(engine, &params, &job, &err));
    cuzk_free(engine);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    devices();
    values();
    cuzk_options options = CUZK_OPTIONS_INIT;

    options.backend = -1;
    refused(options, CUZK_ERR_ARGUMENT, "backend");
    options.backend = CUZK_BACKEND_AUTO;
    options.params_check = 1u << 31;
    refused(options, CUZK_ERR_ARGUMENT, "params_check");
    options.params_check = 0;
    options.threads = 0xffffffff;
    refused(options, CUZK_ERR_ARGUMENT, "Threads");
    options.threads = 0;
    options.params_dir = "/dev/null";
    refused(options, CUZK_ERR_ARGUMENT, "/dev/null");

    options.params_dir = NULL;
    setenv("FIL_PROOFS_PARAMETER_CACHE", "", 1);
    refused(options, CUZK_ERR_ARGUMENT, "FIL_PROOFS_PARAMETER_CACHE");
    setenv("FIL_PROOFS_PARAMETER_CACHE", "/dev/null", 1);
    refused(options, CUZK_ERR_ARGUMENT, "FIL_PROOFS_PARAMETER_CACHE");

    /* A folder that is named explicitly wins over the environment. */
    options.params_dir = argv[1];
    WORKS(cuzk_init(&options, &engine, &err));
    cuzk_free(engine);

    /* The environment is read when cuzk_init is called, not at load. */
    options.params_dir = NULL;
    setenv("FIL_PROOFS_PARAMETER_CACHE", argv[1], 1);
    WORKS(cuzk_init(&options, &engine, &err));
    cuzk_porep_info info = CUZK_POREP_INFO_INIT;
    memset(info.comm_r, 1, sizeof info.comm_r);
    memset(info.comm_d, 1, sizeof info.comm_d);
    memset(info.seed, 1, sizeof info.seed);
    size_t len;
    char *json = (char *)read_file(argv[1], "sectors/2k-v1_1/proof-porep-0.json", &len);
    uint8_t proof[PROOF_BYTES];
    unhex(hex_of(json, "proof"), proof, sizeof proof);
    int32_t valid;
    FAILS(CUZK_ERR_SRS_MISSING, cuzk_verify_porep(engine, &info, proof, sizeof proof, &valid, &err));
    cuzk_free(engine);
    messages(proof);
    free(json);
    return 0;
}
