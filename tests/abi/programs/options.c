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
        if (more < 0 || *p == '\n')
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
    options.params_dir = "/nonexistent/\xff\xc3(\xe2\x82/\xc3\xa9";
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
    options.device_memory_limit = UINT64_MAX;
    refused(options, CUZK_ERR_ARGUMENT, "DeviceMemoryLimit");
    options.device_memory_limit = 0;
    options.backend = CUZK_BACKEND_AUTO;
    WORKS(cuzk_init(&options, &engine, &err));
    cuzk_free(engine);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    devices();
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
