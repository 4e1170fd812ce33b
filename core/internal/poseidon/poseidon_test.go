package poseidon

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"
)

var arities = []int{2, 4, 8, 11, 16, 24, 36}

func hexOf(e fr.Element) string { b := e.Bytes(); return fmt.Sprintf("%x", b[:]) }

func elements(v ...uint64) []fr.Element {
	out := make([]fr.Element, len(v))
	for i := range v {
		out[i].SetUint64(v[i])
	}
	return out
}

func counting(n int) []fr.Element {
	out := make([]fr.Element, n)
	for i := range out {
		out[i].SetUint64(uint64(i))
	}
	return out
}

// The vectors were computed by an independent script that reproduces the
// constants of filecoin-hashers' test_poseidon_hasher.
func TestHashVectors(t *testing.T) {
	for _, v := range []struct {
		c    *Constants
		in   []fr.Element
		want string
	}{
		{Merkle(4), counting(4), "58a54b10a9e5848a00db3c6579229399fb6b4605bf1327ec019814ff6662075d"},
		{Merkle(8), counting(8), "2394611da3a5de5512010042116770774b682e9d9cc4aed92a9934f56d38a5e6"},
		{Merkle(11), counting(11), "0c0fc1b2e5227f286ca537e232ebe87a09f3dcd8ccb08fc1cee3bbc32b693163"},
		{Custom2(), elements(1, 2), "702c879bafdb05ab3018f4fbc1d4c74854af845cdbb6bb53e40d5f9cb5e92f3c"},
	} {
		require.Equal(t, v.want, hexOf(v.c.Hash(v.in)), "arity %d", len(v.in))
	}
}

func TestConstantVectors(t *testing.T) {
	c := Merkle(2)
	require.Len(t, c.CC, 8*3+55)
	require.Equal(t, "669f064bfa3ae17a23bd51861dbb4a24501eac92a2758b36a7320a009d6ed3d8", hexOf(c.CC[0]))
	require.Equal(t, "0bfc421d38531805382624c9d2d2d02b1f2f5590316c401b2f5f56ca2f12a0d1", hexOf(c.CC[3]))
	require.Equal(t, "713fcab884bfd08e8f9c136139ae3a792622591b5de7509b2641c09aea0a3b9a", hexOf(c.CC[12]))
	require.Equal(t, "15ea0de59c6ae7c8b21fd309ef84aba77c2d8e8139c9c08f5cca2138d161fdfd", hexOf(c.CC[15]))
	require.Equal(t, "59d39397f9b91a3745685546ac8e905f0374bec2c68a96278d2f73d4d6a692a2", hexOf(c.Sparse[0].Col[1]))
}

// plain is the permutation as the Poseidon paper defines it.
func plain(tag fr.Element, in []fr.Element) fr.Element {
	t := len(in) + 1
	rp := partialRounds[t]
	rc, m := roundConstants(t, rp), mds(t)
	s := append([]fr.Element{tag}, in...)
	for r := range FullRounds + rp {
		for i := range s {
			s[i].Add(&s[i], &rc[r*t+i])
			if i == 0 || r < FullRounds/2 || r >= FullRounds/2+rp {
				s[i] = fifth(s[i])
			}
		}
		s = mulRow(s, m)
	}
	return s[1]
}

func fifth(x fr.Element) fr.Element {
	var y fr.Element
	y.Square(&x)
	y.Square(&y)
	return *y.Mul(&y, &x)
}

func TestOptimisedEqualsPlain(t *testing.T) {
	rng, seed := newRand()
	for _, arity := range arities {
		for range 3 {
			in := randoms(rng, arity)
			require.Equal(t, plain(Merkle(arity).Tag, in), Merkle(arity).Hash(in), "arity %d seed %d", arity, seed)
		}
	}
	in := randoms(rng, 2)
	require.Equal(t, plain(Custom2().Tag, in), Custom2().Hash(in), "custom tag, seed %d", seed)
}

