//go:build amd64 && !purego

package field_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/field"
)

// edgeElements are random elements and those whose limbs are extreme.
func edgeElements(rng *rand.Rand, n int) []fp.Element {
	out := make([]fp.Element, n)
	for i := range out {
		switch rng.IntN(6) {
		case 0: // stored words 0, 1, p − 1, p − 2
			v := new(big.Int).Sub(fp.Modulus(), big.NewInt(int64(rng.IntN(2)+1)))
			if rng.IntN(2) == 0 {
				v.SetInt64(int64(rng.IntN(2)))
			}
			setStored(&out[i], v)
		case 1: // runs of ones and zeroes
			v := new(big.Int).Lsh(big.NewInt(1), uint(rng.IntN(381)))
			v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(rng.IntN(v.BitLen()))))
			setStored(&out[i], v.Mod(v.Abs(v), fp.Modulus()))
		default:
			var b [48]byte
			for j := range b {
				b[j] = byte(rng.Uint32())
			}
			out[i].SetBytes(b[:])
		}
	}
	return out
}

// setStored sets the words of e, its Montgomery form, to v.
func setStored(e *fp.Element, v *big.Int) {
	for i := range e {
		e[i] = new(big.Int).Rsh(v, uint(64*i)).Uint64()
	}
}

func lane4(v *field.Fp4, l int) *big.Int {
	out := new(big.Int)
	for j := len(v) - 1; j >= 0; j-- {
		out.Lsh(out, 28).Add(out, new(big.Int).SetUint64(v[j][l]))
	}
	return out
}

func load4(e []fp.Element) (v field.Fp4) {
	field.LoadFp4(&v, &e[0], &e[1], &e[2], &e[3])
	return v
}

// TestFp4 checks every vector operation on integers, bounds included.
func TestFp4(t *testing.T) {
	if field.Available() < field.AVX2 {
		t.Skip("no AVX2")
	}
	rng := seeded(t)
	p := fp.Modulus()
	times := func(k int64) *big.Int { return new(big.Int).Mul(p, big.NewInt(k)) }
	rInv := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 392), p)
	for range 3000 {
		ex, ey, ew := edgeElements(rng, 4), edgeElements(rng, 4), edgeElements(rng, 4)
		x, y, w := load4(ex), load4(ey), load4(ew)
		var diff, diff2, prod, prod2, by16 field.Fp4
		field.SubFp4(&diff, &x, &y)
		field.Sub2Fp4(&diff2, &x, &y, &w)
		field.MulFp4(&prod, &x, &y, 1)
		field.MulFp4(&prod2, &diff, &diff, 1)
		field.Times16Fp4(&by16, &prod)
		var sum, diff8, wide field.Fp4
		field.AddFp4(&sum, &x, &y)
		field.Sub8Fp4(&diff8, &x, &y)
		field.Sub2WideFp4(&wide, &x, &y, &w)
		var back, reduced, reduced8 [4]fp.Element
		normal8 := normalised(&diff)
		field.StoreWideFp4(&reduced8[0], &reduced8[1], &reduced8[2], &reduced8[3], &normal8)
		field.StoreFp4(&back[0], &back[1], &back[2], &back[3], &x)
		field.StoreFp4(&reduced[0], &reduced[1], &reduced[2], &reduced[3], &diff2)
		for l := range 4 {
			a, b, c := stored(&ex[l]), stored(&ey[l]), stored(&ew[l])
			require.Equal(t, a, lane4(&x, l))
			require.Equal(t, ex[l], back[l])
			d := new(big.Int).Sub(a, b)
			require.Equal(t, new(big.Int).Add(d, times(4)), lane4(&diff, l))
			require.Equal(t, new(big.Int).Add(a, b), lane4(&sum, l))
			require.Equal(t, new(big.Int).Add(d, times(8)), lane4(&diff8, l))
			require.Zero(t, new(big.Int).Mod(d, p).Cmp(stored(&reduced8[l])))
			d4 := new(big.Int).Sub(d, c)
			require.Equal(t, d4.Add(d4, times(4)), lane4(&wide, l))
			d2 := new(big.Int).Sub(d, c)
			require.Equal(t, d2.Add(d2, times(2)), lane4(&diff2, l))
			require.Equal(t, new(big.Int).Mod(d2, p).Cmp(stored(&reduced[l])), 0)
			requireProduct(t, p, rInv, new(big.Int).Mul(a, b), lane4(&prod, l))
			requireProduct(t, p, rInv, new(big.Int).Mul(lane4(&diff, l), lane4(&diff, l)), lane4(&prod2, l))
			require.Equal(t, new(big.Int).Lsh(lane4(&prod, l), 4), lane4(&by16, l))
			for j := range 13 {
				require.Less(t, prod[j][l]|prod2[j][l]|diff2[j][l]|by16[j][l], uint64(1<<28))
			}
		}
	}
}

