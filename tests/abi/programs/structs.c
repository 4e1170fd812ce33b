/* Structs may be shorter or longer than the library's, but not garbage. */
#include "check.h"

typedef struct longer {
    cuzk_options known;
    uint64_t unknown[4];
} longer;

int main(void)
{
    cuzk_engine *engine;
    static const uint32_t garbage[] = { 0, 1, 4, 7, 12, sizeof(cuzk_options) + 1, 4104, 0xffffffff };
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        cuzk_options options = CUZK_OPTIONS_INIT;
        options.struct_size = garbage[i];
        FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_init(&options, &engine, &err));
        CHECK(engine == NULL);
    }

    /* An older caller's struct: what it has not is the default. */
    cuzk_options options = CUZK_OPTIONS_INIT;
    memset((char *)&options + 8, 0xff, sizeof options - 8);
    options.struct_size = 8;
    WORKS(cuzk_init(&options, &engine, &err));
    cuzk_free(engine);

    /* A newer caller's struct: unknown fields must be 0. */
    longer newer;
    memset(&newer, 0, sizeof newer);
    newer.known.struct_size = sizeof newer;
    WORKS(cuzk_init(&newer.known, &engine, &err));
    cuzk_free(engine);
    for (size_t i = 0; i < sizeof newer.unknown; i++) {
        memset(newer.unknown, 0, sizeof newer.unknown);
        ((unsigned char *)newer.unknown)[i] = 1;
        FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_init(&newer.known, &engine, &err));
    }

    /* The other structs follow the same rule. */
    WORKS(cuzk_init(NULL, &engine, &err));
    cuzk_porep_info info = CUZK_POREP_INFO_INIT;
    cuzk_params_options params = CUZK_PARAMS_OPTIONS_INIT;
    uint8_t proof[PROOF_BYTES] = { 0 };
    int32_t valid;
    size_t len = sizeof proof;
    cuzk_job *job;
    cuzk_porep_request porep = CUZK_POREP_REQUEST_INIT;
    cuzk_post_request post = CUZK_POST_REQUEST_INIT;
    cuzk_post_info post_info = CUZK_POST_INFO_INIT;
    cuzk_update_request update = CUZK_UPDATE_REQUEST_INIT;
    cuzk_update_info update_info = CUZK_UPDATE_INFO_INIT;
    cuzk_aggregate_request aggregate = CUZK_AGGREGATE_REQUEST_INIT;
    cuzk_aggregate_info aggregate_info = CUZK_AGGREGATE_INFO_INIT;
    aggregate.struct_size = aggregate_info.struct_size = 3;
    porep.struct_size = post.struct_size = post_info.struct_size = 3;
    update.struct_size = update_info.struct_size = 3;
    info.reserved = 1; /* a field of a later version, which this one would overlook */
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_verify_porep(engine, &info, proof, sizeof proof, &valid, &err));
    info.reserved = 0;
    info.struct_size = params.struct_size = 3;
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_verify_porep(engine, &info, proof, sizeof proof, &valid, &err));
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_params_make(engine, &params, NULL, NULL, &err));
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_submit_porep(engine, &porep, &job, &err));
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_prove_post(engine, &post, proof, &len, &err));
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_submit_post(engine, &post, &job, &err));
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_verify_post(engine, &post_info, proof, sizeof proof, &valid, &err));
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_prove_update(engine, &update, proof, &len, &err));
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_submit_update(engine, &update, &job, &err));
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_verify_update(engine, &update_info, proof, sizeof proof, &valid, &err));
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_verify_aggregate(engine, &aggregate_info, proof, sizeof proof, &valid, &err));
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_aggregate(engine, &aggregate, proof, &len, &err));
    cuzk_fixture_options fixture = CUZK_FIXTURE_OPTIONS_INIT;
    cuzk_measure_request measure = CUZK_MEASURE_REQUEST_INIT;
    fixture.struct_size = measure.struct_size = 3;
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_submit_fixture(engine, &fixture, &job, &err));
    FAILS(CUZK_ERR_STRUCT_SIZE, cuzk_submit_measure(engine, &measure, &job, &err));
    CHECK(job == NULL && len == 0 && valid == 0);

    /* Of a request that ends before its pointers, nothing behind is read. */
    post.struct_size = 8;
    post.vanilla_proofs = (const cuzk_bytes *)16;
    post.vanilla_count = 5;
    FAILS(CUZK_ERR_INPUT_VALUE, cuzk_prove_post(engine, &post, proof, &len, &err));
    update.struct_size = 8;
    update.vanilla_proofs = (const cuzk_bytes *)16;
    update.vanilla_count = 5;
    FAILS(CUZK_ERR_INPUT_VALUE, cuzk_prove_update(engine, &update, proof, &len, &err));
    cuzk_free(engine);
    return 0;
}
