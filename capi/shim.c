/*
 * The public functions. Each clears its outputs, refuses forked children and
 * missing arguments, reads structs, and calls the Go export that does the
 * work; what came out of it becomes an error object here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"
#include "shim.h"

/* Leaves the calling function with a failure if a condition holds. */
#define REFUSE_FORKED(err)                 \
    do {                                   \
        if (cuzki_forked())                \
            return cuzki_fail_forked(err); \
    } while (0)
#define REFUSE_NULL(arg, err)                                                     \
    do {                                                                          \
        if ((arg) == NULL)                                                        \
            return cuzki_failf(err, CUZK_ERR_ARGUMENT, #arg, "%s is NULL", #arg); \
    } while (0)
#define REFUSE_LEN(len, err)                                                          \
    do {                                                                              \
        if ((len) > PTRDIFF_MAX)                                                      \
            return cuzki_failf(err, CUZK_ERR_ARGUMENT, #len, "%s is %zu", #len, len); \
    } while (0)

/* Sets an output to nothing, if there is one. */
#define CLEAR(out)         \
    do {                   \
        if ((out) != NULL) \
            *(out) = 0;    \
    } while (0)

#define ID(handle) ((uint64_t)(uintptr_t)(handle))

/* An address for Go: NULL if nothing is there, because an empty array of the
 * caller may have any address, and Go must not see one that is none. */
#define ADDRESS(pointer, len) ((len) != 0 ? (void *)(pointer) : NULL)

/* Turns what a Go export returned into the caller's result. */
static cuzk_status leave(cuzk_error **err, cuzk_status code, cuzki_failure *failure)
{
    return code == CUZK_OK ? CUZK_OK : cuzki_fail(err, code, failure);
}

int32_t cuzk_abi_version(void)
{
    return CUZK_ABI_VERSION;
}

#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *cuzk_version(void)
{
    return VERSION(CUZK_VERSION_MAJOR, CUZK_VERSION_MINOR, CUZK_VERSION_PATCH);
}

cuzk_status cuzk_init(const cuzk_options *options, cuzk_engine **out, cuzk_error **err)
{
    CLEAR(err);
    CLEAR(out);
    REFUSE_FORKED(err);
    REFUSE_NULL(out, err);
    cuzk_options ours = CUZK_OPTIONS_INIT;
    if (options != NULL) {
        cuzk_status code = cuzki_read_struct(&ours, sizeof ours, options, "cuzk_options", err);
        if (code != CUZK_OK)
            return code;
    }
    cuzk_status code = cuzki_preflight(1, err);
    if (code != CUZK_OK)
        return code;
    cuzki_failure failure = { 0 };
    uint64_t id = 0;
    char device_library[4096];
    const char *installed = cuzki_in_library_dir("libcuzk_cuda.so", device_library, sizeof device_library);
    sigset_t signals; /* threads that CUDA starts inherit the mask */
    cuzki_block_signals(&signals);
    /* getenv here: Go's own copy of the environment is from when it was loaded. */
    code = cuzkgo_init(&ours, getenv("FIL_PROOFS_PARAMETER_CACHE"), (char *)installed, &id, &failure);
    cuzki_restore_signals(&signals);
    *out = (cuzk_engine *)(uintptr_t)id;
    return leave(err, code, &failure);
}

void cuzk_free(cuzk_engine *engine)
{
    if (engine != NULL && !cuzki_forked())
        cuzkgo_free(ID(engine));
}

cuzk_status cuzk_prove_porep(cuzk_engine *engine, const uint8_t *c1_json, size_t c1_len, uint64_t sector_number,
                             const uint8_t prover_id[32], uint8_t *proof, size_t *proof_len, cuzk_error **err)
{
    size_t capacity = proof_len != NULL && proof != NULL ? *proof_len : 0;
    CLEAR(err);
    CLEAR(proof_len);
    REFUSE_FORKED(err);
    REFUSE_NULL(engine, err);
    REFUSE_NULL(c1_json, err);
    REFUSE_LEN(c1_len, err);
    REFUSE_NULL(prover_id, err);
    REFUSE_NULL(proof_len, err);
    cuzk_status code = cuzki_preflight(0, err);
    if (code != CUZK_OK)
        return code;
    cuzki_failure failure = { 0 };
    code = cuzkgo_prove_porep(ID(engine), ADDRESS(c1_json, c1_len), c1_len, sector_number, (void *)prover_id,
                              ADDRESS(proof, capacity), capacity, proof_len, &failure);
    return leave(err, code, &failure);
}

/* Reads the options that a request points to, into *ours, and makes the request
 * point there. */
static cuzk_status read_job_options(const cuzk_job_options **job, cuzk_job_options *ours, cuzk_error **err)
{
    if (*job == NULL)
        return CUZK_OK;
    cuzk_status code = cuzki_read_struct(ours, sizeof *ours, *job, "cuzk_job_options", err);
    *job = ours;
    return code;
}

/* The functions on requests and infos differ in their struct and in the export
 * that they call; these are their bodies. */
#define PROVE(name, kind, type)                                                                                     \
    cuzk_status name(cuzk_engine *engine, const type *request, uint8_t *proof, size_t *proof_len, cuzk_error **err) \
    {                                                                                                               \
        size_t capacity = proof_len != NULL && proof != NULL ? *proof_len : 0;                                      \
        CLEAR(err);                                                                                                 \
        CLEAR(proof_len);                                                                                           \
        REFUSE_FORKED(err);                                                                                         \
        REFUSE_NULL(engine, err);                                                                                   \
        REFUSE_NULL(request, err);                                                                                  \
        REFUSE_NULL(proof_len, err);                                                                                \
        type ours;                                                                                                  \
        cuzk_status code = cuzki_read_struct(&ours, sizeof ours, request, #type, err);                              \
        cuzk_job_options job;                                                                                       \
        if (code == CUZK_OK)                                                                                        \
            code = read_job_options(&ours.job, &job, err);                                                          \
        if (code == CUZK_OK)                                                                                        \
            code = cuzki_preflight(0, err);                                                                         \
        if (code != CUZK_OK)                                                                                        \
            return code;                                                                                            \
        cuzki_failure failure = { 0 };                                                                              \
        code = cuzkgo_prove_##kind(ID(engine), &ours, ADDRESS(proof, capacity), capacity, proof_len, &failure);     \
        return leave(err, code, &failure);                                                                          \
    }

#define SUBMIT(kind, type)                                                                                     \
    cuzk_status cuzk_submit_##kind(cuzk_engine *engine, const type *request, cuzk_job **out, cuzk_error **err) \
    {                                                                                                          \
        CLEAR(err);                                                                                            \
        CLEAR(out);                                                                                            \
        REFUSE_FORKED(err);                                                                                    \
        REFUSE_NULL(engine, err);                                                                              \
        REFUSE_NULL(request, err);                                                                             \
        REFUSE_NULL(out, err);                                                                                 \
        type ours;                                                                                             \
        cuzk_status code = cuzki_read_struct(&ours, sizeof ours, request, #type, err);                         \
        cuzk_job_options job;                                                                                  \
        if (code == CUZK_OK)                                                                                   \
            code = read_job_options(&ours.job, &job, err);                                                     \
        if (code == CUZK_OK)                                                                                   \
            code = cuzki_preflight(0, err);                                                                    \
        if (code != CUZK_OK)                                                                                   \
            return code;                                                                                       \
        cuzki_failure failure = { 0 };                                                                         \
        uint64_t id = 0;                                                                                       \
        code = cuzkgo_submit_##kind(ID(engine), &ours, &id, &failure);                                         \
        *out = (cuzk_job *)(uintptr_t)id;                                                                      \
        return leave(err, code, &failure);                                                                     \
    }

#define VERIFY(kind, type)                                                                                        \
    cuzk_status cuzk_verify_##kind(cuzk_engine *engine, const type *info, const uint8_t *proof, size_t proof_len, \
                                   int32_t *valid, cuzk_error **err)                                              \
    {                                                                                                             \
        CLEAR(err);                                                                                               \
        CLEAR(valid);                                                                                             \
        REFUSE_FORKED(err);                                                                                       \
        REFUSE_NULL(engine, err);                                                                                 \
        REFUSE_NULL(info, err);                                                                                   \
        REFUSE_NULL(proof, err);                                                                                  \
        REFUSE_LEN(proof_len, err);                                                                               \
        REFUSE_NULL(valid, err);                                                                                  \
        type ours;                                                                                                \
        cuzk_status code = cuzki_read_struct(&ours, sizeof ours, info, #type, err);                               \
        if (code != CUZK_OK)                                                                                      \
            return code;                                                                                          \
        cuzki_failure failure = { 0 };                                                                            \
        code = cuzkgo_verify_##kind(ID(engine), &ours, ADDRESS(proof, proof_len), proof_len, valid, &failure);    \
        return leave(err, code, &failure);                                                                        \
    }

PROVE(cuzk_prove_post, post, cuzk_post_request)
PROVE(cuzk_prove_update, update, cuzk_update_request)
PROVE(cuzk_aggregate, aggregate, cuzk_aggregate_request)

SUBMIT(porep, cuzk_porep_request)
SUBMIT(post, cuzk_post_request)
SUBMIT(update, cuzk_update_request)
SUBMIT(aggregate, cuzk_aggregate_request)
SUBMIT(params, cuzk_params_options)
SUBMIT(fixture, cuzk_fixture_options)
SUBMIT(measure, cuzk_measure_request)

VERIFY(porep, cuzk_porep_info)
VERIFY(post, cuzk_post_info)
VERIFY(update, cuzk_update_info)
VERIFY(aggregate, cuzk_aggregate_info)

/* The most claims in one call; more is garbage. */
#define MAX_CLAIMS ((size_t)1 << 20)

cuzk_status cuzk_verify_aggregates(cuzk_engine *engine, const cuzk_aggregate_claim *claims, size_t count,
                                   cuzk_status *verdicts, cuzk_error **err)
{
    CLEAR(err);
    REFUSE_FORKED(err);
    REFUSE_NULL(engine, err);
    REFUSE_NULL(claims, err);
    REFUSE_NULL(verdicts, err);
    if (count > MAX_CLAIMS)
        return cuzki_failf(err, CUZK_ERR_ARGUMENT, "count", "count is %zu", count);
    cuzk_aggregate_info *infos = calloc(count + 1, sizeof *infos);
    if (infos == NULL)
        return cuzki_failf(err, CUZK_ERR_MEMORY, "claims", "no memory for %zu claims", count);
    cuzk_status code = CUZK_OK;
    for (size_t i = 0; i < count && code == CUZK_OK; i++) {
        char name[40];
        snprintf(name, sizeof name, "claims[%zu]", i);
        if (claims[i].info == NULL || (claims[i].aggregate == NULL && claims[i].aggregate_len != 0))
            code = cuzki_failf(err, CUZK_ERR_ARGUMENT, name, "%s: info or aggregate is NULL", name);
        else if (claims[i].aggregate_len > PTRDIFF_MAX)
            code = cuzki_failf(err, CUZK_ERR_ARGUMENT, name, "%s: aggregate_len is %zu", name, claims[i].aggregate_len);
        else
            code = cuzki_read_struct(&infos[i], sizeof *infos, claims[i].info, "cuzk_aggregate_info", err);
    }
    if (code == CUZK_OK) {
        cuzki_failure failure = { 0 };
        code =
            leave(err, cuzkgo_verify_aggregates(ID(engine), ADDRESS(claims, count), infos, count, verdicts, &failure),
                  &failure);
    }
    free(infos);
    return code;
}

cuzk_status cuzk_verify_update_vanilla(cuzk_engine *engine, const cuzk_update_info *info,
                                       const cuzk_bytes *vanilla_proofs, size_t vanilla_count, int32_t *valid,
                                       cuzk_error **err)
{
    CLEAR(err);
    CLEAR(valid);
    REFUSE_FORKED(err);
    REFUSE_NULL(engine, err);
    REFUSE_NULL(info, err);
    REFUSE_NULL(vanilla_proofs, err);
    REFUSE_NULL(valid, err);
    cuzk_update_info ours;
    cuzk_status code = cuzki_read_struct(&ours, sizeof ours, info, "cuzk_update_info", err);
    if (code != CUZK_OK)
        return code;
    cuzki_failure failure = { 0 };
    code = cuzkgo_verify_update_vanilla(ID(engine), &ours, (void *)&vanilla_proofs, vanilla_count, valid, &failure);
    return leave(err, code, &failure);
}

cuzk_status cuzk_post_merge(int32_t registered_proof, const cuzk_bytes *parts, size_t count, uint8_t *proof,
                            size_t *proof_len, cuzk_error **err)
{
    size_t capacity = proof_len != NULL && proof != NULL ? *proof_len : 0;
    CLEAR(err);
    CLEAR(proof_len);
    REFUSE_FORKED(err);
    REFUSE_NULL(parts, err);
    REFUSE_NULL(proof_len, err);
    cuzki_failure failure = { 0 };
    cuzk_status code = cuzkgo_post_merge(registered_proof, ADDRESS(parts, count), count, ADDRESS(proof, capacity),
                                         capacity, proof_len, &failure);
    return leave(err, code, &failure);
}

cuzk_status cuzk_post_winner(int32_t registered_proof, const uint8_t randomness[32], const uint8_t prover_id[32],
                             uint64_t eligible, uint64_t *index, cuzk_error **err)
{
    CLEAR(err);
    CLEAR(index);
    REFUSE_FORKED(err);
    REFUSE_NULL(randomness, err);
    REFUSE_NULL(prover_id, err);
    REFUSE_NULL(index, err);
    cuzki_failure failure = { 0 };
    return leave(err,
                 cuzkgo_post_winner(registered_proof, (void *)randomness, (void *)prover_id, eligible, index, &failure),
                 &failure);
}

cuzk_status cuzk_post_partitions(int32_t registered_proof, uint64_t sector_count, uint64_t *partitions,
                                 cuzk_error **err)
{
    CLEAR(err);
    CLEAR(partitions);
    REFUSE_FORKED(err);
    REFUSE_NULL(partitions, err);
    cuzki_failure failure = { 0 };
    return leave(err, cuzkgo_post_partitions(registered_proof, sector_count, partitions, &failure), &failure);
}

cuzk_status cuzk_post_challenges(int32_t registered_proof, const uint8_t randomness[32], const uint64_t *sectors,
                                 size_t sector_count, uint64_t *challenges, size_t *count, cuzk_error **err)
{
    size_t capacity = count != NULL && challenges != NULL ? *count : 0;
    CLEAR(err);
    CLEAR(count);
    REFUSE_FORKED(err);
    REFUSE_NULL(randomness, err);
    REFUSE_NULL(sectors, err);
    REFUSE_NULL(count, err);
    cuzki_failure failure = { 0 };
    cuzk_status code = cuzkgo_post_challenges(registered_proof, (void *)randomness, ADDRESS(sectors, sector_count),
                                              sector_count, ADDRESS(challenges, capacity), capacity, count, &failure);
    return leave(err, code, &failure);
}

cuzk_status cuzk_params_make(cuzk_engine *engine, const cuzk_params_options *options, cuzk_progress_fn fn,
                             void *payload, cuzk_error **err)
{
    cuzk_job *job;
    cuzk_status code = cuzk_submit_params(engine, options, &job, err);
    if (code != CUZK_OK)
        return code;
    code = cuzk_job_wait(job, -1, fn, payload, err);
    cuzk_job_free(job);
    return code;
}

cuzk_status cuzk_job_wait(cuzk_job *job, int64_t timeout_ms, cuzk_progress_fn fn, void *payload, cuzk_error **err)
{
    CLEAR(err);
    REFUSE_FORKED(err);
    REFUSE_NULL(job, err);
    cuzki_callback callback = { .fn = fn, .payload = payload };
    if (setjmp(callback.forked) != 0)
        return cuzki_fail_forked(err);
    cuzki_failure failure = { 0 };
    return leave(err, cuzkgo_job_wait(ID(job), timeout_ms, fn != NULL ? (uintptr_t)&callback : 0, &failure), &failure);
}

/* The calls that fill a buffer with something of a handle; what is a number
 * that the export knows. */
static cuzk_status copy_out(int32_t what, uint64_t handle, const char *name, uint8_t *out, size_t *len,
                            cuzk_error **err)
{
    size_t capacity = len != NULL && out != NULL ? *len : 0;
    CLEAR(err);
    CLEAR(len);
    REFUSE_FORKED(err);
    if (handle == 0)
        return cuzki_failf(err, CUZK_ERR_ARGUMENT, name, "%s is NULL", name);
    REFUSE_NULL(len, err);
    cuzki_failure failure = { 0 };
    return leave(err, cuzkgo_copy(what, handle, ADDRESS(out, capacity), capacity, len, &failure), &failure);
}

cuzk_status cuzk_job_result(cuzk_job *job, uint8_t *out, size_t *len, cuzk_error **err)
{
    return copy_out(CUZKI_JOB_RESULT, ID(job), "job", out, len, err);
}

cuzk_status cuzk_job_report(cuzk_job *job, uint8_t *out, size_t *len, cuzk_error **err)
{
    return copy_out(CUZKI_JOB_REPORT, ID(job), "job", out, len, err);
}

cuzk_status cuzk_engine_status(cuzk_engine *engine, uint8_t *out, size_t *len, cuzk_error **err)
{
    return copy_out(CUZKI_ENGINE_STATUS, ID(engine), "engine", out, len, err);
}

cuzk_status cuzk_engine_metrics(cuzk_engine *engine, uint8_t *out, size_t *len, cuzk_error **err)
{
    return copy_out(CUZKI_ENGINE_METRICS, ID(engine), "engine", out, len, err);
}

cuzk_status cuzk_engine_trace(cuzk_engine *engine, uint8_t *out, size_t *len, cuzk_error **err)
{
    return copy_out(CUZKI_ENGINE_TRACE, ID(engine), "engine", out, len, err);
}

cuzk_status cuzk_job_cancel(cuzk_job *job, int32_t *ended, cuzk_error **err)
{
    CLEAR(err);
    CLEAR(ended);
    REFUSE_FORKED(err);
    REFUSE_NULL(job, err);
    cuzki_failure failure = { 0 };
    int32_t before = 0;
    cuzk_status code = cuzkgo_job_cancel(ID(job), &before, &failure);
    if (ended != NULL)
        *ended = before;
    return leave(err, code, &failure);
}

void cuzk_job_free(cuzk_job *job)
{
    if (job != NULL && !cuzki_forked())
        cuzkgo_job_free(ID(job));
}

cuzk_status cuzk_submit_load(cuzk_engine *engine, int32_t kind, uint64_t sector_size, cuzk_job **out, cuzk_error **err)
{
    CLEAR(err);
    CLEAR(out);
    REFUSE_FORKED(err);
    REFUSE_NULL(engine, err);
    REFUSE_NULL(out, err);
    cuzki_failure failure = { 0 };
    uint64_t id = 0;
    cuzk_status code = cuzkgo_submit_load(ID(engine), kind, sector_size, &id, &failure);
    *out = (cuzk_job *)(uintptr_t)id;
    return leave(err, code, &failure);
}

cuzk_status cuzk_params_evict(cuzk_engine *engine, int32_t kind, uint64_t sector_size, uint64_t *freed,
                              cuzk_error **err)
{
    CLEAR(err);
    CLEAR(freed);
    REFUSE_FORKED(err);
    REFUSE_NULL(engine, err);
    cuzki_failure failure = { 0 };
    uint64_t bytes = 0;
    cuzk_status code = cuzkgo_params_evict(ID(engine), kind, sector_size, &bytes, &failure);
    if (freed != NULL)
        *freed = bytes;
    return leave(err, code, &failure);
}

cuzk_status cuzk_engine_drain(cuzk_engine *engine, int64_t timeout_ms, cuzk_error **err)
{
    CLEAR(err);
    REFUSE_FORKED(err);
    REFUSE_NULL(engine, err);
    cuzki_failure failure = { 0 };
    return leave(err, cuzkgo_engine_drain(ID(engine), timeout_ms, &failure), &failure);
}

cuzk_status cuzk_engine_snapshot(cuzk_engine *engine, cuzk_snapshot *snapshot, cuzk_error **err)
{
    CLEAR(err);
    REFUSE_NULL(snapshot, err);
    cuzk_snapshot ours = CUZK_SNAPSHOT_INIT;
    cuzk_status code = cuzki_write_struct(snapshot, &ours, sizeof ours, "cuzk_snapshot", err);
    if (code != CUZK_OK)
        return code;
    REFUSE_FORKED(err);
    REFUSE_NULL(engine, err);
    cuzki_failure failure = { 0 };
    code = cuzkgo_engine_snapshot(ID(engine), &ours, &failure);
    if (code != CUZK_OK)
        return cuzki_fail(err, code, &failure);
    ours.version = cuzk_version();
    return cuzki_write_struct(snapshot, &ours, sizeof ours, "cuzk_snapshot", err);
}
