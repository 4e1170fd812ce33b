package groth16

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr/fft"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/groth16/toy"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// seeded returns a generator of test values and prints how to repeat it.
func seeded(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("CUZK_TEST_SEED"); s != "" {
		fmt.Sscan(s, &seed)
	}
	t.Logf("CUZK_TEST_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func randomVector(rng *rand.Rand, n int) []fr.Element {
	v := make([]fr.Element, n)
	for i := range v {
		v[i].SetBigInt(new(big.Int).SetBits([]big.Word{big.Word(rng.Uint64()), big.Word(rng.Uint64()), big.Word(rng.Uint64()), big.Word(rng.Uint64())}))
	}
	return v
}

// TestQuotient checks h·(x^n − 1) = a·b − c at a random point, with the
// polynomials interpolated independently of the quotient's own transforms.
func TestQuotient(t *testing.T) {
	rng := seeded(t)
	for _, n := range []int{2, 4, 16, 1 << 11, 1 << 12, 1 << 14} {
		a, b := randomVector(rng, n), randomVector(rng, n)
		x := randomVector(rng, 1)[0]
		ax, bx, cx := interpolate(t, a, nil, &x), interpolate(t, b, nil, &x), interpolate(t, a, b, &x)
		d, err := newDivider(n, 3)
		require.NoError(t, err)
		h, err := d.quotient(context.Background(), a, b)
		require.NoError(t, err)
		require.Len(t, h, n-1)
		var hx, z fr.Element
		for i := len(h) - 1; i >= 0; i-- {
			hx.Mul(&hx, &x)
			hx.Add(&hx, &h[i])
		}
		z.Exp(x, big.NewInt(int64(n)))
		one := fr.One()
		z.Sub(&z, &one)
		hx.Mul(&hx, &z)
		ax.Mul(&ax, &bx)
		ax.Sub(&ax, &cx)
		require.Equal(t, ax, hx, "n=%d", n)
	}
}

// interpolate evaluates at x the polynomial with the values v, or v∘w, on the
// domain, by the barycentric formula.
func interpolate(t *testing.T, v, w []fr.Element, x *fr.Element) (sum fr.Element) {
	n := len(v)
	omega, err := fft.Generator(uint64(n))
	require.NoError(t, err)
	point := fr.One()
	for i := range v {
		term := v[i]
		if w != nil {
			term.Mul(&term, &w[i])
		}
		var d fr.Element
		d.Sub(x, &point)
		term.Mul(&term, &point)
		term.Div(&term, &d)
		sum.Add(&sum, &term)
		point.Mul(&point, &omega)
	}
	var z, scale fr.Element
	z.Exp(*x, big.NewInt(int64(n)))
	one := fr.One()
	z.Sub(&z, &one)
	scale.SetUint64(uint64(n))
	z.Div(&z, &scale)
	return *sum.Mul(&sum, &z)
}

func TestExtract(t *testing.T) {
	rng := seeded(t)
	for range 1000 {
		v, mask := rng.Uint64(), rng.Uint64()|rng.Uint64()
		if rng.IntN(10) == 0 {
			mask = ^uint64(0)
		}
		var want uint64
		at := 0
		for i := range 64 {
			if mask>>i&1 == 1 {
				want |= v >> i & 1 << at
				at++
			}
		}
		require.Equal(t, want, extract(v&mask, mask))
	}
}

// toyProver makes parameters for the toy circuit and a prover over them.
func toyProver(t testing.TB, rounds int) (*params.File, *r1cs.Circuit, *Plan) {
	c := toy.Compile(rounds)
	path := filepath.Join(t.TempDir(), "toy.params")
	require.NoError(t, params.Make(context.Background(), c, params.ToxicFromLabel("toy"), path, path+".vk", params.MakeOptions{Workers: 2}))
	f, err := params.Open(context.Background(), path)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f, c, NewPlan(c)
}

func TestToyProofs(t *testing.T) {
	rng := seeded(t)
	for _, rounds := range []int{1, 5, 100} {
		f, c, plan := toyProver(t, rounds)
		v, err := verify.New(f.SRS().Key)
		require.NoError(t, err)
		in := make([]byte, rounds)
		for i := range in {
			in[i] = byte(rng.Uint32())
		}
		w, err := toy.Solve(c, in)
		require.NoError(t, err)
		z, err := NewRandomness()
		require.NoError(t, err)
		var first [ProofSize]byte
		for i := range 2 {
			p, err := New(c, plan, f.SRS().Key, f.Layout, NewCPU(f.SRS(), 1+i))
			require.NoError(t, err)
			proof, timings, err := p.Prove(context.Background(), w, z)
			require.NoError(t, err)
			require.Positive(t, timings.Total())
			proofs, err := verify.DecodeProofs(proof[:])
			require.NoError(t, err)
			require.NoError(t, v.Check(&proofs[0], w.Inputs[1:]))
			if i == 0 {
				first = proof
			}
			require.Equal(t, first, proof)

			// A wrong witness gives a proof that does not verify.
			bad := *w
			bad.Bits = append([]uint64(nil), w.Bits...)
			bad.Bits[0] ^= 1 << (2 + rng.IntN(8))
			proof, _, err = p.Prove(context.Background(), &bad, z)
			require.NoError(t, err)
			proofs, err = verify.DecodeProofs(proof[:])
			require.NoError(t, err)
			require.Equal(t, status.ProofInvalid, status.CodeOf(v.Check(&proofs[0], w.Inputs[1:])))
		}
	}
}

func TestProveRejects(t *testing.T) {
	f, c, plan := toyProver(t, 10)
	srs := f.SRS()
	_, err := New(c, NewPlan(toy.Compile(11)), srs.Key, f.Layout, NewCPU(srs, 1))
	require.Equal(t, status.SRSMismatch, status.CodeOf(err))
	p, err := New(c, plan, srs.Key, f.Layout, NewCPU(srs, 1))
	require.NoError(t, err)
	w, err := toy.Solve(c, make([]byte, 10))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err = p.Prove(ctx, w, Randomness{})
	require.Equal(t, status.Cancelled, status.CodeOf(err))
	ctx, cancel = context.WithTimeout(context.Background(), 0)
	defer cancel()
	_, _, err = p.Prove(ctx, w, Randomness{})
	require.Equal(t, status.Deadline, status.CodeOf(err))
	_, _, err = p.Prove(context.Background(), &r1cs.Witness{Inputs: w.Inputs}, Randomness{})
	require.Equal(t, status.Internal, status.CodeOf(err))
}

func BenchmarkQuotient(b *testing.B) {
	rng := seeded(b)
	n := 1 << 20
	x, y := randomVector(rng, n), randomVector(rng, n)
	d, err := newDivider(n, runtime.NumCPU())
	require.NoError(b, err)
	for b.Loop() {
		_, err := d.quotient(context.Background(), x, y)
		require.NoError(b, err)
	}
}
