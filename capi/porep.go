package main

/*
#include "shim.h"
*/
import "C"

import (
	"bytes"
	"context"
	"unsafe"

	"libcuzk/core"
)

// cuzkgo_prove_porep proves, and writes the proof if it fits.
//
//export cuzkgo_prove_porep
func cuzkgo_prove_porep(engine C.uint64_t, c1 unsafe.Pointer, c1Len C.size_t, sector C.uint64_t, prover unsafe.Pointer,
	proof *C.uint8_t, capacity C.size_t, proofLen *C.size_t, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		e, err := engines.get(uint64(engine), "engine")
		if err != nil {
			return err
		}
		request := core.PoRep{C1: bytesAt(c1, c1Len), SectorNumber: uint64(sector), ProverID: idAt(prover)}
		request.Fits = func(size int) error {
			err := fits(size, capacity)
			if err != nil {
				*proofLen = C.size_t(size)
			}
			return err
		}
		result, err := e.Run(context.Background(), request)
		if err != nil {
			return err
		}
		return fill(proof, capacity, proofLen, result)
	})
}

// cuzkgo_submit_porep starts a job on a copy of the input.
//
//export cuzkgo_submit_porep
func cuzkgo_submit_porep(engine C.uint64_t, c1 unsafe.Pointer, c1Len C.size_t, sector C.uint64_t, prover unsafe.Pointer,
	out *C.uint64_t, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		e, err := engines.get(uint64(engine), "engine")
		if err != nil {
			return err
		}
		j, err := e.Submit(context.Background(), core.PoRep{
			C1: bytes.Clone(bytesAt(c1, c1Len)), SectorNumber: uint64(sector), ProverID: idAt(prover)})
		if err != nil {
			return err
		}
		*out = C.uint64_t(jobs.put(j))
		return nil
	})
}

// cuzkgo_verify_porep verifies a seal proof.
//
//export cuzkgo_verify_porep
func cuzkgo_verify_porep(engine C.uint64_t, info *C.cuzk_porep_info, proof unsafe.Pointer, proofLen C.size_t,
	valid *C.int32_t, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		e, err := engines.get(uint64(engine), "engine")
		if err != nil {
			return err
		}
		ok, err := e.VerifyPoRep(context.Background(), core.PoRepInfo{
			RegisteredProof: int(info.registered_proof),
			SectorNumber:    uint64(info.sector_number),
			ProverID:        idAt(unsafe.Pointer(&info.prover_id)),
			CommR:           idAt(unsafe.Pointer(&info.comm_r)),
			CommD:           idAt(unsafe.Pointer(&info.comm_d)),
			Ticket:          idAt(unsafe.Pointer(&info.ticket)),
			Seed:            idAt(unsafe.Pointer(&info.seed)),
		}, bytesAt(proof, proofLen))
		if ok {
			*valid = 1
		}
		return err
	})
}

// idAt copies 32 bytes.
func idAt(p unsafe.Pointer) [32]byte { return *(*[32]byte)(p) }
