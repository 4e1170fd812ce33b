package groth16

import (
	"context"
	"sync"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// CPU is the backend that computes here. Its SRS may be mapped, then points are
// decoded in chunks each time, or resident. It is safe for concurrent use.
type CPU struct {
	srs     *params.SRS
	workers int
	divider func() (*divider, error) // made by the first proof, then shared
}

// NewCPU returns a backend that uses up to workers threads per operation.
func NewCPU(srs *params.SRS, workers int) *CPU {
	workers = max(1, workers)
	prepare := func() (*divider, error) { return newDivider(srs.H.Len()+1, workers) }
	return &CPU{srs: srs, workers: workers, divider: sync.OnceValues(prepare)}
}

// Sums computes one sum after the other. The quotient comes first: it needs the
// most memory.
func (c *CPU) Sums(ctx context.Context, circuit *r1cs.Circuit, p *Plan, w *r1cs.Witness, t *Timings, _ Hooks) (s Sums, err error) {
	if w.Sketch {
		return s, status.New(status.Internal, "witness", "a sketch of a witness for the CPU")
	}
	h, err := c.quotient(ctx, circuit, w, t)
	if err != nil {
		return s, err
	}
	if err = t.H.measure(func() error { s.H, err = curve.MSMG1(ctx, c.srs.H, h, c.workers); return err }); err != nil {
		return s, err
	}
	l, a, b := p.L.pack(w), p.A.pack(w), p.B.pack(w)
	for _, step := range []struct {
		stage *Stage
		run   func() error
	}{
		{&t.L, func() error { s.L, err = c.sumG1(ctx, c.srs.L, l); return err }},
		{&t.A, func() error { s.A, err = c.sumG1(ctx, c.srs.A, a); return err }},
		{&t.B1, func() error { s.B1, err = c.sumG1(ctx, c.srs.B1, b); return err }},
		{&t.B2, func() error { s.B2, err = c.sumG2(ctx, b); return err }},
	} {
		if err := step.stage.measure(step.run); err != nil {
			return s, err
		}
	}
	return s, nil
}

// quotient evaluates a and b and divides; three vectors of the domain's size
// live at the same time, one remains.
func (c *CPU) quotient(ctx context.Context, circuit *r1cs.Circuit, w *r1cs.Witness, t *Timings) (h []fr.Element, err error) {
	n := circuit.Domain()
	a, b := make([]fr.Element, n), make([]fr.Element, n)
	err = t.Eval.measure(func() error {
		return circuit.EvalAB(ctx, w, a, b, c.workers)
	})
	if err != nil {
		return nil, err
	}
	err = t.NTT.measure(func() error {
		d, err := c.divider()
		if err == nil {
			h, err = d.quotient(ctx, a, b)
		}
		return err
	})
	return h, err
}

// sumG1 adds the selected points of the bit variables and the products of the
// others.
func (c *CPU) sumG1(ctx context.Context, src curve.SourceG1, x Packed) (curve.G1Affine, error) {
	sum, err := curve.SumSelectedG1(ctx, src, x.Bits, c.workers)
	if err != nil {
		return sum, err
	}
	rest, err := curve.MSMG1(ctx, curve.SubsetG1{From: src, Index: x.Index}, x.Scalars, c.workers)
	return *sum.Add(&sum, &rest), err
}

// sumG2 is sumG1 over section B in G2.
func (c *CPU) sumG2(ctx context.Context, x Packed) (curve.G2Affine, error) {
	sum, err := curve.SumSelectedG2(ctx, c.srs.B2, x.Bits, c.workers)
	if err != nil {
		return sum, err
	}
	rest, err := curve.MSMG2(ctx, curve.SubsetG2{From: c.srs.B2, Index: x.Index}, x.Scalars, c.workers)
	return *sum.Add(&sum, &rest), err
}
