package main

/*
#include "result.h"
*/
import "C"

import (
	"context"
	"fmt"
	"unsafe"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// cuzkgo_aggregate aggregates seal proofs.
//
//export cuzkgo_aggregate
func cuzkgo_aggregate(registered, version C.int32_t, commRs unsafe.Pointer, commRCount C.size_t, seeds unsafe.Pointer,
	seedCount C.size_t, proofs unsafe.Pointer, proofCount C.size_t, r *C.Result_slice_boxed_uint8_t) {
	answer(unsafe.Pointer(r), func() error {
		if commRCount != seedCount {
			return &cuzk.Error{Code: cuzk.InputValue, Detail: "seeds", Message: fmt.Sprintf("%d comm_rs and %d seeds", commRCount, seedCount)}
		}
		request := cuzk.Aggregate{
			AggregateInfo:   cuzk.AggregateInfo{RegisteredProof: int(registered), Version: int(version)},
			Proofs:          listAt(proofs, proofCount),
			CommitmentsOnly: true,
		}
		seed := viewAt[[32]byte](seeds, seedCount)
		for i, commR := range viewAt[[32]byte](commRs, commRCount) {
			request.Sectors = append(request.Sectors, cuzk.AggregateSector{CommR: commR, Seed: seed[i]})
		}
		aggregate, err := prove(request)
		if err == nil {
			r.value = aggregate
		}
		return err
	})
}

// cuzkgo_verify_aggregate verifies an aggregate.
//
//export cuzkgo_verify_aggregate
func cuzkgo_verify_aggregate(registered, version C.int32_t, prover, proof unsafe.Pointer, proofLen C.size_t,
	inputs unsafe.Pointer, inputCount C.size_t, r *C.Result_bool_t) {
	answer(unsafe.Pointer(r), func() error {
		return verify(&r.value, func(e *cuzk.Engine) (bool, error) {
			info := cuzk.AggregateInfo{RegisteredProof: int(registered), Version: int(version), ProverID: idAt(prover)}
			sectors := viewAt[C.AggregationInputs_t](inputs, inputCount)
			for i := range sectors {
				s := &sectors[i]
				info.Sectors = append(info.Sectors, cuzk.AggregateSector{
					SectorNumber: uint64(s.sector_id),
					CommR:        idAt(unsafe.Pointer(&s.comm_r)),
					CommD:        idAt(unsafe.Pointer(&s.comm_d)),
					Ticket:       idAt(unsafe.Pointer(&s.ticket)),
					Seed:         idAt(unsafe.Pointer(&s.seed)),
				})
			}
			return e.VerifyAggregate(context.Background(), info, bytesAt(proof, proofLen))
		})
	})
}
