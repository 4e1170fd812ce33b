package groth16

import (
	"context"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Backend does the heavy part of a proof over one SRS, which it holds where it
// computes.
type Backend interface {
	// Sums returns the five sums over the SRS for a witness of the circuit that
	// the SRS belongs to, and adds to the stages of t. Several calls may be in
	// flight. An error has code Cancelled or Deadline soon after ctx ends.
	Sums(ctx context.Context, c *r1cs.Circuit, p *Plan, w *r1cs.Witness, t *Timings, hooks Hooks) (Sums, error)
}

// Sums are the sums over the SRS that make a proof (docs/filecoin.md 4.3): h over the
// coefficients of the quotient, the others over the assignment.
type Sums struct {
	H, L, A, B1 curve.G1Affine
	B2          curve.G2Affine
}

// Packed is the assignment of the variables of one section of the SRS:
// positions count points in the section. No position occurs both in Bits and in
// Index.
type Packed struct {
	Bits    []uint64     // bitmap over positions: bit variables with value 1
	Index   []uint32     // positions of scalar variables and inputs, the same for every witness
	Scalars []fr.Element // their values
}
