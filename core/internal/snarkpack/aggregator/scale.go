package aggregator

import (
	"context"
	"math/big"
	"math/bits"
	"sync"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// scaleBlock is how many points are multiplied in lockstep, so that each addition of
// all of them shares one inversion.
const scaleBlock = 512

// lockstepMin is how many points make lockstep pay: below, an inversion per addition
// costs more than projective coordinates do.
const lockstepMin = 24

// window is the width of the signed digits of scalars: odd multiples up to 7 are kept.
const window = 4

// seed is |x|, the absolute value of the curve's parameter.
const seed = 0xd201000000010000

// group is what multiplication in lockstep needs of G1 or G2.
type group[P any] struct {
	add func(dst, p, q []P)
	mul func(z, p *P, k *fr.Element) // of a single point
	neg func(z, p *P)
	// endomorphism sets z = c·p, and digits writes a scalar in base c, as signed odd
	// digits of windows, lowest first.
	endomorphism func(z, p *P)
	digits       func(k *fr.Element) [][]int8
}

// fold sets dst[i] = left[i] + k·right[i]; dst may be left.
func (g *group[P]) fold(ctx context.Context, workers int, dst, left, right []P, k *fr.Element) error {
	forms := g.digits(k)
	same := func(int) [][]int8 { return forms }
	return g.blocks(ctx, workers, len(right), func(lo, hi int) {
		scaled := make([]P, hi-lo)
		if len(scaled) < lockstepMin {
			for i := range scaled {
				g.mul(&scaled[i], &right[lo+i], k)
			}
		} else {
			scaled = g.scale(right[lo:hi], same)
		}
		g.add(dst[lo:hi], left[lo:hi], scaled)
	})
}

// each sets dst[i] = k[i]·p[i].
func (g *group[P]) each(ctx context.Context, workers int, dst, p []P, k []fr.Element) error {
	return g.blocks(ctx, workers, len(p), func(lo, hi int) {
		if hi-lo < lockstepMin {
			for i := lo; i < hi; i++ {
				g.mul(&dst[i], &p[i], &k[i])
			}
			return
		}
		forms := make([][][]int8, hi-lo)
		for i := range forms {
			forms[i] = g.digits(&k[lo+i])
		}
		copy(dst[lo:hi], g.scale(p[lo:hi], func(i int) [][]int8 { return forms[i] }))
	})
}

func (g *group[P]) blocks(ctx context.Context, workers, n int, fn func(lo, hi int)) error {
	size := min(scaleBlock, max(1, (n+workers-1)/workers))
	return spawn.Each(ctx, workers, (n+size-1)/size, func(i int) error {
		fn(i*size, min((i+1)*size, n))
		return nil
	})
}

// scale returns the multiples of points by scalars in the form of digits.
func (g *group[P]) scale(points []P, forms func(i int) [][]int8) []P {
	n := len(points)
	var odd [1 << (window - 2)][]P // odd[j][i] = (2j+1)·points[i]
	for j := range odd {
		odd[j] = make([]P, n)
	}
	copy(odd[0], points)
	acc, q := make([]P, n), make([]P, n)
	g.add(q, points, points)
	for j := 1; j < len(odd); j++ {
		g.add(odd[j], odd[j-1], q)
	}
	images := [][len(odd)][]P{odd}
	longest := 0
	for i := range n {
		for _, f := range forms(i) {
			longest = max(longest, len(f))
		}
	}
	for range len(forms(0)) - 1 {
		var image [len(odd)][]P
		for j := range image {
			image[j] = make([]P, n)
			for i := range image[j] {
				g.endomorphism(&image[j][i], &images[len(images)-1][j][i])
			}
		}
		images = append(images, image)
	}
	var zero P
	for pos := longest - 1; pos >= 0; pos-- {
		if pos < longest-1 {
			g.add(acc, acc, acc)
		}
		for k := range images {
			some := false
			for i := range q {
				q[i] = zero
				f := forms(i)[k]
				if pos >= len(f) || f[pos] == 0 {
					continue
				}
				some = true
				if d := f[pos]; d > 0 {
					q[i] = images[k][d/2][i]
				} else {
					g.neg(&q[i], &images[k][-d/2][i])
				}
			}
			if some {
				g.add(acc, acc, q)
			}
		}
	}
	return acc
}

// g1 multiplies in G1 with the endomorphism (x, y) → (βx, y), which is multiplication
// by −x² (Gallant, Lambert, Vanstone); its negative is x², and r < x^4.
var g1 = sync.OnceValue(func() *group[bls.G1Affine] {
	_, _, g, _ := bls.Generators()
	square := new(big.Int).SetUint64(seed)
	square.Mul(square, square)
	image := g
	image.ScalarMultiplication(&g, square)
	var beta fp.Element
	beta.Div(&image.X, &g.X)
	return &group[bls.G1Affine]{
		add: curve.AddBatchG1,
		mul: func(z, p *bls.G1Affine, k *fr.Element) { z.ScalarMultiplication(p, k.BigInt(new(big.Int))) },
		neg: func(z, p *bls.G1Affine) { z.Neg(p) },
		endomorphism: func(z, p *bls.G1Affine) {
			z.X.Mul(&p.X, &beta)
			z.Y.Neg(&p.Y)
		},
		digits: func(k *fr.Element) [][]int8 {
			d := seedDigits(k)
			return [][]int8{nonAdjacent(joined(d[0], d[1])), nonAdjacent(joined(d[2], d[3]))}
		},
	}
})

// g2 multiplies in G2 with the untwisted Frobenius endomorphism, (x, y) → (u·x̄, v·ȳ),
// which is multiplication by x (Galbraith, Lin, Scott); its negative is |x|.
var g2 = sync.OnceValue(func() *group[bls.G2Affine] {
	_, _, _, g := bls.Generators()
	image := g
	image.ScalarMultiplication(&g, new(big.Int).SetUint64(seed))
	var u, v, t bls.E2
	u.Div(&image.X, t.Conjugate(&g.X))
	v.Div(&image.Y, t.Conjugate(&g.Y))
	return &group[bls.G2Affine]{
		add: curve.AddBatchG2,
		mul: func(z, p *bls.G2Affine, k *fr.Element) { z.ScalarMultiplication(p, k.BigInt(new(big.Int))) },
		neg: func(z, p *bls.G2Affine) { z.Neg(p) },
		endomorphism: func(z, p *bls.G2Affine) {
			z.X.Conjugate(&p.X)
			z.X.Mul(&z.X, &u)
			z.Y.Conjugate(&p.Y)
			z.Y.Mul(&z.Y, &v)
		},
		digits: func(k *fr.Element) (forms [][]int8) {
			for _, d := range seedDigits(k) {
				forms = append(forms, nonAdjacent([2]uint64{d}))
			}
			return forms
		},
	}
})

// seedDigits writes k in base |x|.
func seedDigits(k *fr.Element) (digits [4]uint64) {
	limbs := k.Bits()
	for i := range digits {
		var rem uint64
		for j := len(limbs) - 1; j >= 0; j-- {
			limbs[j], rem = bits.Div64(rem, limbs[j], seed)
		}
		digits[i] = rem
	}
	return digits
}

// joined returns low + high·|x|.
func joined(low, high uint64) [2]uint64 {
	hi, lo := bits.Mul64(high, seed)
	lo, carry := bits.Add64(lo, low, 0)
	return [2]uint64{lo, hi + carry}
}

// nonAdjacent returns the signed digits of k, lowest first: odd and at most 7 in
// absolute value, with at least three zeros between two that are not.
func nonAdjacent(k [2]uint64) []int8 {
	form := make([]int8, 0, 130)
	var top uint64 // of k beyond 128 bits
	for k[0]|k[1]|top != 0 {
		digit := int8(0)
		if k[0]&1 != 0 {
			digit = int8(k[0] & (1<<window - 1))
			if digit >= 1<<(window-1) {
				digit -= 1 << window
			}
			var carry uint64
			if digit > 0 {
				k[0] -= uint64(digit)
			} else {
				k[0], carry = bits.Add64(k[0], uint64(-digit), 0)
				k[1], carry = bits.Add64(k[1], 0, carry)
				top += carry
			}
		}
		form = append(form, digit)
		k[0] = k[0]>>1 | k[1]<<63
		k[1] = k[1]>>1 | top<<63
		top >>= 1
	}
	return form
}
