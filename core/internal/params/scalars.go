package params

import (
	"context"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// Scalars are test parameters before the generators are multiplied: what a
// device needs to make the points itself.
type Scalars struct {
	Key            *verify.Key
	Layout         Layout
	HFirst, HRatio fr.Element   // h_i = HFirst·HRatio^i
	L, A, B        []fr.Element // in the order of the sections
}

// Evaluate computes the scalars of test parameters of c and their verifying key.
// It takes at most three vectors of the domain's size in memory.
func Evaluate(ctx context.Context, c *r1cs.Circuit, toxic *Toxic, workers int) (*Scalars, error) {
	s := &setup{ctx: ctx, circuit: c, toxic: toxic, workers: max(1, workers)}
	if err := s.evaluate(); err != nil {
		return nil, err
	}
	if err := s.smallTables(); err != nil {
		return nil, err
	}
	key, err := s.key()
	if err != nil {
		return nil, err
	}
	out := &Scalars{Key: key, Layout: s.layout, HRatio: toxic.Tau, L: s.l, A: s.a, B: s.b}
	out.HFirst.Div(&s.vanishing, &toxic.Delta)
	return out, nil
}

// smallTables makes window tables for the points of the verifying key alone.
func (s *setup) smallTables() (err error) {
	if s.g1, err = curve.NewFixedG1(s.ctx, curve.GeneratorG1(), s.layout.IC+3, s.workers); err != nil {
		return err
	}
	s.g2, err = curve.NewFixedG2(s.ctx, curve.GeneratorG2(), 3, s.workers)
	return err
}
