package measure

import (
	"context"
	"math/rand/v2"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/groth16/ntt"
	"github.com/libcuzk/libcuzk/core/internal/poseidon"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// vector returns n field elements that look random; equal salts give equal ones.
func vector(n, workers int, salt uint64) []fr.Element {
	v := make([]fr.Element, n)
	spawn.Range(workers, n, func(_, lo, hi int) {
		rng := rand.New(rand.NewPCG(uint64(lo), salt))
		for i := lo; i < hi; i++ {
			v[i] = fr.Element{rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.Uint64() >> 2} // below the modulus in Montgomery form
		}
	})
	return v
}

// prepareField: n products of scalar field elements.
func prepareField(_ context.Context, n, workers int) (work, error) {
	x, y, z := vector(n, workers, 1), vector(n, workers, 2), make([]fr.Element, n)
	run := func(context.Context) error {
		spawn.Range(workers, n, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				z[i].Mul(&x[i], &y[i])
			}
		})
		return nil
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
	return work{run, check}, nil
}

// prepareNTT: one transform from coefficients to values. The values of one run
// are the coefficients of the next.
func prepareNTT(_ context.Context, n, workers int) (work, error) {
	t, err := ntt.New(n, workers)
	if err != nil {
		return work{}, err
	}
	v := vector(n, workers, 1)
	before := make([]fr.Element, n)
	run := func(ctx context.Context) error { return t.Forward(ctx, v) }
	check := func(ctx context.Context) error { // once more, and back
		copy(before, v)
		one := fr.One()
		if err := t.Forward(ctx, v); err != nil {
			return err
		}
		if !sumsTo(v, &before[0], n) {
			return wrong("ntt")
		}
		if err := t.Inverse(ctx, v, &one); err != nil {
			return err
		}
		for i := range v {
			if v[i] != before[i] {
				return wrong("ntt")
			}
		}
		return nil
	}
	return work{run, check}, nil
}

// sumsTo says whether the values of a polynomial on n points add up to n times
// its constant coefficient, as they do on roots of unity and nowhere else.
func sumsTo(values []fr.Element, constant *fr.Element, n int) bool {
	var sum, want fr.Element
	for i := range values {
		sum.Add(&sum, &values[i])
	}
	want.SetUint64(uint64(n))
	want.Mul(&want, constant)
	return sum == want
}

// preparePoseidon: n hashes of eight elements, as in trees of commitments.
func preparePoseidon(_ context.Context, n, workers int) (work, error) {
	const arity = 8
	hash := poseidon.Merkle(arity)
	in, out := vector(n, workers, 1), make([]fr.Element, n)
	at := func(i int) fr.Element {
		var children [arity]fr.Element
		for k := range children {
			children[k] = in[(i+k)%n]
		}
		return hash.Hash(children[:])
	}
	run := func(ctx context.Context) error {
		return inBlocks(ctx, workers, n, func(i int) { out[i] = at(i) })
	}
	check := func(context.Context) error {
		if last := at(n - 1); last != out[n-1] || last.IsZero() {
			return wrong("poseidon")
		}
		return nil
	}
	return work{run, check}, nil
}

// prepareSHA256: n hashes of two nodes, as in trees over data.
func prepareSHA256(_ context.Context, n, workers int) (work, error) {
	in := vector(n, workers, 1)
	nodes, out := make([]filecoin.Node, n), make([]filecoin.Node, n)
	for i := range in {
		nodes[i] = filecoin.FromField(&in[i])
	}
	at := func(i int) filecoin.Node { return filecoin.HashD(&nodes[i], &nodes[(i+1)%n]) }
	run := func(ctx context.Context) error {
		return inBlocks(ctx, workers, n, func(i int) { out[i] = at(i) })
	}
	check := func(context.Context) error {
		if at(n-1) != out[n-1] || out[n-1] == (filecoin.Node{}) {
			return wrong("sha256")
		}
		return nil
	}
	return work{run, check}, nil
}

// inBlocks calls fn for 0…n and looks at ctx now and then.
func inBlocks(ctx context.Context, workers, n int, fn func(i int)) error {
	const block = 1024
	return spawn.Each(ctx, workers, (n+block-1)/block, func(k int) error {
		for i := k * block; i < min(n, (k+1)*block); i++ {
			fn(i)
		}
		return nil
	})
}
