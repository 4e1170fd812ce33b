package main

import (
	"context"
	"fmt"
	"math/big"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// oracle checks the sums of a backend by the known logarithms of generated
// parameters: Σ w_i·(s_i·G) = (Σ w_i·s_i)·G. When a proof does not verify it
// names the sum that is wrong; if none is named, it is the one over h.
type oracle struct {
	groth16.Backend
	scalars *params.Scalars
}

// Sums asks the backend and checks l, a, b_g1 and b_g2.
func (o *oracle) Sums(ctx context.Context, c *r1cs.Circuit, p *groth16.Plan, w *r1cs.Witness, t *groth16.Timings, hooks groth16.Hooks) (groth16.Sums, error) {
	s, err := o.Backend.Sums(ctx, c, p, w, t, hooks)
	if err != nil {
		return s, err
	}
	l, a, b := logarithm(c, w, &p.L, o.scalars.L), logarithm(c, w, &p.A, o.scalars.A), logarithm(c, w, &p.B, o.scalars.B)
	var wrong []string
	for _, x := range []struct {
		name string
		have curve.G1Affine
		log  *big.Int
	}{{"l", s.L, l}, {"a", s.A, a}, {"b_g1", s.B1, b}} {
		want := curve.GeneratorG1()
		want.ScalarMultiplication(&want, x.log)
		if !want.Equal(&x.have) {
			wrong = append(wrong, x.name)
		}
	}
	want := curve.GeneratorG2()
	want.ScalarMultiplication(&want, b)
	if !want.Equal(&s.B2) {
		wrong = append(wrong, "b_g2")
	}
	if len(wrong) > 0 {
		return s, fmt.Errorf("wrong sums: %v", wrong)
	}
	return s, nil
}

// logarithm is Σ w_i·s_i over a section.
func logarithm(c *r1cs.Circuit, w *r1cs.Witness, q *groth16.Query, scalars []fr.Element) *big.Int {
	var sum, term fr.Element
	at := 0
	add := func(v *fr.Element) {
		sum.Add(&sum, term.Mul(v, &scalars[at]))
		at++
	}
	for _, i := range q.Inputs() {
		add(&w.Inputs[i])
	}
	dense := q.Dense()
	c.Aux(w, func(i int, v *fr.Element) {
		if dense == nil || dense[i>>6]>>(i&63)&1 == 1 {
			add(v)
		}
	})
	return sum.BigInt(new(big.Int))
}
