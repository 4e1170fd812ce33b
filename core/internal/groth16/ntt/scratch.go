package ntt

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/field"
)

// Scratch bounds the bytes that transforms of n values take beside the values, for
// all their directions and shifts together: the factors that are kept and what
// each worker has for itself.
func Scratch(n, workers int) int64 {
	if field.Use() < field.AVX2 || n < vectorMin {
		return (4*int64(n) + 1<<11) * fr.Bytes // roots and coset of both directions, and a run of powers
	}
	const (
		factor = 80 // bytes: a quarter of a vector
		tables = 8  // two passes have short enough blocks, for three inverse transforms and a forward one
		tile   = 2 << maxPassLog * 4 * factor
	)
	return tables*factor*int64(min(n, maxTable)) + int64(workers)*tile
}

const (
	// maxPassLog is of the points of a pass of the transforms with vectors.
	maxPassLog = 8
	// maxTable is the longest block whose factors are kept, 80 bytes each: they stay
	// in a third-level cache. Those of longer blocks are computed as they are used.
	maxTable = 1 << 15
)
