package main

/*
#include "result.h"
*/
import "C"

import (
	"bytes"
	"unsafe"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// postRequest reads the arguments that all PoSt calls share.
func postRequest(kind cuzk.Kind, registered C.int32_t, randomness, prover, vanilla unsafe.Pointer, n C.size_t) (cuzk.PoSt, error) {
	return cuzk.PoSt{RegisteredProof: int(registered), Randomness: idAt(randomness), ProverID: idAt(prover), Vanilla: listAt(vanilla, n)},
		cuzk.CheckPoStKind(int(registered), kind)
}

// whole makes a PoSt: a list of one proof.
func whole(kind cuzk.Kind, registered C.int32_t, randomness, prover, vanilla unsafe.Pointer, n C.size_t) (list C.slice_boxed_PoStProof_t, err error) {
	request, err := postRequest(kind, registered, randomness, prover, vanilla, n)
	if err != nil {
		return list, err
	}
	proof, err := prove(request)
	if err != nil {
		return list, err
	}
	p, err := copied([]C.PoStProof_t{{registered_proof: C.RegisteredPoStProof_t(registered), proof: proof}})
	if err != nil {
		C.destroy_boxed_slice(proof)
		return list, err
	}
	return C.slice_boxed_PoStProof_t{ptr: (*C.PoStProof_t)(p), len: 1}, nil
}

// cuzkgo_winning_post makes a WinningPoSt.
//
//export cuzkgo_winning_post
func cuzkgo_winning_post(registered C.int32_t, randomness, prover, vanilla unsafe.Pointer, n C.size_t, r *C.Result_slice_boxed_PoStProof_t) {
	answer(unsafe.Pointer(r), func() error {
		proofs, err := whole(cuzk.KindWinningPoSt, registered, randomness, prover, vanilla, n)
		if err == nil {
			r.value = proofs
		}
		return err
	})
}

// cuzkgo_window_post makes a WindowPoSt of all sectors.
//
//export cuzkgo_window_post
func cuzkgo_window_post(registered C.int32_t, randomness, prover, vanilla unsafe.Pointer, n C.size_t, r *C.Result_GenerateWindowPoSt_t) {
	answer(unsafe.Pointer(r), func() error {
		proofs, err := whole(cuzk.KindWindowPoSt, registered, randomness, prover, vanilla, n)
		if err == nil {
			r.value.proofs = proofs
		}
		return err
	})
}

// cuzkgo_window_partition proves one partition of a WindowPoSt.
//
//export cuzkgo_window_partition
func cuzkgo_window_partition(registered C.int32_t, randomness, prover, vanilla unsafe.Pointer, n, index C.size_t,
	r *C.Result_GenerateSingleWindowPoStWithVanilla_t) {
	answer(unsafe.Pointer(r), func() error {
		request, err := postRequest(cuzk.KindWindowPoSt, registered, randomness, prover, vanilla, n)
		if err != nil {
			return err
		}
		request.Single, request.Partition = true, int(index)
		proof, err := prove(request)
		if err == nil {
			r.value.partition_proof = C.PartitionSnarkProof_t{registered_proof: C.RegisteredPoStProof_t(registered), proof: proof}
		}
		return err
	})
}

// cuzkgo_merge joins partition proofs unseen, as libfilcrypto does.
//
//export cuzkgo_merge
func cuzkgo_merge(registered C.int32_t, parts unsafe.Pointer, n C.size_t, r *C.Result_PoStProof_t) {
	answer(unsafe.Pointer(r), func() error {
		if err := cuzk.CheckPoStKind(int(registered), cuzk.KindWindowPoSt); err != nil {
			return err
		}
		proof, err := boxed(bytes.Join(listAt(parts, n), nil))
		if err == nil {
			r.value = C.PoStProof_t{registered_proof: C.RegisteredPoStProof_t(registered), proof: proof}
		}
		return err
	})
}
