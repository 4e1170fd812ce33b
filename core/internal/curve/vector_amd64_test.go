//go:build amd64 && !purego

package curve

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"github.com/stretchr/testify/require"
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

func stored(e *fp.Element) *big.Int {
	v := new(big.Int)
	for i := len(e) - 1; i >= 0; i-- {
		v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(e[i]))
	}
	return v
}

func lane(v *fpVec, l int) *big.Int {
	out := new(big.Int)
	for j := len(v) - 1; j >= 0; j-- {
		out.Lsh(out, 28).Add(out, new(big.Int).SetUint64(v[j][l]))
	}
	return out
}

func load(e []fp.Element) (v fpVec) {
	vecLoad(&v, &e[0], &e[1], &e[2], &e[3])
	return v
}

// TestVectorArithmetic checks every vector operation on integers, bounds included.
func TestVectorArithmetic(t *testing.T) {
	if !hasVector {
		t.Skip("no AVX2")
	}
	rng := seeded(t)
	p := fp.Modulus()
	times := func(k int64) *big.Int { return new(big.Int).Mul(p, big.NewInt(k)) }
	rInv := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 392), p)
	for range 3000 {
		ex, ey, ew := edgeElements(rng, 4), edgeElements(rng, 4), edgeElements(rng, 4)
		x, y, w := load(ex), load(ey), load(ew)
		var diff, diff2, prod, prod2, by16 fpVec
		vecSub(&diff, &x, &y)
		vecSub2(&diff2, &x, &y, &w)
		vecMul(&prod, &x, &y, 1)
		vecMul(&prod2, &diff, &diff, 1)
		vecTimes16(&by16, &prod)
		var sum, diff8, wide fpVec
		vecAdd(&sum, &x, &y)
		vecSub8(&diff8, &x, &y)
		vecSub2Wide(&wide, &x, &y, &w)
		var back, reduced, reduced8 [4]fp.Element
		normal8 := normalised(&diff)
		vecStoreWide(&reduced8[0], &reduced8[1], &reduced8[2], &reduced8[3], &normal8)
		vecStore(&back[0], &back[1], &back[2], &back[3], &x)
		vecStore(&reduced[0], &reduced[1], &reduced[2], &reduced[3], &diff2)
		for l := range 4 {
			a, b, c := stored(&ex[l]), stored(&ey[l]), stored(&ew[l])
			require.Equal(t, a, lane(&x, l))
			require.Equal(t, ex[l], back[l])
			d := new(big.Int).Sub(a, b)
			require.Equal(t, new(big.Int).Add(d, times(4)), lane(&diff, l))
			require.Equal(t, new(big.Int).Add(a, b), lane(&sum, l))
			require.Equal(t, new(big.Int).Add(d, times(8)), lane(&diff8, l))
			require.Zero(t, new(big.Int).Mod(d, p).Cmp(stored(&reduced8[l])))
			d4 := new(big.Int).Sub(d, c)
			require.Equal(t, d4.Add(d4, times(4)), lane(&wide, l))
			d2 := new(big.Int).Sub(d, c)
			require.Equal(t, d2.Add(d2, times(2)), lane(&diff2, l))
			require.Equal(t, new(big.Int).Mod(d2, p).Cmp(stored(&reduced[l])), 0)
			requireProduct(t, p, rInv, new(big.Int).Mul(a, b), lane(&prod, l))
			requireProduct(t, p, rInv, new(big.Int).Mul(lane(&diff, l), lane(&diff, l)), lane(&prod2, l))
			require.Equal(t, new(big.Int).Lsh(lane(&prod, l), 4), lane(&by16, l))
			for j := range 13 {
				require.Less(t, prod[j][l]|prod2[j][l]|diff2[j][l]|by16[j][l], uint64(1<<28))
			}
		}
	}
}

// normalised carries through v.
func normalised(v *fpVec) (z fpVec) {
	for l := range 4 {
		n := lane(v, l)
		for j := range z {
			z[j][l] = new(big.Int).And(n, big.NewInt(1<<28-1)).Uint64()
			n.Rsh(n, 28)
		}
	}
	return z
}

