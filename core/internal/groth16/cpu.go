package groth16

import (
	"context"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"libcuzk/core/internal/curve"
	"libcuzk/core/internal/params"
	"libcuzk/core/internal/r1cs"
)

// CPU is the backend that computes here. Its SRS may be mapped, then points are
// decoded in chunks each time, or resident. It is safe for concurrent use.
type CPU struct {
	srs     *params.SRS
	workers int
}

// NewCPU returns a backend that uses up to workers threads per operation.
func NewCPU(srs *params.SRS, workers int) *CPU { return &CPU{srs: srs, workers: max(1, workers)} }

// Quotient evaluates a and b and divides; three vectors of the domain's size
// live at the same time, one remains.
func (c *CPU) Quotient(ctx context.Context, circuit *r1cs.Circuit, w *r1cs.Witness, t *Timings) (Vector, error) {
	n := circuit.Domain()
	a, b := make([]fr.Element, n), make([]fr.Element, n)
	err := t.Eval.measure(func() error {
		return circuit.EvalAB(ctx, w, a, b, c.workers)
	})
	if err != nil {
		return nil, err
	}
	var h []fr.Element
	err = t.NTT.measure(func() error {
		h, err = Quotient(ctx, a, b, c.workers)
		return err
	})
	return h, err
}

// Dense returns Σ h_i·H_i.
func (c *CPU) Dense(ctx context.Context, h Vector) (curve.G1Affine, error) {
	return curve.MSMG1(ctx, c.srs.H, h.([]fr.Element), c.workers)
}

// SumG1 adds the selected points of the bit variables and the products of the
// others.
func (c *CPU) SumG1(ctx context.Context, s Section, x Packed) (curve.G1Affine, error) {
	src := map[Section]curve.SourceG1{SectionL: c.srs.L, SectionA: c.srs.A, SectionB: c.srs.B1}[s]
	sum, err := curve.SumSelectedG1(ctx, src, x.Bits, c.workers)
	if err != nil {
		return sum, err
	}
	rest, err := curve.MSMG1(ctx, curve.SubsetG1{From: src, Index: x.Index}, x.Scalars, c.workers)
	return *sum.Add(&sum, &rest), err
}

// SumG2 is SumG1 over section B in G2.
func (c *CPU) SumG2(ctx context.Context, x Packed) (curve.G2Affine, error) {
	sum, err := curve.SumSelectedG2(ctx, c.srs.B2, x.Bits, c.workers)
	if err != nil {
		return sum, err
	}
	rest, err := curve.MSMG2(ctx, curve.SubsetG2{From: c.srs.B2, Index: x.Index}, x.Scalars, c.workers)
	return *sum.Add(&sum, &rest), err
}
