package main

/*
#include "result.h"
*/
import "C"

import (
	"context"
	"unsafe"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// cuzkgo_seal_commit_phase2 makes a seal proof; without a prover the circuit
// proofs of whatever replica the input names.
//
//export cuzkgo_seal_commit_phase2
func cuzkgo_seal_commit_phase2(c1 unsafe.Pointer, c1Len C.size_t, sector C.uint64_t, prover unsafe.Pointer, r *C.Result_slice_boxed_uint8_t) {
	answer(unsafe.Pointer(r), func() error {
		request := cuzk.PoRep{C1: bytesAt(c1, c1Len), SectorNumber: uint64(sector), CircuitProofs: prover == nil}
		if prover != nil {
			request.ProverID = idAt(prover)
		}
		proof, err := prove(request)
		if err == nil {
			r.value = proof
		}
		return err
	})
}

// cuzkgo_verify_seal verifies a seal proof.
//
//export cuzkgo_verify_seal
func cuzkgo_verify_seal(registered C.int32_t, commR, commD, prover, ticket, seed unsafe.Pointer, sector C.uint64_t,
	proof unsafe.Pointer, proofLen C.size_t, r *C.Result_bool_t) {
	answer(unsafe.Pointer(r), func() error {
		return verify(&r.value, func(e *cuzk.Engine) (bool, error) {
			return e.VerifyPoRep(context.Background(), cuzk.PoRepInfo{
				RegisteredProof: int(registered), SectorNumber: uint64(sector), ProverID: idAt(prover),
				CommR: idAt(commR), CommD: idAt(commD), Ticket: idAt(ticket), Seed: idAt(seed),
			}, bytesAt(proof, proofLen))
		})
	})
}
