// Package poseidon holds Filecoin's Poseidon hash over the BLS12-381 scalar
// field: neptune's optimised form with compressed round constants and sparse
// partial-round matrices, which is also the form that the circuits use.
//
// Widths and round numbers are those of neptune 11.0.0 (round_numbers.rs),
// α = 5, 128-bit security. Everything is computed from the specification; no
// table is stored.
package poseidon

import (
	"fmt"
	"sync"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// FullRounds is R_F, half of them before and half after the partial rounds.
const FullRounds = 8

// MaxWidth is the largest supported t, arity 36.
const MaxWidth = 37

// partialRounds is R_P by width t (neptune round_numbers.rs:45-110).
var partialRounds = map[int]int{3: 55, 5: 56, 9: 57, 12: 57, 17: 59, 25: 59, 37: 60}

// Constants is one instance of the permutation: width t = arity+1, state
// [tag, inputs…], result element 1. It is read-only and shared.
type Constants struct {
	T, RF, RP int
	Tag       fr.Element // domain tag: 2^arity − 1 for trees, 2^40 for the custom tag
	// CC holds the 8t+RP compressed round constants in order of use: t added
	// before the first S-box layer, then t after the S-boxes of each of the
	// first four full rounds, one after the S-box of each partial round, and t
	// after the S-boxes of each of the next three full rounds.
	CC []fr.Element
	// M is the MDS matrix, PreSparse replaces it in the fourth full round. Both
	// are t×t and applied as row vector times matrix.
	M, PreSparse [][]fr.Element
	Sparse       []Sparse // of the RP partial rounds, in order of use

	mCols, preCols []fr.Element // the matrices column by column, t² values each
	blocks         []block      // the partial rounds, some at a time
}

// Sparse is the matrix of a partial round: new_0 = Σ_i s_i·Col[i] and, for
// j ≥ 1, new_j = s_j + s_0·Row[j−1]. Col has t entries, Row t−1.
type Sparse struct{ Col, Row []fr.Element }

var cache sync.Map // int arity → func() *Constants

// Merkle returns the instance with the tag 2^arity − 1 that trees, columns and
// comm_r use. Arity is one of 2, 4, 8, 11, 16, 24, 36; any other one panics.
// The result is made once and may be used concurrently.
func Merkle(arity int) *Constants {
	if _, ok := partialRounds[arity+1]; !ok {
		panic(fmt.Sprintf("poseidon: no instance of arity %d", arity))
	}
	get, ok := cache.Load(arity)
	if !ok {
		once := sync.OnceValue(func() *Constants { return newConstants(arity + 1) })
		get, _ = cache.LoadOrStore(arity, once)
	}
	return get.(func() *Constants)()
}

var custom2 = sync.OnceValue(func() *Constants {
	c := *Merkle(2)
	c.Tag.SetUint64(1 << 40)
	return &c
})

// Custom2 returns the instance of arity 2 with the domain tag 2^40, which
// sector updates use for phi, rho and challenge digests
// (storage-proofs-update/src/constants.rs).
func Custom2() *Constants { return custom2() }

func newConstants(t int) *Constants {
	rp := partialRounds[t]
	m := mds(t)
	mInv := invert(m)
	c := &Constants{T: t, RF: FullRounds, RP: rp, M: m}
	c.Tag.SetUint64(1<<(t-1) - 1)
	c.CC = compress(roundConstants(t, rp), mInv, t, rp)
	c.PreSparse, c.Sparse = sparseFactors(m, rp)
	c.mCols, c.preCols, c.blocks = columns(c.M), columns(c.PreSparse), blocks(c.Sparse)
	return c
}

// compress moves the constants of every round behind the S-boxes of the round
// before and folds those of the partial rounds into one element each (neptune
// preprocessing.rs). rc has t values for each of the 8+rp rounds.
func compress(rc []fr.Element, mInv [][]fr.Element, t, rp int) []fr.Element {
	round := func(i int) []fr.Element { return rc[i*t : (i+1)*t] }
	const half = FullRounds / 2
	cc := make([]fr.Element, 0, FullRounds*t+rp)
	cc = append(cc, round(0)...)
	for i := 1; i < half; i++ {
		cc = append(cc, mulRow(round(i), mInv)...)
	}

	// Going backwards through the partial rounds, only element 0 of a constant
	// has to stay in its round; the rest passes through the identity part of
	// the S-box layer into the round before.
	acc := append([]fr.Element(nil), round(half+rp)...)
	kept := make([]fr.Element, rp)
	for k := half + rp - 1; k >= half; k-- {
		y := mulRow(acc, mInv)
		kept[k-half] = y[0]
		y[0].SetZero()
		for j := range y {
			acc[j].Add(&round(k)[j], &y[j])
		}
	}
	cc = append(cc, mulRow(acc, mInv)...)
	cc = append(cc, kept...)
	for i := 1; i < half; i++ {
		cc = append(cc, mulRow(round(half+rp+i), mInv)...)
	}
	return cc
}
