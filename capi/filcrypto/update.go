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

// cuzkgo_update makes the proof of a sector update.
//
//export cuzkgo_update
func cuzkgo_update(registered C.int32_t, vanilla unsafe.Pointer, n C.size_t, commROld, commRNew, commDNew unsafe.Pointer,
	r *C.Result_slice_boxed_uint8_t) {
	answer(unsafe.Pointer(r), func() error {
		proof, err := prove(cuzk.Update{RegisteredProof: int(registered), Vanilla: listAt(vanilla, n),
			CommROld: idAt(commROld), CommRNew: idAt(commRNew), CommDNew: idAt(commDNew)})
		if err == nil {
			r.value = proof
		}
		return err
	})
}

// cuzkgo_verify_update verifies the proof of a sector update.
//
//export cuzkgo_verify_update
func cuzkgo_verify_update(registered C.int32_t, proof unsafe.Pointer, proofLen C.size_t, commROld, commRNew, commDNew unsafe.Pointer,
	r *C.Result_bool_t) {
	answer(unsafe.Pointer(r), func() error {
		return verify(&r.value, func(e *cuzk.Engine) (bool, error) {
			return e.VerifyUpdate(context.Background(), cuzk.UpdateInfo{RegisteredProof: int(registered),
				CommROld: idAt(commROld), CommRNew: idAt(commRNew), CommDNew: idAt(commDNew)}, bytesAt(proof, proofLen))
		})
	})
}

// cuzkgo_verify_partitions verifies the vanilla proofs of a sector update.
//
//export cuzkgo_verify_partitions
func cuzkgo_verify_partitions(registered C.int32_t, vanilla unsafe.Pointer, n C.size_t, commROld, commRNew, commDNew unsafe.Pointer,
	r *C.Result_bool_t) {
	answer(unsafe.Pointer(r), func() error {
		return verify(&r.value, func(e *cuzk.Engine) (bool, error) {
			return e.VerifyVanillaUpdate(context.Background(), cuzk.UpdateInfo{RegisteredProof: int(registered),
				CommROld: idAt(commROld), CommRNew: idAt(commRNew), CommDNew: idAt(commDNew)}, listAt(vanilla, n))
		})
	})
}
