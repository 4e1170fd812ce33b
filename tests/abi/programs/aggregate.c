/* A golden seal proof becomes the golden aggregate, alone and as a job; many are
 * verified together; what is wrong with requests is told. */
#include "check.h"

enum { STACKED_DRG_2KIB_V1_1 = 5, AGGREGATE_BYTES = 5236 };

static cuzk_engine *engine;
static cuzk_aggregate_sector sector;
static uint8_t prover_id[32], seal_proof[PROOF_BYTES];
static const cuzk_bytes proof = { seal_proof, sizeof seal_proof };

static void read_sector(const char *golden)
{
    size_t len;
    char *json = (char *)read_file(golden, "snarkpack/sectors/2k-v1_1-0.json", &len);
    sector.sector_number = 101;
    unhex(hex_of(json, "comm_r"), sector.comm_r, 32);
    unhex(hex_of(json, "comm_d"), sector.comm_d, 32);
    unhex(hex_of(json, "ticket"), sector.ticket, 32);
    unhex(hex_of(json, "seed"), sector.seed, 32);
    unhex(hex_of(json, "prover_id"), prover_id, 32);
    unhex(hex_of(json, "proof"), seal_proof, sizeof seal_proof);
    free(json);
}

static cuzk_aggregate_request new_request(void)
{
    cuzk_aggregate_request request = CUZK_AGGREGATE_REQUEST_INIT;
    request.registered_proof = STACKED_DRG_2KIB_V1_1;
    request.version = CUZK_SNARK_PACK_V2;
    memcpy(request.prover_id, prover_id, 32);
    request.sectors = &sector;
    request.sector_count = 1;
    request.proofs = &proof;
    request.proof_count = 1;
    return request;
}

static void together(const cuzk_aggregate_info *info, const uint8_t *aggregate, size_t len)
{
    cuzk_aggregate_info other = *info, unknown = *info;
    other.version = CUZK_SNARK_PACK_V1;
    unknown.registered_proof = 77;
    cuzk_aggregate_claim claims[5] = {
        { info, aggregate, len },     { &other, aggregate, len }, { info, aggregate, 7 },
        { &unknown, aggregate, len }, { info, aggregate, len },
    };
    cuzk_status verdicts[5];
    WORKS(cuzk_verify_aggregates(engine, claims, 5, verdicts, &err));
    CHECK(verdicts[0] == CUZK_OK && verdicts[4] == CUZK_OK);
    CHECK(verdicts[1] == CUZK_ERR_PROOF_INVALID);
    CHECK(verdicts[2] == CUZK_ERR_PROOF_MALFORMED);
    CHECK(verdicts[3] == CUZK_ERR_ARGUMENT);
    WORKS(cuzk_verify_aggregates(engine, claims, 0, verdicts, &err));
    claims[2].info = NULL;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_verify_aggregates(engine, claims, 5, verdicts, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_verify_aggregates(engine, claims, SIZE_MAX, verdicts, &err));
    claims[2].info = &other;
    other.struct_size = 3;
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_verify_aggregates(engine, claims, 5, verdicts, &err));
}

static void wrong_requests(void)
{
    uint8_t out[AGGREGATE_BYTES];
    size_t len = sizeof out;
    cuzk_aggregate_request request = new_request();
    request.proof_count = 0;
    FAILS(CUZK_ERR_INPUT_VALUE, cuzk_aggregate(engine, &request, out, &len, &err));
    CHECK(len == 0);
    request = new_request();
    request.sectors = NULL;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_aggregate(engine, &request, out, &len, &err));
    request.sector_count = 0;
    FAILS(CUZK_ERR_INPUT_VALUE, cuzk_aggregate(engine, &request, out, &len, &err));
    request = new_request();
    request.sector_count = SIZE_MAX;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_aggregate(engine, &request, out, &len, &err));
    request = new_request();
    request.proof_count = SIZE_MAX;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_aggregate(engine, &request, out, &len, &err));
    request = new_request();
    request.version = 2;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_aggregate(engine, &request, out, &len, &err));
    request = new_request();
    cuzk_bytes shorter = { seal_proof, sizeof seal_proof - 1 };
    request.proofs = &shorter;
    FAILS(CUZK_ERR_PROOF_MALFORMED, cuzk_aggregate(engine, &request, out, &len, &err));
    request = new_request();
    cuzk_aggregate_sector other = sector;
    other.sector_number++;
    request.sectors = &other;
    len = sizeof out;
    FAILS(CUZK_ERR_PROOF_INVALID, cuzk_aggregate(engine, &request, out, &len, &err));
    CHECK(len == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    read_sector(argv[1]);
    engine = open_engine(argv[2]);
    cuzk_params_options options = CUZK_PARAMS_OPTIONS_INIT;
    options.kind = CUZK_KIND_AGGREGATE;
    options.dir = argv[2];
    options.seed_label = "golden";
    FAILS(CUZK_ERR_ARGUMENT, cuzk_params_make(engine, &options, NULL, NULL, &err));
    options.length = 4;
    WORKS(cuzk_params_make(engine, &options, NULL, NULL, &err));

    size_t want_len, len = 9;
    uint8_t *want = read_file(argv[1], "snarkpack/cases/2k-v1_1-n1-V2.bin", &want_len);
    uint8_t out[AGGREGATE_BYTES];
    cuzk_aggregate_request request = new_request();
    FAILS(CUZK_ERR_BUFFER_SHORT, cuzk_aggregate(engine, &request, out, &len, &err));
    CHECK(len == AGGREGATE_BYTES && want_len == len);
    WORKS(cuzk_aggregate(engine, &request, out, &len, &err));
    CHECK(len == want_len && memcmp(out, want, len) == 0);
    cuzk_job *job;
    request.commitments_only = 1;
    WORKS(cuzk_submit_aggregate(engine, &request, &job, &err));
    WORKS(cuzk_job_wait(job, -1, NULL, NULL, &err));
    memset(out, 0, sizeof out);
    WORKS(cuzk_job_result(job, out, &len, &err));
    CHECK(len == want_len && memcmp(out, want, len) == 0);
    cuzk_job_free(job);

    cuzk_aggregate_info info = CUZK_AGGREGATE_INFO_INIT;
    info.registered_proof = STACKED_DRG_2KIB_V1_1;
    info.version = CUZK_SNARK_PACK_V2;
    memcpy(info.prover_id, prover_id, 32);
    info.sectors = &sector;
    info.sector_count = 1;
    int32_t valid = 0;
    WORKS(cuzk_verify_aggregate(engine, &info, want, want_len, &valid, &err));
    CHECK(valid == 1);
    info.version = CUZK_SNARK_PACK_V1;
    WORKS(cuzk_verify_aggregate(engine, &info, want, want_len, &valid, &err));
    CHECK(valid == 0);
    info.version = CUZK_SNARK_PACK_V2;
    together(&info, want, want_len);
    wrong_requests();
    uint64_t freed = 0;
    WORKS(cuzk_submit_load(engine, CUZK_KIND_AGGREGATE, 2, &job, &err));
    WORKS(cuzk_job_wait(job, -1, NULL, NULL, &err));
    cuzk_job_free(job);
    WORKS(cuzk_params_evict(engine, CUZK_KIND_AGGREGATE, 0, &freed, &err));
    CHECK(freed > 0);
    cuzk_free(engine);
    free(want);
    return 0;
}
