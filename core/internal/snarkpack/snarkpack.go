// Package snarkpack defines SnarkPack aggregates of Groth16 proofs as Filecoin
// uses them (versions 1 and 2), and verifies them.
//
// An aggregate proves that n Groth16 proofs of one circuit hold, in 2260 + 2976·log2 n
// bytes. Protocol: Gailly, Maller, Nitulescu, "SnarkPack: Practical SNARK Aggregation"
// (https://eprint.iacr.org/2021/529); bytes and challenges: bellperson 0.26
// groth16/aggregate. Notation of this package: g, h are the standard generators of
// G1 and G2, e is the pairing, <X, Y> = Π e(X_i, Y_i), groups are written additively
// and GT multiplicatively.
//
// It is a second opinion like package verify: it shares no code with the provers and
// relies only on gnark-crypto's arithmetic, whose tower of extension fields, final
// exponentiation and pairing equal those of blstrs limb for limb.
package snarkpack

import (
	"crypto/sha256"
	"math/bits"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// GT is the target group of the pairing.
type GT = bls.GT

// Version is a version of the protocol: a RegisteredAggregationProof of the
// network (0 and 1).
type Version uint8

// The versions. Version 1 does not bind the first round of an aggregate to a
// challenge; chains accept it in old messages only.
const (
	V1 Version = iota
	V2
)

// NewVersion checks the number of a RegisteredAggregationProof.
func NewVersion(n int64) (Version, error) {
	if n < 0 || n > int64(V2) {
		return 0, status.New(status.Argument, "aggregate_version", "unknown registered aggregation proof %d, known are 0 (V1) and 1 (V2)", n)
	}
	return Version(n), nil
}

// String returns the name that the network uses.
func (v Version) String() string {
	if v == V1 {
		return "SnarkPackV1"
	}
	return "SnarkPackV2"
}

// MaxProofs bounds the number of proofs in an aggregate, padding included: as far as
// the published keys go.
const MaxProofs = 1 << 14

// Padded returns the number of proofs in an aggregate of n ≥ 1: the next power of
// two, at least 2.
func Padded(n int) int {
	if n <= 2 {
		return 2
	}
	return 1 << bits.Len(uint(n-1))
}

// Size returns the length in bytes of an aggregate of padded proofs.
func Size(padded int) int { return 2260 + 2976*rounds(padded) }

func rounds(padded int) int { return bits.Len(uint(padded)) - 1 }

// Included returns the 32 bytes that bind an aggregate of interactive seal proofs to
// its sectors: the SHA-256 of seed ‖ comm_r of each. Non-interactive proofs leave
// the seeds out: seeds is nil.
func Included(commRs, seeds [][32]byte) [32]byte {
	h := sha256.New()
	for i := range commRs {
		if seeds != nil {
			h.Write(seeds[i][:])
		}
		h.Write(commRs[i][:])
	}
	return [32]byte(h.Sum(nil))
}
