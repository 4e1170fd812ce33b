package params

import (
	"context"
	"math/big"
	"sync/atomic"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// MakeOptions says how test parameters are made.
type MakeOptions struct {
	Workers int  // threads, at least 1
	Replace bool // existing files, which are an error otherwise
	// Progress, if set, is called from the calling goroutine with the bytes
	// written so far and the length of the whole file.
	Progress func(done, total int64)
}

// Make writes test parameters of c to path (`.params`) and the verifying key to
// vkPath, in the same folder: both or neither, see [Save]. Formulas:
// docs/filecoin.md 4.4, bellperson groth16/generator.rs. For the golden toxic values
// the bytes equal bellperson's.
func Make(ctx context.Context, c *r1cs.Circuit, toxic *Toxic, path, vkPath string, opts MakeOptions) error {
	out, err := Begin(ctx, path, vkPath, opts.Replace) // before any work
	if err != nil {
		return err
	}
	defer out.Abort()
	s := &setup{ctx: ctx, circuit: c, toxic: toxic, workers: max(1, opts.Workers)}
	if err := s.evaluate(); err != nil {
		return err
	}
	if err := s.tables(); err != nil {
		return err
	}
	key, err := s.key()
	if err != nil {
		return err
	}
	points := Points{Set: s.points, Part: 1 << 15, Workers: 1}
	return out.save(ctx, key, s.layout, points, opts.Progress)
}

// setup is one making of parameters: first scalars, then points.
type setup struct {
	ctx     context.Context
	circuit *r1cs.Circuit
	toxic   *Toxic
	workers int

	layout    Layout
	vanishing fr.Element   // τ^n − 1
	ic, l     []fr.Element // (β·a + α·b + c)/γ of inputs, /δ of aux variables
	a, b      []fr.Element // columns of A and B that are not zero
	g1        *curve.FixedG1
	g2        *curve.FixedG2
}

// evaluate computes the scalars of every section but h.
func (s *setup) evaluate() error {
	c := s.circuit
	s.vanishing = vanishing(&s.toxic.Tau, c.Domain())
	if err := s.toxic.validate(&s.vanishing); err != nil {
		return err
	}
	s.layout = LayoutOf(c)
	l, err := newLagrange(&s.toxic.Tau, c.Domain())
	if err != nil {
		return err
	}
	q, err := c.QAP(s.ctx, l.at, s.workers)
	if err != nil {
		return err
	}
	if err := s.combine(q); err != nil {
		return err
	}
	s.ic, s.l, s.a, s.b = q.C[:c.NumInputs], q.C[c.NumInputs:], q.A, q.B
	return ended(s.ctx, context.Cause(s.ctx))
}

// combine sets c to (β·a + α·b + c), over γ for inputs and over δ for aux. Zeros
// would be points at infinity, which parameters cannot have.
func (s *setup) combine(q *r1cs.QAP) error {
	var overGamma, overDelta fr.Element
	overGamma.Inverse(&s.toxic.Gamma)
	overDelta.Inverse(&s.toxic.Delta)
	inputs := s.circuit.NumInputs
	var lost, vanished atomic.Int64 // some variable that has no row, or a column of A or B that is zero; 1 + its number
	q.Combine(s.workers, func(v int, a, b, c *fr.Element) {
		var t fr.Element
		for _, x := range []struct{ column, factor *fr.Element }{{a, &s.toxic.Beta}, {b, &s.toxic.Alpha}} {
			if x.column == nil {
				continue
			}
			if x.column.IsZero() {
				vanished.Store(int64(1 + v))
			}
			c.Add(c, t.Mul(x.column, x.factor))
		}
		if v < inputs {
			c.Mul(c, &overGamma)
			return
		}
		c.Mul(c, &overDelta)
		if c.IsZero() {
			lost.Store(int64(1 + v - inputs))
		}
	})
	if i := lost.Load(); i > 0 {
		return status.New(status.Argument, "circuit", "aux variable %d is not constrained", i-1)
	}
	if i := vanished.Load(); i > 0 {
		return status.New(status.Internal, "setup", "a column of variable %d is zero, the densities say that it is not", i-1)
	}
	return nil
}

// tables makes the window tables of both generators.
func (s *setup) tables() (err error) {
	l := s.layout
	if s.g1, err = curve.NewFixedG1(s.ctx, curve.GeneratorG1(), l.IC+l.H+l.L+l.A+l.B, s.workers); err != nil {
		return err
	}
	s.g2, err = curve.NewFixedG2(s.ctx, curve.GeneratorG2(), l.B, s.workers)
	return err
}

// key makes the verifying key.
func (s *setup) key() (*verify.Key, error) {
	t := s.toxic
	ic := make([]curve.G1Affine, len(s.ic))
	if err := s.g1.Mul(s.ctx, ic, s.ic, s.workers); err != nil {
		return nil, err
	}
	g1 := make([]curve.G1Affine, 3)
	if err := s.g1.Mul(s.ctx, g1, []fr.Element{t.Alpha, t.Beta, t.Delta}, 1); err != nil {
		return nil, err
	}
	g2 := make([]curve.G2Affine, 3)
	if err := s.g2.Mul(s.ctx, g2, []fr.Element{t.Beta, t.Gamma, t.Delta}, 1); err != nil {
		return nil, err
	}
	return &verify.Key{
		AlphaG1: g1[0], BetaG1: g1[1], DeltaG1: g1[2],
		BetaG2: g2[0], GammaG2: g2[1], DeltaG2: g2[2],
		IC: ic,
	}, nil
}

// points sets dst to encoded points of a section.
func (s *setup) points(section, first int, dst []byte) error {
	switch section {
	case SectionH:
		k := make([]fr.Element, len(dst)/curve.SizeG1)
		s.powers(k, first)
		return encoded(s, dst, k, s.g1.Mul, curve.EncodeG1, curve.SizeG1)
	case SectionB2:
		return encoded(s, dst, s.b[first:first+len(dst)/curve.SizeG2], s.g2.Mul, curve.EncodeG2, curve.SizeG2)
	}
	of := map[int][]fr.Element{SectionL: s.l, SectionA: s.a, SectionB1: s.b}[section]
	return encoded(s, dst, of[first:first+len(dst)/curve.SizeG1], s.g1.Mul, curve.EncodeG1, curve.SizeG1)
}

// powers sets dst to τ^i·(τ^n − 1)/δ for i = at, at+1, …
func (s *setup) powers(dst []fr.Element, at int) {
	var v fr.Element
	v.Exp(s.toxic.Tau, big.NewInt(int64(at)))
	v.Mul(&v, &s.vanishing)
	v.Div(&v, &s.toxic.Delta)
	for i := range dst {
		dst[i] = v
		v.Mul(&v, &s.toxic.Tau)
	}
}

// encoded sets dst to the multiples of a generator.
func encoded[P any](s *setup, dst []byte, scalars []fr.Element, mul func(context.Context, []P, []fr.Element, int) error,
	encode func([]byte, *P), size int,
) error {
	points := make([]P, len(scalars))
	if err := mul(s.ctx, points, scalars, s.workers); err != nil {
		return err
	}
	spawn.Range(s.workers, len(points), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			encode(dst[i*size:], &points[i])
		}
	})
	return nil
}
