/* drop.h - what the programs of this folder share. Each stands for a host that
 * was compiled against filecoin-ffi's header; it is run as PROGRAM GOLDEN_DIR
 * with parameters in FIL_PROOFS_PARAMETER_CACHE, and exits 0 if all went well. */
#ifndef DROP_H
#define DROP_H

#include "../../abi/programs/files.h"
#include "layouts.h"
#include "asserts.h"

/* Whether a result is a success; prints its message if not. */
#define OK(r) ((r) != NULL && ok((r)->status_code, (r)->error_msg))

static inline bool ok(FCPResponseStatus_t status, slice_boxed_uint8_t message)
{
    if (status != 0)
        fprintf(stderr, "%.*s\n", (int)message.len, (char *)message.ptr);
    return status == 0 && message.len == 0 && message.ptr != NULL;
}

/* Whether a result is a failure whose message begins with code. */
#define FAILED(r, code) ((r) != NULL && failed((r)->status_code, (r)->error_msg, code))

static inline bool failed(FCPResponseStatus_t status, slice_boxed_uint8_t message, const char *code)
{
    if (status == 1 && message.len > strlen(code) && memcmp(message.ptr, code, strlen(code)) == 0 &&
        message.ptr[strlen(code)] == ':')
        return true;
    fprintf(stderr, "status %d, want %s: %.*s\n", status, code, (int)message.len, (char *)message.ptr);
    return false;
}

/* Reads the n-th "name": "HEX" of 32 bytes in a golden JSON text. */
static inline uint8_32_array_t id_of(const char *text, const char *name, int n)
{
    uint8_32_array_t id;
    const char *at = hex_of(text, name);
    for (; n > 0; n--)
        at = hex_of(at, name);
    unhex(at, id.idx, sizeof id.idx);
    return id;
}

/* Reads a file into memory of the library, as hosts do with vanilla proofs. */
static inline slice_boxed_uint8_t boxed_file(const char *dir, const char *name)
{
    size_t len;
    uint8_t *data = read_file(dir, name, &len);
    slice_boxed_uint8_t s = alloc_boxed_slice(len);
    CHECK(s.len == len && s.ptr != NULL);
    memcpy(s.ptr, data, len);
    free(data);
    return s;
}

#define MAX_SECTORS 3

/* A golden PoSt. */
typedef struct post_case {
    RegisteredPoStProof_t proof;
    uint8_32_array_t randomness, prover_id;
    size_t sectors;
    slice_boxed_uint8_t vanilla[MAX_SECTORS];
    PublicReplicaInfo_t replicas[MAX_SECTORS];
    uint64_t numbers[MAX_SECTORS];
} post_case;

static inline post_case read_post(const char *golden, const char *sector, const char *kind, RegisteredPoStProof_t proof,
                                  size_t sectors, uint64_t first)
{
    char name[256];
    size_t len;
    post_case c = { .proof = proof, .sectors = sectors };
    snprintf(name, sizeof name, "sectors/%s/%s.json", sector, kind);
    char *text = (char *)read_file(golden, name, &len);
    c.randomness = id_of(text, "randomness", 0);
    c.prover_id = id_of(text, "prover_id", 0);
    for (size_t i = 0; i < sectors; i++) {
        snprintf(name, sizeof name, "sectors/%s/%s-%zu.vanilla", sector, kind, i);
        c.vanilla[i] = boxed_file(golden, name);
        c.replicas[i] = (PublicReplicaInfo_t){ proof, id_of(text, "comm_r", (int)i), first + i };
        c.numbers[i] = first + i;
    }
    free(text);
    return c;
}

static inline void free_post(post_case *c)
{
    for (size_t i = 0; i < c->sectors; i++)
        destroy_boxed_slice(c->vanilla[i]);
}

#endif
