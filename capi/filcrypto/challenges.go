package main

/*
#include "result.h"
*/
import "C"

import (
	"unsafe"

	cuzk "github.com/libcuzk/libcuzk/core"
	"github.com/libcuzk/libcuzk/core/ffi"
)

// cuzkgo_winning_sector picks the sector of a WinningPoSt.
//
//export cuzkgo_winning_sector
func cuzkgo_winning_sector(registered C.int32_t, randomness unsafe.Pointer, eligible C.uint64_t, prover unsafe.Pointer, r *C.Result_slice_boxed_uint64_t) {
	answer(unsafe.Pointer(r), func() error {
		i, err := cuzk.WinningPoStSector(int(registered), idAt(randomness), idAt(prover), uint64(eligible))
		if err != nil {
			return err
		}
		list, err := boxedNumbers([]uint64{i})
		if err == nil {
			r.value = list
		}
		return err
	})
}

// cuzkgo_challenges lists the challenged nodes of sectors. They do not depend
// on the prover.
//
//export cuzkgo_challenges
func cuzkgo_challenges(registered C.int32_t, randomness, sectors unsafe.Pointer, n C.size_t, r *C.Result_GenerateFallbackSectorChallenges_t) {
	answer(unsafe.Pointer(r), func() error {
		bytes := idAt(randomness)
		found, err := ffi.GeneratePoStFallbackSectorChallenges(int64(registered), uint64(0), bytes[:], viewAt[uint64](sectors, n))
		if err != nil {
			return err
		}
		// What is allocated belongs to the result at once: if memory ends in the
		// midst of it, the result's end frees what there is.
		p, err := copied(make([]C.slice_boxed_uint64_t, len(found.Sectors)))
		if err != nil {
			return err
		}
		r.value.challenges = C.slice_boxed_slice_boxed_uint64_t{ptr: (*C.slice_boxed_uint64_t)(p), len: C.size_t(len(found.Sectors))}
		lists := unsafe.Slice(r.value.challenges.ptr, len(found.Sectors))
		for i, s := range found.Sectors {
			if lists[i], err = boxedNumbers(found.Challenges[s]); err != nil {
				return err
			}
		}
		ids, err := boxedNumbers(found.Sectors)
		if err == nil {
			r.value.ids = ids
		}
		return err
	})
}

// cuzkgo_partitions counts the partitions of a WindowPoSt.
//
//export cuzkgo_partitions
func cuzkgo_partitions(registered C.int32_t, sectors C.size_t, r *C.Result_size_t) {
	answer(unsafe.Pointer(r), func() error {
		n, err := ffi.GetNumPartitionForFallbackPost(int64(registered), uint(sectors))
		r.value = C.size_t(n)
		return err
	})
}
