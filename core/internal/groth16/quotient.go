package groth16

import (
	"context"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/utils"

	"github.com/libcuzk/libcuzk/core/internal/groth16/ntt"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// divider computes quotients on domains of n points.
type divider struct {
	transform         ntt.Transform
	workers           int
	forward, backward fr.Element // g and 1/g, where g is a primitive 2n-th root of unity
}

// newDivider prepares quotients on the domain of n points.
func newDivider(n, workers int) (*divider, error) {
	t, err := ntt.New(n, workers)
	if err != nil {
		return nil, err
	}
	g, err := ntt.Root(2 * n)
	if err != nil {
		return nil, err
	}
	d := &divider{transform: t, workers: workers, forward: g}
	d.backward.Inverse(&g)
	return d, nil
}

// quotient returns the coefficients of (a·b − c)/(X^n − 1) for a and b given by
// their values on the domain and c = a∘b, in six transforms (docs/design.md 2.4):
// with c and d the product modulo X^n − 1 and X^n + 1, it is (c − d)/2. The
// result is the memory of b, without the last coefficient, which is zero; a is
// overwritten.
func (d *divider) quotient(ctx context.Context, a, b []fr.Element) ([]fr.Element, error) {
	c := make([]fr.Element, len(a))
	one := fr.One()
	for _, step := range []func() error{
		func() error { return d.product(c, a, b) },
		func() error { return d.toOddCoset(ctx, a) },
		func() error { return d.toOddCoset(ctx, b) },
		func() error { return d.product(b, a, b) },
		func() error { return d.transform.Inverse(ctx, b, &d.backward) },
		func() error { return d.transform.Inverse(ctx, c, &one) },
		func() error { return d.halfDifference(b, c) },
	} {
		err := step()
		if ctx.Err() != nil {
			return nil, stopped(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	return b[:len(b)-1], nil
}

// toOddCoset turns values on the domain into values on its odd coset.
func (d *divider) toOddCoset(ctx context.Context, v []fr.Element) error {
	if err := d.transform.Inverse(ctx, v, &d.forward); err != nil {
		return err
	}
	return d.transform.Forward(ctx, v)
}

// product sets z to x∘y.
func (d *divider) product(z, x, y []fr.Element) error {
	spawn.Range(d.workers, len(z), func(_, lo, hi int) {
		ntt.Products(z[lo:hi], x[lo:hi], y[lo:hi])
	})
	return nil
}

// halfDifference sets x to (y − x)/2 in natural order.
func (d *divider) halfDifference(x, y []fr.Element) error {
	spawn.Range(d.workers, len(x), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			x[i].Sub(&y[i], &x[i])
			x[i].Halve()
		}
	})
	utils.BitReverse(x)
	return nil
}