// TestVectorLargestLimbs multiplies the largest limbs that sums and differences
// can have, and stores the largest numbers.
func TestVectorLargestLimbs(t *testing.T) {
	if !hasVector {
		t.Skip("no AVX2")
	}
	p := fp.Modulus()
	rInv := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 392), p)
	for _, m := range []struct{ x, y uint64 }{{6, 2}, {3, 2}, {2, 6}} {
		var x, y, z fpVec
		for j := range x {
			for l := range 4 {
				x[j][l], y[j][l] = m.x<<28-1, m.y<<28-1
				if j == 13 { // keep the numbers below 32p
					x[j][l], y[j][l] = 1<<21-1, 1<<21-1
				}
			}
		}
		vecMul(&z, &x, &y, 1)
		want := new(big.Int).Mul(lane(&x, 1), lane(&y, 1))
		want.Mul(want, rInv).Mod(want, p)
		require.Zero(t, want.Cmp(new(big.Int).Mod(lane(&z, 1), p)))
	}
	for k := int64(1); k <= 8; k++ {
		for _, d := range []int64{0, 1} {
			if k == 8 && d == 0 {
				continue
			}
			var v fpVec
			n := new(big.Int).Sub(new(big.Int).Mul(p, big.NewInt(k)), big.NewInt(d))
			for l := range 4 {
				r := new(big.Int).Set(n)
				for j := range v {
					v[j][l] = new(big.Int).And(r, big.NewInt(1<<28-1)).Uint64()
					r.Rsh(r, 28)
				}
			}
			var e [4]fp.Element
			vecStoreWide(&e[0], &e[1], &e[2], &e[3], &v)
			require.Zero(t, new(big.Int).Mod(n, p).Cmp(stored(&e[2])), "%dp − %d", k, d)
			if k <= 4 && n.Cmp(new(big.Int).Lsh(p, 2)) < 0 {
				vecStore(&e[0], &e[1], &e[2], &e[3], &v)
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

// TestVectorAdditions compares whole batches with gnark-crypto: with identities
// and cancellations, few enough doublings to stay in vectors, all group sizes.
func TestVectorAdditions(t *testing.T) {
	if !hasVector {
		t.Skip("no AVX2")
	}
	rng := seeded(t)
	for n := vectorMin; n <= batchSize; n = n*5/4 + 1 {
		p, q := pointsG1(rng, n), pointsG1(rng, n)
		for i := range p {
			switch rng.IntN(40) {
			case 0:
				q[i] = p[i]
			case 1, 2:
				q[i].Neg(&p[i])
			}
		}
		w := new(adderG1)
		dst := make([]G1Affine, n)
		for i := range p {
			w.dst[i], w.p[i], w.q[i] = &dst[i], &p[i], q[i]
		}
		w.n = n
		doubles := 0
		for i := range p {
			if kindG1(&p[i], &q[i]) == addDouble {
				doubles++
			}
		}
		require.Equal(t, 16*doubles <= n, w.flushVector())
		if 16*doubles > n {
			continue
		}
		for i := range dst {
			var want G1Affine
			require.Equal(t, *want.Add(&p[i], &q[i]), dst[i], "n=%d i=%d", n, i)
		}
	}
}

// TestVectorAdditionsG2 is TestVectorAdditions for G2.
func TestVectorAdditionsG2(t *testing.T) {
	if !hasVector {
		t.Skip("no AVX2")
	}
	rng := seeded(t)
	vectors := 0
	for n := vectorMin; n <= batchSize; n = n*5/4 + 1 {
		p, q := pointsG2(rng, n), pointsG2(rng, n)
		for i := range p {
			switch rng.IntN(40) {
			case 0:
				q[i] = p[i]
			case 1, 2:
				q[i].Neg(&p[i])
			}
		}
		w := new(adderG2)
		dst := make([]G2Affine, n)
		for i := range p {
			w.dst[i], w.p[i], w.q[i] = &dst[i], &p[i], q[i]
		}
		w.n = n
		if !w.flushVector() {
			continue // many doublings
		}
		vectors++
		for i := range dst {
			var want G2Affine
			require.Equal(t, *want.Add(&p[i], &q[i]), dst[i], "n=%d i=%d", n, i)
		}
	}
	require.Positive(t, vectors)
}
