//go:build amd64 && !purego

package field_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/field"
)

// setSigned sets lane l to n with limbs that are as far from normalised as a transform
// leaves them.
func setSigned(rng *rand.Rand, v *field.Fr8, l int, n *big.Int) {
	rest := new(big.Int).Set(n)
	for j := range v {
		limb := new(big.Int).And(rest, big.NewInt(1<<52-1)) // floor, also of negative numbers
		if j == len(v)-1 {
			limb.Set(rest)
		}
		rest.Sub(rest, limb).Rsh(rest, 52)
		v[j][l] = uint64(limb.Int64())
	}
	for j := range len(v) - 1 {
		k := rng.Int64N(1<<9) - 1<<8 // moves k·2^52 between neighbours
		v[j][l] += uint64(k << 52)
		v[j+1][l] -= uint64(k)
	}
}

func signedLane(v *field.Fr8, l int) *big.Int {
	n := new(big.Int)
	for j := len(v) - 1; j >= 0; j-- {
		n.Lsh(n, 52).Add(n, big.NewInt(int64(v[j][l])))
	}
	return n
}

// between draws a number from low·r to high·r.
func between(rng *rand.Rand, low, high int64) *big.Int {
	r := fr.Modulus()
	n := edgeNumber(rng, r, new(big.Int).Mul(r, big.NewInt(high-low)))
	return n.Add(n, new(big.Int).Mul(r, big.NewInt(low)))
}

// TestFr8 checks the operations on integers, up to their bounds.
func TestFr8(t *testing.T) {
	rng := seeded(t)
	rounds := 20000
	if ifma(t) {
		rounds = 500
	}
	r := fr.Modulus()
	inverse := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 260), r)
	requireProduct := func(x, y, got *big.Int, low2, high2 int64) {
		want := new(big.Int).Mul(x, y)
		want.Sub(want.Mul(want, inverse), got)
		require.Zero(t, want.Mod(want, r).Sign(), "%x·%x", x, y)
		twice := new(big.Int).Lsh(got, 1)
		require.GreaterOrEqual(t, twice.Cmp(new(big.Int).Mul(r, big.NewInt(low2))), 0)
		require.Negative(t, twice.Cmp(new(big.Int).Mul(r, big.NewInt(high2))))
	}
	for range rounds {
		var x, y, signed, mul, scaled, twisted field.Fr8
		var w field.FrFactor
		pair := make([]field.Fr8, 2)
		for l := range 8 {
			setSigned(rng, &signed, l, between(rng, -17, 18))
			setSigned(rng, &pair[0], l, between(rng, -14, 14))
			setSigned(rng, &pair[1], l, between(rng, -17, 18))
			setNormalised(&x, l, between(rng, 0, 35))
			setNormalised(&y, l, between(rng, 0, 3))
		}
		factor := between(rng, 0, 1)
		for j := range w {
			w[j] = new(big.Int).And(new(big.Int).Rsh(factor, uint(52*j)), big.NewInt(1<<52-1)).Uint64()
		}
		field.MulFr8(&mul, &x, &y, 1)
		field.ScaleFr8(&scaled, &x, &y, 1)
		field.TwistFr8(&twisted, &signed, &y, 1)
		require.Equal(t, mul, scaled)
		both := []field.Fr8{pair[0], pair[1]}
		sums := []field.Fr8{pair[0], pair[1]}
		field.ButterfliesFr8(&both[0], &w, 1, 1, 0, 0)
		field.SumDifferenceFr8(&sums[0], 1, 1)
		for l := range 8 {
			a, b := signedLane(&x, l), signedLane(&y, l)
			for j := range mul {
				require.Less(t, mul[j][l], uint64(1<<52))
			}
			if new(big.Int).Rsh(a, 255).Sign() == 0 { // x below r: the bound of factors
				requireProduct(a, b, signedLane(&mul, l), 0, 6)
			}
			requireProduct(a, b, signedLane(&mul, l), 0, 10)
			requireProduct(signedLane(&signed, l), b, signedLane(&twisted, l), -2, 8)
			u, v := signedLane(&pair[0], l), signedLane(&pair[1], l)
			require.Zero(t, new(big.Int).Add(u, v).Cmp(signedLane(&sums[0], l)))
			require.Zero(t, new(big.Int).Sub(u, v).Cmp(signedLane(&sums[1], l)))
			product := new(big.Int).Sub(signedLane(&both[0], l), u)
			requireProduct(v, factor, product, -2, 4)
			require.Zero(t, new(big.Int).Sub(u, product).Cmp(signedLane(&both[1], l)))
		}
	}
}

func setNormalised(v *field.Fr8, l int, n *big.Int) {
	for j := range v {
		v[j][l] = new(big.Int).And(new(big.Int).Rsh(n, uint(52*j)), big.NewInt(1<<52-1)).Uint64()
	}
}

// TestFr8Memory stores and loads rows; what is stored is reduced.
func TestFr8Memory(t *testing.T) {
	rng := seeded(t)
	rounds := 20000
	if ifma(t) {
		rounds = 500
	}
	const rows = 3
	for range rounds {
		var x, back [rows]field.Fr8
		memory := make([]fr.Element, 100)
		var at [8]*fr.Element
		for l, k := range rng.Perm(16)[:8] {
			at[l] = &memory[k]
		}
		var want [rows][8]*big.Int
		for i := range x {
			for l := range 8 {
				n := between(rng, -17, 18)
				setSigned(rng, &x[i], l, n)
				want[i][l] = n.Mod(n, fr.Modulus())
			}
		}
		field.StoreFr8(&at, &x[0], 32*16, rows)
		field.LoadFr8(&back[0], &at, 32*16, rows)
		for i := range x {
			for l := range 8 {
				require.Zero(t, want[i][l].Cmp(signedLane(&back[i], l)))
			}
		}
		nonzero := 0
		for i := range memory {
			if memory[i] != (fr.Element{}) {
				nonzero++
			}
		}
		require.LessOrEqual(t, nonzero, 8*rows)
	}
}

func BenchmarkFr8(b *testing.B) {
	if field.Available() < field.IFMA {
		b.Skip("no AVX-512 IFMA")
	}
	var x [128]field.Fr8
	w := make([]field.FrFactor, 128)
	for _, op := range []struct {
		name  string
		count int
		run   func()
	}{
		{"mul", 64, func() { field.MulFr8(&x[0], &x[0], &x[64], 64) }},
		{"scale", 64, func() { field.ScaleFr8(&x[0], &x[0], &x[64], 64) }},
		{"butterflies", 64, func() { field.ButterfliesFr8(&x[0], &w[0], 64, 1, 40, 0) }},
		{"butterflies8", 64, func() { field.ButterfliesFr8(&x[0], &w[0], 8, 8, 0, 40) }},
	} {
		b.Run(op.name, func(b *testing.B) {
			for b.Loop() {
				op.run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(8*op.count*b.N), "ns/element")
		})
	}
}
