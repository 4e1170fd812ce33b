package main

/*
#include "shim.h"
*/
import "C"

import (
	"context"
	"unsafe"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// cuzkgo_prove_update proves a sector update.
//
//export cuzkgo_prove_update
func cuzkgo_prove_update(engine C.uint64_t, r *C.cuzk_update_request, proof *C.uint8_t, capacity C.size_t, proofLen *C.size_t, failure *C.cuzki_failure) C.int32_t {
	return prove(engine, proof, capacity, proofLen, failure, func(e *cuzk.Engine) (cuzk.Request, error) { return updateOf(r, e, true) })
}

// cuzkgo_submit_update starts a job on a copy of the input.
//
//export cuzkgo_submit_update
func cuzkgo_submit_update(engine C.uint64_t, r *C.cuzk_update_request, out *C.uint64_t, failure *C.cuzki_failure) C.int32_t {
	return submit(engine, out, failure, func(e *cuzk.Engine) (cuzk.Request, error) { return updateOf(r, e, false) })
}

// updateOf translates a request; its vanilla proofs are cloned if its job may outlive
// the call.
func updateOf(r *C.cuzk_update_request, e *cuzk.Engine, blocking bool) (cuzk.Request, error) {
	job, err := jobOptions(r.job, blocking)
	if err != nil {
		return nil, err
	}
	proofs, err := pieces("vanilla_proofs", unsafe.Pointer(&r.vanilla_proofs), r.vanilla_count, keeper(e, job))
	return cuzk.Update{
		RegisteredProof: int(r.registered_proof),
		CommROld:        idAt(unsafe.Pointer(&r.comm_r_old)),
		CommRNew:        idAt(unsafe.Pointer(&r.comm_r_new)),
		CommDNew:        idAt(unsafe.Pointer(&r.comm_d_new)),
		Vanilla:         proofs,
		Job:             job,
	}, err
}

// cuzkgo_verify_update verifies the proof of a sector update.
//
//export cuzkgo_verify_update
func cuzkgo_verify_update(engine C.uint64_t, info *C.cuzk_update_info, proof unsafe.Pointer, proofLen C.size_t, valid *C.int32_t, failure *C.cuzki_failure) C.int32_t {
	return verify(engine, valid, failure, func(e *cuzk.Engine) (bool, error) {
		return e.VerifyUpdate(context.Background(), updateInfoOf(info), bytesAt(proof, proofLen))
	})
}

// cuzkgo_verify_update_vanilla verifies the vanilla proofs of a sector update.
// list is the address of the pointer to their array.
//
//export cuzkgo_verify_update_vanilla
func cuzkgo_verify_update_vanilla(engine C.uint64_t, info *C.cuzk_update_info, list unsafe.Pointer, count C.size_t, valid *C.int32_t, failure *C.cuzki_failure) C.int32_t {
	return verify(engine, valid, failure, func(e *cuzk.Engine) (bool, error) {
		proofs, err := pieces("vanilla_proofs", list, count, nil)
		if err != nil {
			return false, err
		}
		return e.VerifyVanillaUpdate(context.Background(), updateInfoOf(info), proofs)
	})
}

func updateInfoOf(info *C.cuzk_update_info) cuzk.UpdateInfo {
	return cuzk.UpdateInfo{
		RegisteredProof: int(info.registered_proof),
		CommROld:        idAt(unsafe.Pointer(&info.comm_r_old)),
		CommRNew:        idAt(unsafe.Pointer(&info.comm_r_new)),
		CommDNew:        idAt(unsafe.Pointer(&info.comm_d_new)),
	}
}
