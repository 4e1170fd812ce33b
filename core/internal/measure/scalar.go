package measure

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/groth16/ntt"
	"github.com/libcuzk/libcuzk/core/internal/poseidon"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// vector returns n field elements that look random; equal salts give equal ones.
func vector(ctx context.Context, n, workers int, salt uint64) ([]fr.Element, error) {
	v := make([]fr.Element, n)
	return v, inBlocks(ctx, workers, n, func(lo, hi int) {
		rng := rand.New(rand.NewPCG(uint64(lo), salt))
		for i := lo; i < hi; i++ {
			v[i] = fr.Element{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64() >> 2} // below the modulus in Montgomery form
		}
	})
}

// prepareField: n products of scalar field elements.
func prepareField(ctx context.Context, n, workers int) (work, error) {
	x, err := vector(ctx, n, workers, 1)
	if err != nil {
		return work{}, err
	}
	y, err := vector(ctx, n, workers, 2)
	if err != nil {
		return work{}, err
	}
	z := make([]fr.Element, n)
	run := func(ctx context.Context) error {
		return inBlocks(ctx, workers, n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				z[i].Mul(&x[i], &y[i])
			}
		})
	}
	check := func(context.Context) error { // the other way: by division
		for i := range min(n, 64) {
			var q fr.Element
			if q.Div(&z[i], &y[i]); q != x[i] {
				return wrong("field")
			}
		}
		return nil
	}
	return work{run, check, func() { z[n/2].SetOne(); z[0].SetOne() }}, nil
}

// prepareNTT: one transform from coefficients to values. The values of one run
// are the coefficients of the next.
func prepareNTT(ctx context.Context, n, workers int) (work, error) {
	t, err := ntt.New(n, workers)
	if err != nil {
		return work{}, err
	}
	v, err := vector(ctx, n, workers, 1)
	var constant fr.Element // coefficient of the last run
	run := func(ctx context.Context) error {
		constant = v[0]
		return t.Forward(ctx, v)
	}
	check := func(ctx context.Context) error { // of the sum of all values, and once more there and back
		if ok, err := sumsTo(ctx, workers, v, &constant); err != nil || !ok {
			return cmp.Or(err, wrong("ntt"))
		}
		before := make([]fr.Element, n)
		if err := inBlocks(ctx, workers, n, func(lo, hi int) { copy(before[lo:hi], v[lo:hi]) }); err != nil {
			return err
		}
		one := fr.One()
		if err := t.Forward(ctx, v); err != nil {
			return err
		}
		if err := t.Inverse(ctx, v, &one); err != nil {
			return err
		}
		var differ atomic.Bool
		err := inBlocks(ctx, workers, n, func(lo, hi int) {
			if !slices.Equal(v[lo:hi], before[lo:hi]) {
				differ.Store(true)
			}
		})
		if err != nil || differ.Load() {
			return cmp.Or(err, wrong("ntt"))
		}
		return nil
	}
	return work{run, check, func() { v[n/2].SetOne() }}, err
}

// sumsTo says whether the values of a polynomial on n points add up to n times
// its constant coefficient, as they do on roots of unity and nowhere else.
func sumsTo(ctx context.Context, workers int, values []fr.Element, constant *fr.Element) (bool, error) {
	var sum, want fr.Element
	var mu sync.Mutex // guards sum
	err := inBlocks(ctx, workers, len(values), func(lo, hi int) {
		var part fr.Element
		for i := lo; i < hi; i++ {
			part.Add(&part, &values[i])
		}
		mu.Lock()
		defer mu.Unlock()
		sum.Add(&sum, &part)
	})
	want.SetUint64(uint64(len(values)))
	want.Mul(&want, constant)
	return sum == want, err
}

// preparePoseidon: n hashes of eight elements, as in trees of commitments.
func preparePoseidon(ctx context.Context, n, workers int) (work, error) {
	const arity = 8
	hash := poseidon.Merkle(arity)
	in, err := vector(ctx, n, workers, 1)
	out := make([]fr.Element, n)
	at := func(i int) fr.Element {
		var children [arity]fr.Element
		for k := range children {
			children[k] = in[(i+k)%n]
		}
		return hash.Hash(children[:])
	}
	run := func(ctx context.Context) error {
		return inBlocks(ctx, workers, n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				out[i] = at(i)
			}
		})
	}
	check := func(context.Context) error {
		if last := at(n - 1); last != out[n-1] || last.IsZero() {
			return wrong("poseidon")
		}
		return nil
	}
	return work{run, check, func() { out[n-1].SetOne() }}, err
}

// prepareSHA256: n hashes of two nodes, as in trees over data.
func prepareSHA256(ctx context.Context, n, workers int) (work, error) {
	in, err := vector(ctx, n, workers, 1)
	nodes, out := make([]filecoin.Node, n), make([]filecoin.Node, n)
	if err == nil {
		err = inBlocks(ctx, workers, n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				nodes[i] = filecoin.FromField(&in[i])
			}
		})
	}
	at := func(i int) filecoin.Node { return filecoin.HashD(&nodes[i], &nodes[(i+1)%n]) }
	run := func(ctx context.Context) error {
		return inBlocks(ctx, workers, n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				out[i] = at(i)
			}
		})
	}
	check := func(context.Context) error {
		if at(n-1) != out[n-1] || out[n-1] == (filecoin.Node{}) {
			return wrong("sha256")
		}
		return nil
	}
	return work{run, check, func() { out[n-1][0] ^= 1 }}, err
}

// inBlocks calls fn for stretches of 0…n and looks at ctx between them, so that work
// of any size stops within some milliseconds.
func inBlocks(ctx context.Context, workers, n int, fn func(lo, hi int)) error {
	const block = 1024
	return spawn.Each(ctx, workers, (n+block-1)/block, func(k int) error {
		fn(k*block, min(n, (k+1)*block))
		return nil
	})
}
