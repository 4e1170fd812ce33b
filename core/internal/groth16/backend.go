package groth16

import (
	"context"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"libcuzk/core/internal/curve"
	"libcuzk/core/internal/r1cs"
)

// Backend does the heavy operations of a proof over one SRS, which it holds
// where it computes. All methods return an error of code Cancelled or Deadline
// soon after ctx ends.
type Backend interface {
	// Quotient computes the coefficients h_0 … h_{n−2} of (a·b − c)/(X^n − 1)
	// for the witness and leaves them where Dense can use them. It adds to the
	// Eval and NTT stages of t.
	Quotient(ctx context.Context, c *r1cs.Circuit, w *r1cs.Witness, t *Timings) (Vector, error)
	// Dense returns Σ h_i·H_i and releases h.
	Dense(ctx context.Context, h Vector) (curve.G1Affine, error)
	// SumG1 returns the sum over a section of the SRS in G1.
	SumG1(ctx context.Context, s Section, x Packed) (curve.G1Affine, error)
	// SumG2 returns the sum over section B in G2.
	SumG2(ctx context.Context, x Packed) (curve.G2Affine, error)
}

// Vector is a backend's own handle of field elements in its memory.
type Vector any

// Section names the parts of the SRS that are indexed by variables.
type Section int

const (
	SectionL Section = iota
	SectionA
	SectionB
)

// Packed is the assignment of the variables of one section: positions count
// points in the section. No position occurs both in Bits and in Index.
type Packed struct {
	Bits    []uint64     // bitmap over positions: bit variables with value 1
	Index   []uint32     // positions of scalar variables and inputs, the same for every witness
	Scalars []fr.Element // their values
}
