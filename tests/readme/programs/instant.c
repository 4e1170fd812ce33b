/* PoRep proofs without the work, before libcuzk.so: one is made of what it is made
 * from, so that a program shows that it passes and keeps the right things. There
 * is one job at a time, and it is done. */
#include <cuzk.h>
#include <string.h>

enum { PROOF_BYTES = 192 };

static uint8_t made[PROOF_BYTES];

static cuzk_status make(cuzk_engine *engine, const uint8_t *c1, size_t c1_len, uint64_t sector, const uint8_t *prover)
{
    if (engine == NULL || c1_len < PROOF_BYTES)
        return CUZK_ERR_ARGUMENT;
    for (size_t i = 0; i < PROOF_BYTES; i++)
        made[i] = c1[c1_len - PROOF_BYTES + i] ^ prover[i % 32] ^ (uint8_t)sector;
    return CUZK_OK;
}

static cuzk_status give(uint8_t *proof, size_t *len)
{
    const size_t room = *len;
    *len = PROOF_BYTES;
    if (room < PROOF_BYTES)
        return CUZK_ERR_BUFFER_SHORT;
    memcpy(proof, made, PROOF_BYTES);
    return CUZK_OK;
}

cuzk_status cuzk_prove_porep(cuzk_engine *engine, const uint8_t *c1_json, size_t c1_len, uint64_t sector_number,
                             const uint8_t prover_id[32], uint8_t *proof, size_t *proof_len, cuzk_error **err)
{
    *err = NULL;
    cuzk_status status = make(engine, c1_json, c1_len, sector_number, prover_id);
    return status != CUZK_OK ? status : give(proof, proof_len);
}

cuzk_status cuzk_submit_porep(cuzk_engine *engine, const cuzk_porep_request *request, cuzk_job **out, cuzk_error **err)
{
    *err = NULL;
    *out = (cuzk_job *)made;
    return make(engine, request->c1_json, request->c1_len, request->sector_number, request->prover_id);
}

cuzk_status cuzk_job_wait(cuzk_job *job, int64_t timeout_ms, cuzk_progress_fn fn, void *payload, cuzk_error **err)
{
    (void)timeout_ms, (void)fn, (void)payload;
    *err = NULL;
    return (void *)job == made ? CUZK_OK : CUZK_ERR_HANDLE;
}

cuzk_status cuzk_job_result(cuzk_job *job, uint8_t *out, size_t *len, cuzk_error **err)
{
    *err = NULL;
    return (void *)job == made ? give(out, len) : CUZK_ERR_HANDLE;
}

void cuzk_job_free(cuzk_job *job)
{
    (void)job;
}
