package groth16

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/groth16/ntt"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// WitnessBytes is what the packed witness of a circuit takes.
func WitnessBytes(c *r1cs.Circuit) int64 {
	return int64(c.NumAux+7)/8 + int64(c.NumScalars()+c.NumInputs)*fr.Bytes
}

// CPUBytes bounds the memory that a CPU with so many workers takes for one proof
// of a circuit, its witness included and its parameters not. Three vectors of the
// domain live while the quotient is made, of which one remains for the sum over h;
// the collector may not have come to the others by then, so that they count to
// the end.
func CPUBytes(c *r1cs.Circuit, workers int) int64 {
	domain, scalars := c.Domain(), c.NumScalars()+c.NumInputs
	witness := WitnessBytes(c)
	quotient := 3 * int64(domain) * fr.Bytes
	packed := 3 * witness // the assignments of L, A and B; each at most the whole
	sums := packed + max(curve.ScratchG1(scalars, workers), curve.ScratchG2(scalars, workers))
	return witness + quotient + max(ntt.Scratch(domain, workers), curve.ScratchG1(domain, workers), sums)
}
