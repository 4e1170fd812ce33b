package measure

import (
	"context"
	"math/big"
	"sync"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/curve"
)

// The points that are summed are known multiples of the generator, so that
// every sum of them can be checked with one multiplication.

// pointsG1 makes the generator's multiples.
func pointsG1(ctx context.Context, multiples []fr.Element, workers int) (curve.SliceG1, error) {
	f, err := curve.NewFixedG1(ctx, curve.GeneratorG1(), len(multiples), workers)
	if err != nil {
		return nil, err
	}
	out := make(curve.SliceG1, len(multiples))
	return out, f.Mul(ctx, out, multiples, workers)
}

// pointsG2 makes the generator's multiples.
func pointsG2(ctx context.Context, multiples []fr.Element, workers int) (curve.SliceG2, error) {
	f, err := curve.NewFixedG2(ctx, curve.GeneratorG2(), len(multiples), workers)
	if err != nil {
		return nil, err
	}
	out := make(curve.SliceG2, len(multiples))
	return out, f.Mul(ctx, out, multiples, workers)
}

// inner returns Σ x[i]·y[i].
func inner(ctx context.Context, workers int, x, y []fr.Element) (*big.Int, error) {
	var sum fr.Element
	var mu sync.Mutex // guards sum
	err := inBlocks(ctx, workers, len(x), func(lo, hi int) {
		var part, term fr.Element
		for i := lo; i < hi; i++ {
			part.Add(&part, term.Mul(&x[i], &y[i]))
		}
		mu.Lock()
		defer mu.Unlock()
		sum.Add(&sum, &part)
	})
	return sum.BigInt(new(big.Int)), err
}

// multiplesAnd returns two vectors: multiples of the generator, and scalars.
func multiplesAnd(ctx context.Context, n, workers int) (multiples, scalars []fr.Element, err error) {
	if multiples, err = vector(ctx, n, workers, 1); err != nil {
		return nil, nil, err
	}
	scalars, err = vector(ctx, n, workers, 2)
	return multiples, scalars, err
}

// prepareMSMG1: the sum of n points of G1 times scalars of full length.
func prepareMSMG1(ctx context.Context, n, workers int) (work, error) {
	multiples, scalars, err := multiplesAnd(ctx, n, workers)
	if err != nil {
		return work{}, err
	}
	points, err := pointsG1(ctx, multiples, workers)
	var sum curve.G1Affine
	run := func(ctx context.Context) (err error) {
		sum, err = curve.MSMG1(ctx, points, scalars, workers)
		return err
	}
	check := func(ctx context.Context) error {
		k, err := inner(ctx, workers, scalars, multiples)
		if err != nil {
			return err
		}
		want := curve.GeneratorG1()
		if want.ScalarMultiplication(&want, k); !want.Equal(&sum) {
			return wrong("msm_g1")
		}
		return nil
	}
	return work{run, check, func() { sum.Add(&sum, &points[0]) }}, err
}

// prepareMSMG2: as prepareMSMG1, in G2.
func prepareMSMG2(ctx context.Context, n, workers int) (work, error) {
	multiples, scalars, err := multiplesAnd(ctx, n, workers)
	if err != nil {
		return work{}, err
	}
	points, err := pointsG2(ctx, multiples, workers)
	var sum curve.G2Affine
	run := func(ctx context.Context) (err error) {
		sum, err = curve.MSMG2(ctx, points, scalars, workers)
		return err
	}
	check := func(ctx context.Context) error {
		k, err := inner(ctx, workers, scalars, multiples)
		if err != nil {
			return err
		}
		want := curve.GeneratorG2()
		if want.ScalarMultiplication(&want, k); !want.Equal(&sum) {
			return wrong("msm_g2")
		}
		return nil
	}
	return work{run, check, func() { sum.Add(&sum, &points[0]) }}, err
}

// prepareBitSum: the sum of those of n points whose bit is set, every other one
// on average.
func prepareBitSum(ctx context.Context, n, workers int) (work, error) {
	multiples, random, err := multiplesAnd(ctx, n, workers)
	if err != nil {
		return work{}, err
	}
	points, err := pointsG1(ctx, multiples, workers)
	bitmap, bits := make([]uint64, (n+63)/64), make([]fr.Element, n)
	for i := range n {
		if i&(1<<16-1) == 0 && ctx.Err() != nil {
			return work{}, context.Cause(ctx)
		}
		if i == 0 || random[i][0]&1 == 1 {
			bitmap[i/64] |= 1 << (i % 64)
			bits[i].SetOne()
		}
	}
	var sum curve.G1Affine
	run := func(ctx context.Context) (err error) {
		sum, err = curve.SumSelectedG1(ctx, points, bitmap, workers)
		return err
	}
	check := func(ctx context.Context) error {
		k, err := inner(ctx, workers, bits, multiples)
		if err != nil {
			return err
		}
		want := curve.GeneratorG1()
		if want.ScalarMultiplication(&want, k); !want.Equal(&sum) {
			return wrong("bit_sum_g1")
		}
		return nil
	}
	return work{run, check, func() { sum.Add(&sum, &points[0]) }}, err
}
