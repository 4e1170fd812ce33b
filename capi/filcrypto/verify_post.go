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
		sectors := viewAt[C.PublicReplicaInfo_t](replicas, n)
		if len(sectors) == 0 {
			return argument("replicas", "no replicas")
		}
		parts := postProofs(proofs, proofsLen)
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
		sectors := viewAt[C.PublicReplicaInfo_t](replicas, n)
		return verifyPoSt(cuzk.KindWindowPoSt, registered, randomness, sectors, prover, postProofs(proofs, 1)[0], &r.value)
	})
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
