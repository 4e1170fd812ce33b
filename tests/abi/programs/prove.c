/* A golden commit-phase-1 output becomes a proof that verifies; whatever is
 * wrong with input or proof is told, and no byte leaves. */
#include "check.h"

static int all_zero(const uint8_t *p, size_t n)
{
    while (n > 0 && p[n - 1] == 0)
        n--;
    return n == 0;
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    size_t c1_len, json_len, len;
    uint8_t *c1 = read_c1(argv[1], &c1_len);
    char *json = (char *)read_file(argv[1], "sectors/2k-v1_1/sector-0.json", &json_len);
    cuzk_porep_info info = CUZK_POREP_INFO_INIT;
    info.registered_proof = 5; /* StackedDrg2KiBV1_1 */
    info.sector_number = SECTOR_NUMBER;
    memcpy(info.prover_id, PROVER_ID, sizeof PROVER_ID);
    unhex(hex_of(json, "comm_r"), info.comm_r, 32);
    unhex(hex_of(json, "comm_d"), info.comm_d, 32);
    unhex(hex_of(json, "ticket"), info.ticket, 32);
    unhex(hex_of(json, "seed"), info.seed, 32);
    cuzk_engine *engine = open_engine(argv[2]);

    uint8_t proof[2 * PROOF_BYTES] = { 0 };
    len = sizeof proof;
    FAILS(CUZK_ERR_INPUT_MISMATCH,
          cuzk_prove_porep(engine, c1, c1_len, SECTOR_NUMBER + 1, PROVER_ID, proof, &len, &err));
    len = sizeof proof;
    uint8_t other[32] = { 1 };
    FAILS(CUZK_ERR_INPUT_MISMATCH, cuzk_prove_porep(engine, c1, c1_len, SECTOR_NUMBER, other, proof, &len, &err));
    CHECK(len == 0 && all_zero(proof, sizeof proof));

    len = sizeof proof;
    WORKS(cuzk_prove_porep(engine, c1, c1_len, SECTOR_NUMBER, PROVER_ID, proof, &len, &err));
    CHECK(len == PROOF_BYTES);
    CHECK(!all_zero(proof, PROOF_BYTES) && all_zero(proof + PROOF_BYTES, PROOF_BYTES));

    int32_t valid = 0;
    WORKS(cuzk_verify_porep(engine, &info, proof, len, &valid, &err));
    CHECK(valid == 1);
    info.sector_number++;
    WORKS(cuzk_verify_porep(engine, &info, proof, len, &valid, &err));
    CHECK(valid == 0);
    info.sector_number--;
    FAILS(CUZK_ERR_PROOF_MALFORMED, cuzk_verify_porep(engine, &info, proof, len - 1, &valid, &err));
    proof[5] ^= 1;
    CHECK(cuzk_verify_porep(engine, &info, proof, len, &valid, NULL) != CUZK_OK || valid == 0);
    CHECK(valid == 0);
    cuzk_free(engine);
    free(c1);
    free(json);
    return 0;
}
