package main

/*
#include "shim.h"
*/
import "C"

import (
	"context"
	"fmt"
	"unsafe"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// cuzkgo_prove_porep proves, and writes the proof if it fits.
//
//export cuzkgo_prove_porep
func cuzkgo_prove_porep(engine C.uint64_t, c1 unsafe.Pointer, c1Len C.size_t, sector C.uint64_t, prover unsafe.Pointer,
	proof *C.uint8_t, capacity C.size_t, proofLen *C.size_t, failure *C.cuzki_failure) C.int32_t {
	return prove(engine, proof, capacity, proofLen, failure, func(*cuzk.Engine) (cuzk.Request, error) {
		return cuzk.PoRep{C1: bytesAt(c1, c1Len), SectorNumber: uint64(sector), ProverID: idAt(prover), Job: cuzk.JobOptions{Wait: true}}, nil
	})
}

// cuzkgo_submit_porep starts a job on a copy of the input.
//
//export cuzkgo_submit_porep
func cuzkgo_submit_porep(engine C.uint64_t, r *C.cuzk_porep_request, out *C.uint64_t, failure *C.cuzki_failure) C.int32_t {
	return submit(engine, out, failure, func(e *cuzk.Engine) (cuzk.Request, error) {
		c1, err := piece("c1_json", unsafe.Pointer(&r.c1_json), r.c1_len)
		if err != nil {
			return nil, err
		}
		parts := [][]byte{c1}
		if err := clone(e, "c1_json", parts); err != nil {
			return nil, err
		}
		circuitProofs, err := flag("request.circuit_proofs", r.circuit_proofs)
		if err != nil {
			return nil, err
		}
		job, err := jobOptions(r.job, false)
		return cuzk.PoRep{
			Job:           job,
			C1:            parts[0],
			SectorNumber:  uint64(r.sector_number),
			ProverID:      idAt(unsafe.Pointer(&r.prover_id)),
			CircuitProofs: circuitProofs,
		}, err
	})
}

// cuzkgo_verify_porep verifies a seal proof.
//
//export cuzkgo_verify_porep
func cuzkgo_verify_porep(engine C.uint64_t, info *C.cuzk_porep_info, proof unsafe.Pointer, proofLen C.size_t,
	valid *C.int32_t, failure *C.cuzki_failure) C.int32_t {
	return verify(engine, valid, failure, func(e *cuzk.Engine) (bool, error) {
		if info.reserved != 0 {
			return false, &cuzk.Error{Code: cuzk.StructSize, Detail: "info.reserved", Message: fmt.Sprintf("info.reserved is %d, must be 0", info.reserved)}
		}
		circuitProofs, err := flag("info.circuit_proofs", info.circuit_proofs)
		if err != nil {
			return false, err
		}
		return e.VerifyPoRep(context.Background(), cuzk.PoRepInfo{
			RegisteredProof: int(info.registered_proof),
			SectorNumber:    uint64(info.sector_number),
			ProverID:        idAt(unsafe.Pointer(&info.prover_id)),
			CommR:           idAt(unsafe.Pointer(&info.comm_r)),
			CommD:           idAt(unsafe.Pointer(&info.comm_d)),
			Ticket:          idAt(unsafe.Pointer(&info.ticket)),
			Seed:            idAt(unsafe.Pointer(&info.seed)),
			CircuitProofs:   circuitProofs,
		}, bytesAt(proof, proofLen))
	})
}

// idAt copies 32 bytes.
func idAt(p unsafe.Pointer) [32]byte { return *(*[32]byte)(p) }
