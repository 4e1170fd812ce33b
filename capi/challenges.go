package main

/*
#include "shim.h"
*/
import "C"

import (
	"unsafe"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// cuzkgo_post_winner says which sector a WinningPoSt is about.
//
//export cuzkgo_post_winner
func cuzkgo_post_winner(registered C.int32_t, randomness, prover unsafe.Pointer, eligible C.uint64_t, index *C.uint64_t, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		i, err := cuzk.WinningPoStSector(int(registered), idAt(randomness), idAt(prover), uint64(eligible))
		*index = C.uint64_t(i)
		return err
	})
}

// cuzkgo_post_partitions counts the partitions of a WindowPoSt.
//
//export cuzkgo_post_partitions
func cuzkgo_post_partitions(registered C.int32_t, sectors C.uint64_t, partitions *C.uint64_t, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		n, err := cuzk.WindowPoStPartitions(int(registered), uint64(sectors))
		*partitions = C.uint64_t(n)
		return err
	})
}

// maxChallenged is far above the sectors of one WindowPoSt; it catches garbage
// before memory is asked for it.
const maxChallenged = 1 << 20

// cuzkgo_post_challenges copies the challenged nodes of all sectors; capacity
// and count are in nodes.
//
//export cuzkgo_post_challenges
func cuzkgo_post_challenges(registered C.int32_t, randomness, sectors unsafe.Pointer, sectorCount C.size_t, out *C.uint64_t, capacity C.size_t, count *C.size_t, failure *C.cuzki_failure) C.int32_t {
	return call(failure, func() error {
		if sectorCount > maxChallenged {
			return argument("sector_count", "sector_count is %d", sectorCount)
		}
		numbers := make([]uint64, sectorCount)
		copy(numbers, unsafe.Slice((*uint64)(sectors), len(numbers)))
		challenges, err := cuzk.PoStChallenges(int(registered), idAt(randomness), numbers)
		if err != nil {
			return err
		}
		per := len(challenges[0])
		*count = C.size_t(per * len(challenges))
		if err := fits(per*len(challenges), capacity); err != nil {
			return err
		}
		nodes := unsafe.Slice((*uint64)(unsafe.Pointer(out)), per*len(challenges))
		for i, c := range challenges {
			copy(nodes[i*per:], c)
		}
		return nil
	})
}
