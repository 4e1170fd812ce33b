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

// cuzkgo_prove_aggregate aggregates seal proofs.
//
//export cuzkgo_prove_aggregate
func cuzkgo_prove_aggregate(engine C.uint64_t, r *C.cuzk_aggregate_request, out *C.uint8_t, capacity C.size_t, outLen *C.size_t, failure *C.cuzki_failure) C.int32_t {
	return prove(engine, out, capacity, outLen, failure, func(e *cuzk.Engine) (cuzk.Request, error) { return aggregateOf(r, e, true) })
}

// cuzkgo_submit_aggregate starts a job on a copy of the input.
//
//export cuzkgo_submit_aggregate
func cuzkgo_submit_aggregate(engine C.uint64_t, r *C.cuzk_aggregate_request, out *C.uint64_t, failure *C.cuzki_failure) C.int32_t {
	return submit(engine, out, failure, func(e *cuzk.Engine) (cuzk.Request, error) { return aggregateOf(r, e, false) })
}

// aggregateOf translates a request; its proofs are cloned if its job may outlive the
// call.
func aggregateOf(r *C.cuzk_aggregate_request, e *cuzk.Engine, blocking bool) (cuzk.Request, error) {
	job, err := jobOptions(r.job, blocking)
	if err != nil {
		return nil, err
	}
	sectors, err := aggregateSectors(unsafe.Pointer(&r.sectors), r.sector_count)
	if err != nil {
		return nil, err
	}
	commitmentsOnly, err := flag("request.commitments_only", r.commitments_only)
	if err != nil {
		return nil, err
	}
	proofs, err := pieces("proofs", unsafe.Pointer(&r.proofs), r.proof_count, keeper(e, job))
	return cuzk.Aggregate{
		AggregateInfo: cuzk.AggregateInfo{
			RegisteredProof: int(r.registered_proof),
			Version:         int(r.version),
			ProverID:        idAt(unsafe.Pointer(&r.prover_id)),
			Sectors:         sectors,
		},
		Proofs:          proofs,
		CommitmentsOnly: commitmentsOnly,
		Job:             job,
	}, err
}

// aggregateSectors copies an array of sectors, whose address is behind a pointer.
func aggregateSectors(pointer unsafe.Pointer, count C.size_t) ([]cuzk.AggregateSector, error) {
	if count == 0 {
		return nil, nil
	}
	if count > maxPieces || *(*uintptr)(pointer) == 0 {
		return nil, argument("sectors", "%d sectors, but the pointer is NULL or the number garbage", count)
	}
	sectors := make([]cuzk.AggregateSector, count)
	for i, s := range unsafe.Slice(*(**C.cuzk_aggregate_sector)(pointer), int(count)) {
		sectors[i] = cuzk.AggregateSector{
			SectorNumber: uint64(s.sector_number),
			CommR:        idAt(unsafe.Pointer(&s.comm_r)),
			CommD:        idAt(unsafe.Pointer(&s.comm_d)),
			Ticket:       idAt(unsafe.Pointer(&s.ticket)),
			Seed:         idAt(unsafe.Pointer(&s.seed)),
		}
	}
	return sectors, nil
}

// aggregateInfo translates what the chain knows.
func aggregateInfo(info *C.cuzk_aggregate_info) (cuzk.AggregateInfo, error) {
	if info.reserved != 0 {
		return cuzk.AggregateInfo{}, &cuzk.Error{Code: cuzk.StructSize, Detail: "info.reserved", Message: "info.reserved is set, must be 0"}
	}
	sectors, err := aggregateSectors(unsafe.Pointer(&info.sectors), info.sector_count)
	return cuzk.AggregateInfo{
		RegisteredProof: int(info.registered_proof),
		Version:         int(info.version),
		ProverID:        idAt(unsafe.Pointer(&info.prover_id)),
		Sectors:         sectors,
	}, err
}

// cuzkgo_verify_aggregate verifies an aggregate.
//
//export cuzkgo_verify_aggregate
func cuzkgo_verify_aggregate(engine C.uint64_t, info *C.cuzk_aggregate_info, aggregate unsafe.Pointer, aggregateLen C.size_t,
	valid *C.int32_t, failure *C.cuzki_failure) C.int32_t {
	return verify(engine, valid, failure, func(e *cuzk.Engine) (bool, error) {
		known, err := aggregateInfo(info)
		if err != nil {
			return false, err
		}
		return e.VerifyAggregate(context.Background(), known, bytesAt(aggregate, aggregateLen))
	})
}

// cuzkgo_verify_aggregates verifies many aggregates together. The infos of the claims
// are read already.
//
//export cuzkgo_verify_aggregates
func cuzkgo_verify_aggregates(engine C.uint64_t, claims unsafe.Pointer, infos *C.cuzk_aggregate_info, count C.size_t,
	verdicts *C.cuzk_status, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		e, err := engines.get(uint64(engine), "engine")
		if err != nil || count == 0 {
			return err
		}
		known := unsafe.Slice(infos, int(count))
		list := make([]cuzk.AggregateClaim, count)
		for i, c := range unsafe.Slice((*C.cuzk_aggregate_claim)(claims), int(count)) {
			if list[i].AggregateInfo, err = aggregateInfo(&known[i]); err != nil {
				return err
			}
			if c.aggregate_len != 0 {
				list[i].Aggregate = bytesAt(unsafe.Pointer(c.aggregate), c.aggregate_len)
			}
		}
		results, err := e.VerifyAggregates(context.Background(), list)
		if err != nil {
			return err
		}
		out := unsafe.Slice(verdicts, int(count))
		for i, verdict := range results {
			out[i] = C.cuzk_status(cuzk.CodeOf(verdict))
		}
		return nil
	})
}