// normalised carries through v.
func normalised(v *field.Fp4) (z field.Fp4) {
	for l := range 4 {
		n := lane4(v, l)
		for j := range z {
			z[j][l] = new(big.Int).And(n, big.NewInt(1<<28-1)).Uint64()
			n.Rsh(n, 28)
		}
	}
	return z
}

// TestFp4LargestLimbs multiplies the largest limbs that sums and differences
// can have, and stores the largest numbers.
func TestFp4LargestLimbs(t *testing.T) {
	if field.Available() < field.AVX2 {
		t.Skip("no AVX2")
	}
	p := fp.Modulus()
	rInv := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 392), p)
	for _, m := range []struct{ x, y uint64 }{{6, 2}, {3, 2}, {2, 6}} {
		var x, y, z field.Fp4
		for j := range x {
			for l := range 4 {
				x[j][l], y[j][l] = m.x<<28-1, m.y<<28-1
				if j == 13 { // keep the numbers below 32p
					x[j][l], y[j][l] = 1<<21-1, 1<<21-1
				}
			}
		}
		field.MulFp4(&z, &x, &y, 1)
		want := new(big.Int).Mul(lane4(&x, 1), lane4(&y, 1))
		want.Mul(want, rInv).Mod(want, p)
		require.Zero(t, want.Cmp(new(big.Int).Mod(lane4(&z, 1), p)))
	}
	for k := int64(1); k <= 8; k++ {
		for _, d := range []int64{0, 1} {
			if k == 8 && d == 0 {
				continue
			}
			var v field.Fp4
			n := new(big.Int).Sub(new(big.Int).Mul(p, big.NewInt(k)), big.NewInt(d))
			for l := range 4 {
				r := new(big.Int).Set(n)
				for j := range v {
					v[j][l] = new(big.Int).And(r, big.NewInt(1<<28-1)).Uint64()
					r.Rsh(r, 28)
				}
			}
			var e [4]fp.Element
			field.StoreWideFp4(&e[0], &e[1], &e[2], &e[3], &v)
			require.Zero(t, new(big.Int).Mod(n, p).Cmp(stored(&e[2])), "%dp − %d", k, d)
			if k <= 4 && n.Cmp(new(big.Int).Lsh(p, 2)) < 0 {
				field.StoreFp4(&e[0], &e[1], &e[2], &e[3], &v)
				require.Zero(t, new(big.Int).Mod(n, p).Cmp(stored(&e[3])), "%dp − %d", k, d)
			}
		}
	}
}

func requireProduct(t *testing.T, p, rInv, product, got *big.Int) {
	require.Negative(t, got.Cmp(new(big.Int).Div(new(big.Int).Mul(p, big.NewInt(6)), big.NewInt(5))), "bound 1.2p")
	want := product.Mul(product, rInv)
	require.Zero(t, want.Mod(want, p).Cmp(new(big.Int).Mod(got, p)))
}

func BenchmarkFp4(b *testing.B) {
	if field.Available() < field.AVX2 {
		b.Skip("no AVX2")
	}
	var x [16]field.Fp4
	for b.Loop() {
		field.MulFp4(&x[0], &x[0], &x[8], 8)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(32*b.N), "ns/element")
}
