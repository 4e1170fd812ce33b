//go:build amd64 && !purego

package field_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/field"
	"github.com/libcuzk/libcuzk/core/internal/field/fieldtest"
)

// ifma runs the rest of a test on IFMA or skips it, and says whether it is emulated.
func ifma(t testing.TB) (emulated bool) {
	if !slices.Contains(fieldtest.Levels(t), field.IFMA) {
		t.Skip("neither AVX-512 IFMA nor its emulator")
	}
	fieldtest.Use(t, field.IFMA)
	return fieldtest.Emulated(field.IFMA)
}

// edgeNumbers are below bound: random ones and those with extreme limbs or near
// multiples of p.
func edgeNumber(rng *rand.Rand, p, bound *big.Int) *big.Int {
	v := new(big.Int)
	switch rng.IntN(4) {
	case 0: // near a multiple of p
		k := new(big.Int).Div(bound, p)
		v.Mul(p, big.NewInt(int64(rng.IntN(int(min(k.Int64(), 1<<20))+1))))
		v.Add(v, big.NewInt(int64(rng.IntN(5)-2)))
	case 1: // runs of ones and zeroes
		v.Lsh(big.NewInt(1), uint(rng.IntN(bound.BitLen()+1)))
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(rng.IntN(v.BitLen()))))
	default:
		words := make([]big.Word, 1+bound.BitLen()/64)
		for i := range words {
			words[i] = big.Word(rng.Uint64())
		}
		v.SetBits(words)
	}
	return v.Mod(v.Abs(v), bound)
}

func setLane(v *field.Fp8, l int, n *big.Int) {
	rest := new(big.Int).Set(n)
	for j := range v {
		v[j][l] = new(big.Int).And(rest, big.NewInt(1<<52-1)).Uint64()
		rest.Rsh(rest, 52)
	}
}

func lane(v *field.Fp8, l int) *big.Int {
	n := new(big.Int)
	for j := len(v) - 1; j >= 0; j-- {
		n.Lsh(n, 52).Add(n, new(big.Int).SetUint64(v[j][l]))
	}
	return n
}

func requireNormalised(t *testing.T, v *field.Fp8) {
	for j := range v {
		for l := range v[j] {
			require.Less(t, v[j][l], uint64(1<<52), "limb %d of lane %d", j, l)
		}
	}
}

// TestFp8 checks the operations on integers, up to their bounds.
func TestFp8(t *testing.T) {
	rng := seeded(t)
	rounds := 20000
	if ifma(t) {
		rounds = 500
	}
	p := fp.Modulus()
	times := func(k int64) *big.Int { return new(big.Int).Mul(p, big.NewInt(k)) }
	inverse := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 416), p)
	product := func(x, y, got *big.Int) {
		want := new(big.Int).Mul(x, y)
		bound := new(big.Int).Rsh(want, 416)
		bound.Add(bound, new(big.Int).Rsh(times(1290), 10)) // 1.26p
		require.Negative(t, got.Cmp(bound))
		want.Mul(want, inverse).Mod(want, p)
		require.Zero(t, want.Cmp(new(big.Int).Mod(got, p)), "%x·%x", x, y)
	}
	for range rounds {
		var x, y, mul, sq, add, sub field.Fp8
		bound := times(8)
		if rng.IntN(2) == 0 {
			bound.Lsh(p, uint(rng.IntN(18)))
		}
		for l := range 8 {
			setLane(&x, l, edgeNumber(rng, p, bound))
			setLane(&y, l, edgeNumber(rng, p, times(8)))
		}
		field.MulFp8(&mul, &x, &y, 1)
		field.MulFp8(&sq, &x, &x, 1)
		field.AddFp8(&add, &x, &y, 1)
		field.SubFp8(&sub, &x, &y, 1)
		for l := range 8 {
			a, b := lane(&x, l), lane(&y, l)
			product(a, b, lane(&mul, l))
			product(a, a, lane(&sq, l))
			require.Zero(t, new(big.Int).Add(a, b).Cmp(lane(&add, l)))
			require.Zero(t, new(big.Int).Sub(new(big.Int).Add(a, times(8)), b).Cmp(lane(&sub, l)))
		}
		for _, v := range []*field.Fp8{&mul, &sq, &add, &sub} {
			requireNormalised(t, v)
		}
	}
}

// stored returns the words of an element as a number.
func stored(e *fp.Element) *big.Int {
	v := new(big.Int)
	for i := len(e) - 1; i >= 0; i-- {
		v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(e[i]))
	}
	return v
}

