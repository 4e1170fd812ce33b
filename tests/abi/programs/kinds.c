/* WinningPoSt, WindowPoSt whole and by partition, and a sector update, from
 * golden vanilla proofs; and what is wrong with requests is told. */
#include "check.h"

enum { WINNING = 0, WINDOW_V1_1 = 10, UPDATE = 0 }; /* the 2 KiB proofs */

static const char *golden;
static cuzk_engine *engine;

static char *read_json(const char *name)
{
    size_t len;
    return (char *)read_file(golden, name, &len);
}

static cuzk_bytes read_bytes(const char *name)
{
    cuzk_bytes b;
    b.data = read_file(golden, name, &b.len);
    return b;
}

/* Sectors stand in the order "comm_r", "sector_number". */
static void read_sectors(const char *json, cuzk_post_sector *sectors, size_t n)
{
    const char *at = strstr(json, "\"sectors\"");
    for (size_t i = 0; i < n; i++) {
        at = hex_of(at, "comm_r");
        unhex(at, sectors[i].comm_r, 32);
        at = strstr(at, "\"sector_number\":");
        CHECK(at != NULL);
        sectors[i].sector_number = strtoull(at + 16, NULL, 10);
    }
}

static int32_t holds(const cuzk_post_info *info, const uint8_t *proof, size_t len)
{
    int32_t valid = -1;
    WORKS(cuzk_verify_post(engine, info, proof, len, &valid, &err));
    CHECK(valid == 0 || valid == 1);
    return valid;
}

static void winning(void)
{
    char *json = read_json("sectors/2k-v1_1/winning_post.json");
    cuzk_bytes vanilla;
    cuzk_post_sector sector;
    read_sectors(json, &sector, 1);
    cuzk_post_request request = winning_request(golden, &vanilla);
    request.randomness[31] |= 0xc0; /* no field element */
    size_t none = PROOF_BYTES;
    uint8_t unmade[PROOF_BYTES];
    FAILS(CUZK_ERR_INPUT_VALUE, cuzk_prove_post(engine, &request, unmade, &none, &err));
    request.randomness[31] &= 0x3f;
    uint8_t proof[PROOF_BYTES];
    size_t len = 5;
    FAILS(CUZK_ERR_BUFFER_SHORT, cuzk_prove_post(engine, &request, proof, &len, &err));
    CHECK(len == PROOF_BYTES);
    WORKS(cuzk_prove_post(engine, &request, proof, &len, &err));

    cuzk_post_info info = CUZK_POST_INFO_INIT;
    info.registered_proof = WINNING;
    memcpy(info.randomness, request.randomness, 32);
    memcpy(info.prover_id, PROVER_ID, 32);
    info.sectors = &sector;
    info.sector_count = 1;
    CHECK(holds(&info, proof, len) == 1);
    sector.sector_number++;
    CHECK(holds(&info, proof, len) == 0);

    /* Requests that cannot be right. */
    len = sizeof proof;
    cuzk_bytes two[2] = { vanilla, vanilla };
    request.vanilla_proofs = two;
    request.vanilla_count = 2;
    FAILS(CUZK_ERR_INPUT_VALUE, cuzk_prove_post(engine, &request, proof, &len, &err));
    request.vanilla_count = 0;
    FAILS(CUZK_ERR_INPUT_VALUE, cuzk_prove_post(engine, &request, proof, &len, &err));
    request.vanilla_proofs = NULL;
    request.vanilla_count = 1;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_prove_post(engine, &request, proof, &len, &err));
    request.vanilla_count = SIZE_MAX;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_prove_post(engine, &request, proof, &len, &err));
    two[0].data = NULL;
    request.vanilla_proofs = two;
    request.vanilla_count = 1;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_prove_post(engine, &request, proof, &len, &err));
    two[0].data = (uint8_t *)1;
    two[0].len = 0;
    FAILS(CUZK_ERR_INPUT_SYNTAX, cuzk_prove_post(engine, &request, proof, &len, &err));
    two[0] = vanilla;
    two[0].len--;
    FAILS(CUZK_ERR_INPUT_SYNTAX, cuzk_prove_post(engine, &request, proof, &len, &err));
    request.registered_proof = 15;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_prove_post(engine, &request, proof, &len, &err));
    CHECK(len == 0);
    info.sectors = NULL;
    int32_t valid;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_verify_post(engine, &info, proof, sizeof proof, &valid, &err));
    free(json);
    free((void *)vanilla.data);
}

