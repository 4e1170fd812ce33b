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

// cuzkgo_prove_post proves sectors.
//
//export cuzkgo_prove_post
func cuzkgo_prove_post(engine C.uint64_t, r *C.cuzk_post_request, proof *C.uint8_t, capacity C.size_t, proofLen *C.size_t, failure *C.cuzki_failure) C.int32_t {
	return prove(engine, proof, capacity, proofLen, failure, func(e *cuzk.Engine) (cuzk.Request, error) { return postOf(r, e, true) })
}

// cuzkgo_submit_post starts a job on a copy of the input.
//
//export cuzkgo_submit_post
func cuzkgo_submit_post(engine C.uint64_t, r *C.cuzk_post_request, out *C.uint64_t, failure *C.cuzki_failure) C.int32_t {
	return submit(engine, out, failure, func(e *cuzk.Engine) (cuzk.Request, error) { return postOf(r, e, false) })
}

// postOf translates a request; its vanilla proofs are cloned if its job may outlive
// the call.
func postOf(r *C.cuzk_post_request, e *cuzk.Engine, blocking bool) (cuzk.Request, error) {
	job, err := jobOptions(r.job, blocking)
	if err != nil {
		return nil, err
	}
	single, err := flag("request.single", r.single)
	if err != nil {
		return nil, err
	}
	proofs, err := pieces("vanilla_proofs", unsafe.Pointer(&r.vanilla_proofs), r.vanilla_count, keeper(e, job))
	return cuzk.PoSt{
		RegisteredProof: int(r.registered_proof),
		Randomness:      idAt(unsafe.Pointer(&r.randomness)),
		ProverID:        idAt(unsafe.Pointer(&r.prover_id)),
		Vanilla:         proofs,
		Single:          single,
		Partition:       int(r.partition),
		Job:             job,
	}, err
}

// cuzkgo_verify_post verifies a proof of spacetime.
//
//export cuzkgo_verify_post
func cuzkgo_verify_post(engine C.uint64_t, info *C.cuzk_post_info, proof unsafe.Pointer, proofLen C.size_t, valid *C.int32_t, failure *C.cuzki_failure) C.int32_t {
	return verify(engine, valid, failure, func(e *cuzk.Engine) (bool, error) {
		sectors, err := sectorsOf(info)
		if err != nil {
			return false, err
		}
		single, err := flag("info.single", info.single)
		if err != nil {
			return false, err
		}
		return e.VerifyPoSt(context.Background(), cuzk.PoStInfo{
			RegisteredProof: int(info.registered_proof),
			Randomness:      idAt(unsafe.Pointer(&info.randomness)),
			ProverID:        idAt(unsafe.Pointer(&info.prover_id)),
			Sectors:         sectors,
			Single:          single,
			Partition:       int(info.partition),
		}, bytesAt(proof, proofLen))
	})
}

// sectorsOf copies the sectors of an info.
func sectorsOf(info *C.cuzk_post_info) ([]cuzk.PoStSector, error) {
	if info.sector_count == 0 {
		return nil, nil
	}
	if info.sector_count > maxPieces || *(*uintptr)(unsafe.Pointer(&info.sectors)) == 0 {
		return nil, argument("sectors", "%d sectors, but the pointer is NULL or the number garbage", info.sector_count)
	}
	sectors := make([]cuzk.PoStSector, info.sector_count)
	for i, s := range unsafe.Slice(info.sectors, int(info.sector_count)) {
		sectors[i] = cuzk.PoStSector{Number: uint64(s.sector_number), CommR: idAt(unsafe.Pointer(&s.comm_r))}
	}
	return sectors, nil
}

// cuzkgo_post_merge joins the proofs of partitions.
//
//export cuzkgo_post_merge
func cuzkgo_post_merge(registered C.int32_t, parts unsafe.Pointer, count C.size_t, proof *C.uint8_t, capacity C.size_t, proofLen *C.size_t, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		proofs, err := pieces("parts", unsafe.Pointer(&parts), count, nil)
		if err != nil {
			return err
		}
		merged, err := cuzk.MergePartitions(int(registered), proofs)
		if err != nil {
			return err
		}
		return fill(proof, capacity, proofLen, merged)
	})
}