// TestFp8Memory stores and loads pairs; what is stored is reduced.
func TestFp8Memory(t *testing.T) {
	rng := seeded(t)
	rounds := 20000
	if ifma(t) {
		rounds = 800
	}
	p := fp.Modulus()
	for range rounds {
		var pair, back [2]field.Fp8
		var want [8][2]*big.Int
		for l := range 8 {
			for i := range 2 {
				want[l][i] = edgeNumber(rng, p, new(big.Int).Mul(p, big.NewInt(7)))
				setLane(&pair[i], l, want[l][i])
			}
		}
		memory := make([][2]fp.Element, 16)
		var to [8]*[2]fp.Element
		for l, at := range rng.Perm(16)[:8] {
			to[l] = &memory[at]
		}
		field.StorePairFp8(&to, &pair)
		field.LoadPairFp8(&back, &to)
		written := map[*[2]fp.Element]bool{}
		for l := range 8 {
			written[to[l]] = true
			for i := range 2 {
				want := new(big.Int).Mod(want[l][i], p)
				require.Zero(t, want.Cmp(stored(&to[l][i])), "%x, stored %x", want, stored(&to[l][i]))
				require.Zero(t, want.Cmp(lane(&back[i], l)))
			}
		}
		for i := range memory {
			require.True(t, written[&memory[i]] || memory[i] == [2]fp.Element{})
		}
	}
}

// TestDenominators marks equal and zero x and computes the other differences.
func TestDenominators(t *testing.T) {
	rng := seeded(t)
	rounds := 2000
	if ifma(t) {
		rounds = 300
	}
	const groups = 3
	for range rounds {
		p1, q1 := make([]bls.G1Affine, 8*groups), make([]bls.G1Affine, 8*groups)
		p2, q2 := make([]bls.G2Affine, 8*groups), make([]bls.G2Affine, 8*groups)
		var at1, to1 [8 * groups]*bls.G1Affine
		var at2, to2 [8 * groups]*bls.G2Affine
		var special1, special2 [groups]uint8
		var den1 [groups]field.Fp8
		var den2 [groups][2]field.Fp8
		element := func() (e fp.Element) {
			v := edgeNumber(rng, fp.Modulus(), fp.Modulus())
			for i := range e {
				e[i] = new(big.Int).Rsh(v, uint(64*i)).Uint64()
			}
			return e
		}
		for i := range p1 {
			at1[i], at2[i], to1[i], to2[i] = &p1[i], &p2[i], &q1[i], &q2[i]
			for _, e := range []*fp.Element{&p1[i].X, &q1[i].X, &p2[i].X.A0, &p2[i].X.A1, &q2[i].X.A0, &q2[i].X.A1} {
				*e = element()
			}
			switch rng.IntN(8) {
			case 0:
				q1[i].X, q2[i].X = p1[i].X, p2[i].X
			case 1:
				q2[i].X.A0 = p2[i].X.A0
			case 2:
				q2[i].X.A1.SetZero()
			case 3:
				p1[i].X.SetZero()
				p2[i].X.SetZero()
			}
		}
		w := new(field.Scratch)
		field.DenominatorsG1(&den1[0], &at1[0], &to1[0], &special1[0], groups, w)
		field.DenominatorsG2(&den2[0][0], &at2[0], &to2[0], &special2[0], groups, w)
		for i := range p1 {
			g, l := i/8, i%8
			s1 := p1[i].X.Equal(&q1[i].X) || p1[i].X.IsZero() || q1[i].X.IsZero()
			s2 := p2[i].X.Equal(&q2[i].X) || p2[i].X.IsZero() || q2[i].X.IsZero()
			require.Equal(t, s1, special1[g]>>l&1 == 1)
			require.Equal(t, s2, special2[g]>>l&1 == 1)
			difference := func(x, y *fp.Element) *big.Int {
				d := new(big.Int).Sub(stored(x), stored(y))
				return d.Add(d, fp.Modulus())
			}
			want := []*big.Int{difference(&q1[i].X, &p1[i].X), difference(&q2[i].X.A0, &p2[i].X.A0), difference(&q2[i].X.A1, &p2[i].X.A1)}
			if s1 {
				want[0] = big.NewInt(1)
			}
			if s2 {
				want[1], want[2] = big.NewInt(1), new(big.Int)
			}
			require.Zero(t, want[0].Cmp(lane(&den1[g], l)))
			require.Zero(t, want[1].Cmp(lane(&den2[g][0], l)))
			require.Zero(t, want[2].Cmp(lane(&den2[g][1], l)))
		}
	}
}

// BenchmarkMultiplyAdds measures the ceiling.
func BenchmarkMultiplyAdds(b *testing.B) {
	if field.Available() < field.IFMA {
		b.Skip("no AVX-512 IFMA")
	}
	for b.Loop() {
		field.MultiplyAdds(100)
	}
	b.ReportMetric(2400*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "instructions/ns")
}

func BenchmarkFp8(b *testing.B) {
	if field.Available() < field.IFMA {
		b.Skip("no AVX-512 IFMA")
	}
	var x [16]field.Fp8
	for _, op := range []struct {
		name string
		run  func()
	}{
		{"mul", func() { field.MulFp8(&x[0], &x[0], &x[8], 8) }},
		{"chain", func() {
			for range 8 {
				field.MulFp8(&x[0], &x[0], &x[8], 1)
			}
		}},
		{"sub", func() { field.SubFp8(&x[0], &x[0], &x[8], 8) }},
	} {
		b.Run(op.name, func(b *testing.B) {
			for b.Loop() {
				op.run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(64*b.N), "ns/element")
		})
	}
}