func TestMatrixProducts(t *testing.T) {
	rng, seed := newRand()
	for _, arity := range arities {
		c := Merkle(arity)
		v := randoms(rng, c.T)
		for _, m := range [][][]fr.Element{c.M, c.PreSparse, mulMatrix(c.M, c.M)} {
			want := mulRow(v, m)
			got := append([]fr.Element(nil), v...)
			c.MulDense(m, got)
			require.Equal(t, want, got, "arity %d seed %d", arity, seed)
		}
		sparse := square(c.T)
		for i := range sparse {
			sparse[i][i].SetOne()
			sparse[i][0] = c.Sparse[1].Col[i]
		}
		copy(sparse[0][1:], c.Sparse[1].Row)
		want := mulRow(v, sparse)
		c.MulSparse(1, v)
		require.Equal(t, want, v, "arity %d seed %d", arity, seed)
	}
}

// trace follows the circuit's schedule (neptune circuit.rs) with the matrices
// of the interface, one S-box after the other.
func trace(c *Constants, in []fr.Element) (out []fr.Element) {
	s := append([]fr.Element{c.Tag}, in...)
	cc := c.CC[c.T:]
	sbox := func(i int, l fr.Element, post bool) {
		var l2, l4 fr.Element
		l2.Square(&l)
		l4.Square(&l2)
		s[i] = fifth(l)
		if post {
			s[i].Add(&s[i], &cc[0])
			cc = cc[1:]
		}
		out = append(out, l2, l4, s[i])
	}
	for r := range c.RF + c.RP {
		inner := r >= c.RF/2 && r < c.RF/2+c.RP
		for i := range s {
			l := s[i]
			switch {
			case inner && i > 0:
				continue
			case r == 0:
				l.Add(&l, &c.CC[i])
			default:
				out = append(out, l)
			}
			sbox(i, l, r < c.RF+c.RP-1)
		}
		switch {
		case inner:
			c.MulSparse(r-c.RF/2, s)
		case r == c.RF/2-1:
			c.MulDense(c.PreSparse, s)
		default:
			c.MulDense(c.M, s)
		}
		if r == 0 {
			out = out[3:] // the tag is a constant
		}
	}
	return append(out, s[1])
}

// Constraint counts of the published circuits, which allocate as many
// variables; values against the schedule in its plainest form.
func TestTrace(t *testing.T) {
	rng, seed := newRand()
	for arity, count := range map[int]int{2: 311, 4: 377, 8: 505, 11: 598, 16: 761, 24: 1009, 36: 1385} {
		c := Merkle(arity)
		require.Equal(t, count, c.Variables())
		in, out := randoms(rng, arity), make([]fr.Element, count)
		c.Trace(in, out)
		require.Equal(t, trace(c, in), out, "arity %d seed %d", arity, seed)
		require.Equal(t, c.Hash(in), out[count-1])
		require.Panics(t, func() { c.Trace(in, out[1:]) })
	}
}

func TestMerkleIsSharedAndConcurrent(t *testing.T) {
	got := make([]*Constants, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = Merkle(16) })
	}
	wg.Wait()
	for _, c := range got {
		require.Same(t, got[0], c)
	}
	require.Panics(t, func() { Merkle(3) })
	require.Panics(t, func() { Merkle(2).Hash(make([]fr.Element, 3)) })
}

func TestHashDoesNotAllocate(t *testing.T) {
	c, in := Merkle(8), counting(8)
	require.Zero(t, testing.AllocsPerRun(10, func() { c.Hash(in) }))
	out := make([]fr.Element, c.Variables())
	require.Zero(t, testing.AllocsPerRun(10, func() { c.Trace(in, out) }))
	s := counting(9)
	require.Zero(t, testing.AllocsPerRun(10, func() { c.MulDense(c.M, s); c.MulSparse(0, s) }))
}

func newRand() (*rand.Rand, uint64) {
	seed := uint64(time.Now().UnixNano())
	return rand.New(rand.NewPCG(seed, 1)), seed
}

func randoms(rng *rand.Rand, n int) []fr.Element {
	out := make([]fr.Element, n)
	for i := range out {
		var b [64]byte
		for j := range b {
			b[j] = byte(rng.Uint32())
		}
		out[i].SetBytes(b[:])
	}
	return out
}
