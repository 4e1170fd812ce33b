package aggregator

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"
)

// source draws points and scalars, special ones among them.
type source struct{ *rand.Rand }

func newSource(t *testing.T) source {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return source{rand.New(rand.NewPCG(seed, 2))}
}

func (s source) scalar() (k fr.Element) {
	switch s.IntN(8) {
	case 0:
		return k
	case 1:
		k.SetInt64(int64(s.IntN(5)) - 2)
		return k
	case 2: // about the seed and its powers
		k.SetBigInt(new(big.Int).Exp(new(big.Int).SetUint64(seed), big.NewInt(int64(s.IntN(4))), nil))
		var d fr.Element
		return *k.Add(&k, d.SetInt64(int64(s.IntN(3))-1))
	}
	var b [32]byte
	for i := range b {
		b[i] = byte(s.Uint32())
	}
	return *k.SetBytes(b[:])
}

func (s source) g1() (p bls.G1Affine) {
	_, _, g, _ := bls.Generators()
	k := s.scalar()
	return *p.ScalarMultiplication(&g, k.BigInt(new(big.Int)))
}

func (s source) g2() (p bls.G2Affine) {
	_, _, _, h := bls.Generators()
	k := s.scalar()
	return *p.ScalarMultiplication(&h, k.BigInt(new(big.Int)))
}

// TestLockstep: multiplication of many points equals one after the other.
func TestLockstep(t *testing.T) {
	s, ctx := newSource(t), context.Background()
	for _, n := range []int{1, 2, 3, lockstepMin, lockstepMin + 1, 2 * lockstepMin, 100} {
		p1, left1, got1 := make([]bls.G1Affine, n), make([]bls.G1Affine, n), make([]bls.G1Affine, n)
		p2, left2, got2 := make([]bls.G2Affine, n), make([]bls.G2Affine, n), make([]bls.G2Affine, n)
		ks := make([]fr.Element, n)
		for i := range n {
			p1[i], left1[i], p2[i], left2[i], ks[i] = s.g1(), s.g1(), s.g2(), s.g2(), s.scalar()
		}
		k := s.scalar()
		require.NoError(t, g1().fold(ctx, 2, got1, left1, p1, &k))
		require.NoError(t, g2().fold(ctx, 2, got2, left2, p2, &k))
		for i := range n {
			var w1 bls.G1Affine
			w1.ScalarMultiplication(&p1[i], k.BigInt(new(big.Int)))
			require.Equal(t, *w1.Add(&w1, &left1[i]), got1[i], "%d of %d", i, n)
			var w2 bls.G2Affine
			w2.ScalarMultiplication(&p2[i], k.BigInt(new(big.Int)))
			require.Equal(t, *w2.Add(&w2, &left2[i]), got2[i], "%d of %d", i, n)
		}
		require.NoError(t, g1().each(ctx, 2, got1, p1, ks))
		for i := range n {
			var w1 bls.G1Affine
			require.Equal(t, *w1.ScalarMultiplication(&p1[i], ks[i].BigInt(new(big.Int))), got1[i], "%d of %d", i, n)
		}
	}
}

// TestMillerLoops: products equal those of gnark-crypto, with points at infinity and
// equal points among them.
func TestMillerLoops(t *testing.T) {
	s, ctx := newSource(t), context.Background()
	for _, n := range []int{1, 2, 3, 31, millerBlock, millerBlock + 1} {
		q := make([]bls.G2Affine, n)
		rows := [][]bls.G1Affine{make([]bls.G1Affine, n), make([]bls.G1Affine, n), make([]bls.G1Affine, n)}
		for i := range n {
			q[i] = s.g2()
			rows[0][i], rows[1][i] = s.g1(), s.g1() // rows[2] is all infinite
		}
		pairs := 0
		p, twice := &product{q: q, rows: rows}, &product{q: q[:1], rows: [][]bls.G1Affine{rows[1][:1]}}
		require.NoError(t, millerLoops(ctx, 1, func(n int) { pairs += n }, p, twice))
		require.Equal(t, 3*n+1, pairs)
		for j, row := range append(rows, rows[1][:1]) {
			want, err := bls.Pair(row, q[:len(row)])
			require.NoError(t, err)
			got := &twice.out[0]
			if j < len(rows) {
				got = &p.out[j]
			}
			require.Equal(t, want, bls.FinalExponentiation(got), "row %d of %d points", j, n)
		}
	}
}

// TestCancel: a cancelled aggregation ends with the error of its context.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := &product{q: make([]bls.G2Affine, 4), rows: [][]bls.G1Affine{make([]bls.G1Affine, 4)}}
	require.ErrorIs(t, millerLoops(ctx, 2, func(int) {}, p), context.Canceled)
}
