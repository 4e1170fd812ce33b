/* A golden seal proof becomes the golden aggregate, which verifies. */
#include "drop.h"

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    size_t len;
    char *text = (char *)read_file(argv[1], "snarkpack/sectors/2k-v1_1-0.json", &len);
    uint8_32_array_t prover = id_of(text, "prover_id", 0);
    AggregationInputs_t input = { id_of(text, "comm_r", 0), id_of(text, "comm_d", 0), 101, id_of(text, "ticket", 0),
                                  id_of(text, "seed", 0) };
    uint8_t bytes[192];
    unhex(hex_of(text, "proof"), bytes, sizeof bytes);
    free(text);
    slice_boxed_uint8_t proof = { bytes, sizeof bytes };
    slice_ref_uint8_32_array_t comm_rs = { &input.comm_r, 1 }, seeds = { &input.seed, 1 };
    slice_ref_slice_boxed_uint8_t proofs = { &proof, 1 };

    uint8_t *want = read_file(argv[1], "snarkpack/cases/2k-v1_1-n1-V2.bin", &len);
    Result_slice_boxed_uint8_t *r = aggregate_seal_proofs(5, 1, comm_rs, seeds, proofs);
    CHECK(OK(r) && r->value.len == len && memcmp(r->value.ptr, want, len) == 0);
    slice_ref_uint8_t aggregate = { r->value.ptr, r->value.len };
    slice_ref_AggregationInputs_t inputs = { &input, 1 };
    Result_bool_t *v = verify_aggregate_seal_proof(5, 1, &prover, aggregate, inputs);
    CHECK(OK(v) && v->value);
    destroy_verify_aggregate_seal_response(v);
    v = verify_aggregate_seal_proof(5, 0, &prover, aggregate, inputs);
    CHECK(OK(v) && !v->value);
    destroy_verify_aggregate_seal_response(v);
    inputs.len = 0;
    v = verify_aggregate_seal_proof(5, 1, &prover, aggregate, inputs);
    CHECK(v->status_code != 0 && !v->value);
    destroy_verify_aggregate_seal_response(v);
    destroy_aggregate_proof(r);

    seeds.len = 0;
    r = aggregate_seal_proofs(5, 1, comm_rs, seeds, proofs);
    CHECK(r->status_code != 0 && r->value.len == 0);
    destroy_aggregate_proof(r);
    proofs.len = 0;
    seeds.len = 1;
    r = aggregate_seal_proofs(5, 1, comm_rs, seeds, proofs);
    CHECK(r->status_code != 0);
    destroy_aggregate_proof(r);
    free(want);
    return 0;
}
