package main

/*
#include "result.h"
*/
import "C"

import (
	"bytes"
	"context"
	"fmt"
	"unsafe"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// cuzkgo_verify_winning_post verifies a WinningPoSt. The replicas say which;
// proofs are concatenated.
//
//export cuzkgo_verify_winning_post
func cuzkgo_verify_winning_post(randomness, replicas unsafe.Pointer, n C.size_t, proofs unsafe.Pointer, proofsLen C.size_t,
	prover unsafe.Pointer, r *C.Result_bool_t) {
	answer(unsafe.Pointer(r), func() error {
		sectors := lastOfEach(viewAt[C.PublicReplicaInfo_t](replicas, n))
		if len(sectors) != 1 {
			return argument("replicas", "%d replicas, want the one that won", len(sectors))
		}
		parts := postProofs(proofs, proofsLen)
		for i, p := range viewAt[C.PoStProof_t](proofs, proofsLen) {
			if p.registered_proof < 0 || p.registered_proof >= 15 {
				return argument("proofs", "proofs[%d]: unknown registered PoSt proof %d", i, p.registered_proof)
			}
		}
		for i := range parts {
			if len(parts[i]) > maxWinning { // before a copy is made of it
				return argument("proofs", "proofs[%d] has %d bytes", i, len(parts[i]))
			}
		}
		proof := bytes.Join(parts, nil)
		return verifyPoSt(cuzk.KindWinningPoSt, sectors[0].registered_proof, randomness, sectors, prover, proof, &r.value)
	})
}

// maxWinning is far above the bytes of any WinningPoSt.
const maxWinning = 1 << 16

// cuzkgo_verify_window_post verifies a WindowPoSt. The one proof says which.
//
//export cuzkgo_verify_window_post
func cuzkgo_verify_window_post(randomness, replicas unsafe.Pointer, n C.size_t, proofs unsafe.Pointer, proofsLen C.size_t,
	prover unsafe.Pointer, r *C.Result_bool_t) {
	answer(unsafe.Pointer(r), func() error {
		if proofsLen != 1 {
			return argument("proofs", "%d proofs, want one: that of all partitions", proofsLen)
		}
		registered := (*C.PoStProof_t)(proofs).registered_proof
		sectors := lastOfEach(viewAt[C.PublicReplicaInfo_t](replicas, n))
		return verifyPoSt(cuzk.KindWindowPoSt, registered, randomness, sectors, prover, postProofs(proofs, 1)[0], &r.value)
	})
}

// lastOfEach returns the last replica of each sector, as the published verifier's
// map keeps it; what others say does not count.
func lastOfEach(replicas []C.PublicReplicaInfo_t) []C.PublicReplicaInfo_t {
	at := make(map[C.uint64_t]int, len(replicas))
	var out []C.PublicReplicaInfo_t
	for _, r := range replicas {
		if i, known := at[r.sector_id]; known {
			out[i] = r
			continue
		}
		at[r.sector_id] = len(out)
		out = append(out, r)
	}
	return out
}

func verifyPoSt(kind cuzk.Kind, registered C.RegisteredPoStProof_t, randomness unsafe.Pointer, sectors []C.PublicReplicaInfo_t,
	prover unsafe.Pointer, proof []byte, value *C.bool) error {
	info := cuzk.PoStInfo{RegisteredProof: int(registered), Randomness: idAt(randomness), ProverID: idAt(prover)}
	if err := cuzk.CheckPoStKind(info.RegisteredProof, kind); err != nil {
		return err
	}
	for i := range sectors {
		s := &sectors[i]
		if s.registered_proof != registered {
			return argument("replicas", "replicas[%d] is for registered proof %d, the proof for %d", i, s.registered_proof, registered)
		}
		info.Sectors = append(info.Sectors, cuzk.PoStSector{Number: uint64(s.sector_id), CommR: idAt(unsafe.Pointer(&s.comm_r))})
	}
	return verify(value, func(e *cuzk.Engine) (bool, error) { return e.VerifyPoSt(context.Background(), info, proof) })
}

// postProofs views the bytes of PoSt proofs.
func postProofs(p unsafe.Pointer, n C.size_t) (out [][]byte) {
	list := viewAt[C.PoStProof_t](p, n)
	for i := range list {
		if s := &list[i].proof; s.len != 0 {
			out = append(out, bytesAt(unsafe.Pointer(s.ptr), s.len))
		} else {
			out = append(out, nil)
		}
	}
	return out
}

func argument(detail, format string, args ...any) error {
	return &cuzk.Error{Code: cuzk.Argument, Detail: detail, Message: fmt.Sprintf(format, args...)}
}
