/* check.h - what the programs of this folder share. Each is one promise of
 * cuzk.h; it is run as PROGRAM GOLDEN_DIR PARAMS_DIR and exits 0 if it holds. */
#ifndef CHECK_H
#define CHECK_H

#include "files.h"

#include "cuzk.h"

/* Runs a call that must fail with code; it takes &err as its last argument. */
#define FAILS(want, call)                                                                                      \
    do {                                                                                                       \
        cuzk_error *err = (cuzk_error *)1;                                                                     \
        cuzk_status got = (call);                                                                              \
        if (got != (want)) {                                                                                   \
            fprintf(stderr, "%s:%d: status %s, want %s: %s (%s)\n", __FILE__, __LINE__, cuzk_status_name(got), \
                    cuzk_status_name(want), #call, cuzk_error_message(err));                                   \
            exit(1);                                                                                           \
        }                                                                                                      \
        CHECK(err != NULL);                                                                                    \
        CHECK(cuzk_error_code(err) == (want));                                                                 \
        CHECK(cuzk_error_message(err)[0] != '\0');                                                             \
        cuzk_error_free(err);                                                                                  \
    } while (0)

/* Runs a call that must succeed; it takes &err as its last argument. */
#define WORKS(call)                                                                                       \
    do {                                                                                                  \
        cuzk_error *err = (cuzk_error *)1;                                                                \
        cuzk_status got = (call);                                                                         \
        if (got != CUZK_OK) {                                                                             \
            fprintf(stderr, "%s:%d: %s: %s: %s (%s)\n", __FILE__, __LINE__, #call, cuzk_status_name(got), \
                    cuzk_error_message(err), cuzk_error_detail(err));                                     \
            exit(1);                                                                                      \
        }                                                                                                 \
        CHECK(err == NULL);                                                                               \
    } while (0)

/* The golden sector that the programs use: sectors/2k-v1_1, sector 0. */
#define SECTOR_NUMBER 101
static const uint8_t PROVER_ID[32] = { 0xe9, 0x07 };
#define PROOF_BYTES 192

static inline uint8_t *read_c1(const char *golden, size_t *len)
{
    return read_file(golden, "sectors/2k-v1_1/c1-0.json", len);
}

/* A request for a proof of the golden sector or of any other C1. */
static inline cuzk_porep_request porep_request(const uint8_t *c1, size_t c1_len)
{
    cuzk_porep_request request = CUZK_POREP_REQUEST_INIT;
    request.c1_json = c1;
    request.c1_len = c1_len;
    request.sector_number = SECTOR_NUMBER;
    memcpy(request.prover_id, PROVER_ID, sizeof PROVER_ID);
    return request;
}

/* A request for the golden WinningPoSt, the proof that is made soonest; vanilla is
 * the caller's to free. */
static inline cuzk_post_request winning_request(const char *golden, cuzk_bytes *vanilla)
{
    cuzk_post_request request = CUZK_POST_REQUEST_INIT;
    size_t len;
    char *json = (char *)read_file(golden, "sectors/2k-v1_1/winning_post.json", &len);
    unhex(hex_of(json, "randomness"), request.randomness, 32);
    free(json);
    memcpy(request.prover_id, PROVER_ID, sizeof PROVER_ID);
    vanilla->data = read_file(golden, "sectors/2k-v1_1/winning_post-0.vanilla", &vanilla->len);
    request.registered_proof = 0; /* StackedDrgWinning2KiBV1 */
    request.vanilla_proofs = vanilla;
    request.vanilla_count = 1;
    return request;
}

/* Opens an engine on a parameter folder. */
static inline cuzk_engine *open_engine(const char *params_dir)
{
    cuzk_options options = CUZK_OPTIONS_INIT;
    options.params_dir = params_dir;
    cuzk_engine *engine = NULL;
    WORKS(cuzk_init(&options, &engine, &err));
    CHECK(engine != NULL);
    return engine;
}

#endif
