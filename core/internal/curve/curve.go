// Package curve holds what libcuzk needs of BLS12-381 beyond gnark-crypto: wire
// encodings, sums of many points and multiplications of many points by scalars.
//
// Everything heavy here is built from one operation: many independent affine
// additions that share one field inversion (Montgomery's trick), which costs
// five multiplications and one squaring per addition where mixed Jacobian
// addition costs eleven. It is complete: P+P, P−P and the identity are handled.
//
// The code for G2 is generated from that for G1: edit the files that end in
// _g1.go and run go generate.
package curve

import (
	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
)

//go:generate go run ./gen

// Short names of gnark-crypto's points. The affine identity is (0, 0).
type (
	G1Affine = bls.G1Affine
	G2Affine = bls.G2Affine
	G1Jac    = bls.G1Jac
	G2Jac    = bls.G2Jac
	// E2 is an element of the quadratic extension of the base field.
	E2 = bls.E2
)

// GeneratorG1 returns the standard generator of G1.
func GeneratorG1() G1Affine {
	_, _, g, _ := bls.Generators()
	return g
}

// GeneratorG2 returns the standard generator of G2.
func GeneratorG2() G2Affine {
	_, _, _, g := bls.Generators()
	return g
}

// batchSize is how many additions share one inversion. An inversion costs about
// ninety multiplications, so 1024 makes it negligible, and the batch (about
// 300 KiB in G1 with its points) stays in a second-level cache.
const batchSize = 1024

// reduceSegments is how many runs of buckets are summed side by side.
const reduceSegments = batchSize
