/* A seal proof from a commit-phase-1 output, verified. */
#include "drop.h"

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    size_t len;
    char *text = (char *)read_file(argv[1], "sectors/2k-v1_1/sector-0.json", &len);
    uint8_32_array_t comm_r = id_of(text, "comm_r", 0), comm_d = id_of(text, "comm_d", 0),
                     prover = id_of(text, "prover_id", 0), ticket = id_of(text, "ticket", 0),
                     seed = id_of(text, "seed", 0);
    free(text);
    uint8_t *c1 = read_file(argv[1], "sectors/2k-v1_1/c1-0.json", &len);
    Result_slice_boxed_uint8_t *r = seal_commit_phase2((slice_ref_uint8_t){ c1, len }, 101, &prover);
    CHECK(OK(r) && r->value.len == 192);
    Result_bool_t *v = verify_seal(5, &comm_r, &comm_d, &prover, &ticket, &seed, 101,
                                   (slice_ref_uint8_t){ r->value.ptr, r->value.len });
    CHECK(OK(v) && v->value);
    destroy_verify_seal_response(v);
    destroy_seal_commit_phase2_response(r);
    free(c1);
    return 0;
}
