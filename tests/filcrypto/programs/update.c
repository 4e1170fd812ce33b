/* The proof of a sector update, verified. */
#include "drop.h"

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    size_t len;
    char *text = (char *)read_file(argv[1], "sectors/2k-v1_1/update.json", &len);
    uint8_32_array_t old = id_of(text, "comm_r_old", 0), new = id_of(text, "comm_r_new", 0),
                     d = id_of(text, "comm_d_new", 0);
    free(text);
    slice_boxed_uint8_t vanilla = boxed_file(argv[1], "sectors/2k-v1_1/update-0.vanilla");
    Result_slice_boxed_uint8_t *r = generate_empty_sector_update_proof_with_vanilla(
        0, (slice_ref_slice_boxed_uint8_t){ &vanilla, 1 }, &old, &new, &d);
    CHECK(OK(r) && r->value.len == 192);
    Result_bool_t *v =
        verify_empty_sector_update_proof(0, (slice_ref_uint8_t){ r->value.ptr, r->value.len }, &old, &new, &d);
    CHECK(OK(v) && v->value);
    destroy_empty_sector_update_verify_proof_response(v);
    destroy_empty_sector_update_generate_proof_response(r);
    destroy_boxed_slice(vanilla);
    return 0;
}
