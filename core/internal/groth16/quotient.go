package groth16

import (
	"context"
	"math/big"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr/fft"

	"libcuzk/core/internal/spawn"
	"libcuzk/core/internal/status"
)

// Quotient returns the coefficients of (a·b − c)/(X^n − 1) for a and b given by
// their values on the domain of n points and c = a∘b, in six transforms
// (design.md 2.4): with c and d the product modulo X^n − 1 and X^n + 1, it is
// (c − d)/2. The result is the memory of b, without the last coefficient, which
// is zero; a is overwritten.
func Quotient(ctx context.Context, a, b []fr.Element, workers int) ([]fr.Element, error) {
	n := len(a)
	q, err := newQuotient(n, workers)
	if err != nil {
		return nil, err
	}
	c := make([]fr.Element, n)
	spawn.Range(workers, n, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			c[i].Mul(&a[i], &b[i])
		}
	})
	for _, step := range []func(){
		func() { q.toOddCoset(a) },
		func() { q.toOddCoset(b) },
		func() {
			spawn.Range(workers, n, func(_, lo, hi int) {
				for i := lo; i < hi; i++ {
					b[i].Mul(&b[i], &a[i])
				}
			})
		},
		func() { q.inverse(b) },
		func() { q.shift(b, &q.backward) },
		func() { q.inverse(c) },
		func() { q.halfDifference(b, c) },
	} {
		if ctx.Err() != nil {
			return nil, stopped(ctx)
		}
		step()
	}
	return b[:n-1], nil
}

// quotient holds the domain of one division.
type quotient struct {
	domain            *fft.Domain
	workers           int
	forward, backward fr.Element // g and 1/g, where g is a primitive 2n-th root of unity
}

func newQuotient(n, workers int) (*quotient, error) {
	q := &quotient{domain: fft.NewDomain(uint64(n)), workers: workers}
	g, err := fft.Generator(uint64(2 * n))
	if err != nil {
		return nil, status.New(status.Unsupported, "domain", "no evaluation domain of %d points: %w", 2*n, err)
	}
	q.forward = g
	q.backward.Inverse(&g)
	return q, nil
}

// toOddCoset turns values on the domain into values on its odd coset.
func (q *quotient) toOddCoset(v []fr.Element) {
	q.inverse(v)
	q.shift(v, &q.forward)
	q.domain.FFT(v, fft.DIT, fft.WithNbTasks(q.workers))
}

// inverse turns values into coefficients in bit-reversed order.
func (q *quotient) inverse(v []fr.Element) {
	q.domain.FFTInverse(v, fft.DIF, fft.WithNbTasks(q.workers))
}

// shift multiplies coefficient j, which stands at the bit-reversed position, by
// g^j.
func (q *quotient) shift(v []fr.Element, g *fr.Element) {
	// Position i holds coefficient rev(i). Within a run of 2^k positions the low
	// bits of i are the high bits of rev(i): one table of their powers serves
	// every run, times one power for the rest.
	n := len(v)
	run := min(n, 1<<11)
	table := make([]fr.Element, run)
	runs := n / run
	step := power(g, runs) // bit k of the run counts runs·rev
	table[0].SetOne()
	for size := 1; size < run; size *= 2 {
		// Bit log2(size) of i is bit log2(run/(2·size)) of its reversal.
		p := power(&step, run/(2*size))
		for i := range size {
			table[size+i].Mul(&table[i], &p)
		}
	}
	spawn.Range(q.workers, runs, func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			base := power(g, reverse(r, runs))
			block := v[r*run : (r+1)*run]
			for i := range block {
				block[i].Mul(&block[i], &table[i])
				block[i].Mul(&block[i], &base)
			}
		}
	})
}

// halfDifference sets d to (c − d)/2 in natural order.
func (q *quotient) halfDifference(d, c []fr.Element) {
	spawn.Range(q.workers, len(d), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			d[i].Sub(&c[i], &d[i])
			d[i].Halve()
		}
	})
	fft.BitReverse(d)
}

// power returns g^e.
func power(g *fr.Element, e int) (p fr.Element) {
	return *p.Exp(*g, big.NewInt(int64(e)))
}

// reverse reverses the log2(n) low bits of i.
func reverse(i, n int) (r int) {
	for ; n > 1; n >>= 1 {
		r = r<<1 | i&1
		i >>= 1
	}
	return r
}