static void window(void)
{
    char *json = read_json("sectors/2k-window3/window_post.json");
    cuzk_bytes vanilla[3] = { read_bytes("sectors/2k-window3/window_post-0.vanilla"),
                              read_bytes("sectors/2k-window3/window_post-1.vanilla"),
                              read_bytes("sectors/2k-window3/window_post-2.vanilla") };
    cuzk_post_sector sectors[3];
    read_sectors(json, sectors, 3);
    cuzk_post_request request = CUZK_POST_REQUEST_INIT;
    request.registered_proof = WINDOW_V1_1;
    unhex(hex_of(json, "randomness"), request.randomness, 32);
    unhex(hex_of(json, "prover_id"), request.prover_id, 32);

    /* By partition, the first as a job, then merged. */
    uint8_t parts[2][PROOF_BYTES], proof[2 * PROOF_BYTES];
    size_t len = PROOF_BYTES;
    request.single = 1;
    request.vanilla_proofs = vanilla;
    request.vanilla_count = 2;
    cuzk_job *job = NULL;
    WORKS(cuzk_submit_post(engine, &request, &job, &err));
    WORKS(cuzk_job_wait(job, -1, NULL, NULL, &err));
    WORKS(cuzk_job_result(job, parts[0], &len, &err));
    cuzk_job_free(job);
    request.partition = 1;
    request.vanilla_proofs = vanilla + 2;
    request.vanilla_count = 1;
    WORKS(cuzk_prove_post(engine, &request, parts[1], &len, &err));
    cuzk_bytes pieces[2] = { { parts[0], PROOF_BYTES }, { parts[1], PROOF_BYTES } };
    len = sizeof proof;
    WORKS(cuzk_post_merge(WINDOW_V1_1, pieces, 2, proof, &len, &err));
    CHECK(len == sizeof proof);

    cuzk_post_info info = CUZK_POST_INFO_INIT;
    info.registered_proof = WINDOW_V1_1;
    memcpy(info.randomness, request.randomness, 32);
    memcpy(info.prover_id, request.prover_id, 32);
    info.sectors = sectors;
    info.sector_count = 3;
    CHECK(holds(&info, proof, len) == 1);
    memcpy(proof, parts[1], PROOF_BYTES);
    memcpy(proof + PROOF_BYTES, parts[0], PROOF_BYTES);
    CHECK(holds(&info, proof, len) == 0);

    /* Merging what is no proof. */
    pieces[1].len--;
    FAILS(CUZK_ERR_PROOF_MALFORMED, cuzk_post_merge(WINDOW_V1_1, pieces, 2, proof, &len, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_merge(WINNING, pieces, 1, proof, &len, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_merge(WINDOW_V1_1, NULL, 1, proof, &len, &err));
    for (size_t i = 0; i < 3; i++)
        free((void *)vanilla[i].data);
    free(json);
}

static void update(void)
{
    char *json = read_json("sectors/2k-v1_1/update.json");
    cuzk_bytes vanilla = read_bytes("sectors/2k-v1_1/update-0.vanilla");
    cuzk_update_request request = CUZK_UPDATE_REQUEST_INIT;
    request.registered_proof = UPDATE;
    unhex(hex_of(json, "comm_r_old"), request.comm_r_old, 32);
    unhex(hex_of(json, "comm_r_new"), request.comm_r_new, 32);
    unhex(hex_of(json, "comm_d_new"), request.comm_d_new, 32);
    request.vanilla_proofs = &vanilla;
    request.vanilla_count = 1;

    uint8_t proof[PROOF_BYTES];
    size_t len = sizeof proof;
    cuzk_update_request swapped = request;
    memcpy(swapped.comm_r_old, request.comm_r_new, 32);
    memcpy(swapped.comm_r_new, request.comm_r_old, 32);
    FAILS(CUZK_ERR_INPUT_MISMATCH, cuzk_prove_update(engine, &swapped, proof, &len, &err));
    request.vanilla_count = 0;
    FAILS(CUZK_ERR_INPUT_VALUE, cuzk_prove_update(engine, &request, proof, &len, &err));
    request.vanilla_count = 1;
    len = sizeof proof;
    WORKS(cuzk_prove_update(engine, &request, proof, &len, &err));

    cuzk_update_info info = CUZK_UPDATE_INFO_INIT;
    info.registered_proof = UPDATE;
    memcpy(info.comm_r_old, request.comm_r_old, 32);
    memcpy(info.comm_r_new, request.comm_r_new, 32);
    memcpy(info.comm_d_new, request.comm_d_new, 32);
    int32_t valid = 0;
    WORKS(cuzk_verify_update(engine, &info, proof, len, &valid, &err));
    CHECK(valid == 1);
    valid = 0;
    WORKS(cuzk_verify_update_vanilla(engine, &info, &vanilla, 1, &valid, &err));
    CHECK(valid == 1);
    FAILS(CUZK_ERR_INPUT_VALUE, cuzk_verify_update_vanilla(engine, &info, &vanilla, 0, &valid, &err));
    CHECK(valid == 0);
    info.comm_d_new[0] ^= 1;
    WORKS(cuzk_verify_update(engine, &info, proof, len, &valid, &err));
    CHECK(valid == 0);
    WORKS(cuzk_verify_update_vanilla(engine, &info, &vanilla, 1, &valid, &err));
    CHECK(valid == 0);
    free((void *)vanilla.data);
    free(json);
}

/* What is missing is named, and outputs are cleared. */
static void missing(void)
{
    cuzk_post_request post = CUZK_POST_REQUEST_INIT;
    cuzk_post_info post_info = CUZK_POST_INFO_INIT;
    cuzk_update_request update = CUZK_UPDATE_REQUEST_INIT;
    cuzk_update_info update_info = CUZK_UPDATE_INFO_INIT;
    uint8_t proof[PROOF_BYTES] = { 0 };
    size_t len = sizeof proof;
    int32_t valid = 1;
    cuzk_job *job = (cuzk_job *)1;
    FAILS(CUZK_ERR_ARGUMENT, cuzk_prove_post(engine, NULL, proof, &len, &err));
    CHECK(len == 0);
    FAILS(CUZK_ERR_ARGUMENT, cuzk_prove_post(engine, &post, proof, NULL, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_post(engine, NULL, &job, &err));
    CHECK(job == NULL);
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_post(engine, &post, NULL, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_verify_post(engine, NULL, proof, sizeof proof, &valid, &err));
    CHECK(valid == 0);
    FAILS(CUZK_ERR_ARGUMENT, cuzk_verify_post(engine, &post_info, NULL, sizeof proof, &valid, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_verify_post(engine, &post_info, proof, SIZE_MAX, &valid, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_verify_post(engine, &post_info, proof, sizeof proof, NULL, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_prove_update(engine, NULL, proof, &len, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_prove_update(engine, &update, proof, NULL, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_submit_update(engine, NULL, &job, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_verify_update(engine, NULL, proof, sizeof proof, &valid, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_verify_update(engine, &update_info, proof, sizeof proof, NULL, &err));
    cuzk_bytes part = { proof, sizeof proof };
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_merge(WINDOW_V1_1, &part, 1, proof, NULL, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_merge(WINDOW_V1_1, &part, SIZE_MAX, proof, &len, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_merge(99, &part, 1, proof, &len, &err));
    CHECK(len == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    golden = argv[1];
    engine = open_engine(argv[2]);
    missing();
    winning();
    window();
    update();
    cuzk_free(engine);
    return 0;
}
