//go:build amd64 && !purego

package curve

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"

	"github.com/libcuzk/libcuzk/core/internal/field"
)

// Elements are stored times 2^384, but vector multiplication divides by 2^392: they
// count as κx with κ = 2^−8. The slope formulas hold for points scaled by κ in both
// coordinates if λ² is scaled by κ too, which flushAVX2 gets by scaling all inverses by
// 2^−4 and the last use of λ by 16.

// vectorMin is the smallest batch for which vectors pay.
const vectorMin = 32

// vectorsG1 is the working memory of one batch.
type vectorsG1 struct {
	index  [batchSize]int16         // the additions that need a slope
	den    [batchSize / 4]field.Fp4 // x_q − x_p
	prefix [batchSize / 4]field.Fp4 // products of den up to here, then scaled inverses

	nowhere G1Affine // takes the sums of lanes that no addition fills

	xp, yp, xq, yq, slope, x, y field.Fp4 // of the group at hand
}

func setLane4G1(v *field.Fp4, l int, e *fp.Element) { field.SetLaneFp4(v, l, e) }

// denominators computes x_q − x_p for a group.
func (w *adderG1) denominators(g, n int) {
	l, v := w.group(g, n), w.vec
	field.LoadFp4(&v.xp, &l.p[0].X, &l.p[1].X, &l.p[2].X, &l.p[3].X)
	field.LoadFp4(&v.xq, &l.q[0].X, &l.q[1].X, &l.q[2].X, &l.q[3].X)
	field.SubFp4(&v.den[g], &v.xq, &v.xp)
}

// invert replaces the denominators of all groups by their inverses, scaled by
// 2^−4, in prefix. The four lanes are independent chains that share one
// inversion.
func (w *adderG1) invert(groups int) {
	den, prefix := &w.vec.den, &w.vec.prefix
	field.MulFp4(&prefix[0], &den[0], &vecOne, 1)
	if groups > 1 {
		field.MulFp4(&prefix[1], &prefix[0], &den[1], groups-1)
	}
	var e [4]fp.Element
	field.StoreFp4(&e[0], &e[1], &e[2], &e[3], &prefix[groups-1])
	var low, high, inverse fp.Element
	low.Mul(&e[0], &e[1])
	high.Mul(&e[2], &e[3])
	inverse.Mul(&low, &high)
	inverse.Inverse(&inverse)
	inverse.Mul(&inverse, &inverseScale)
	high.Mul(&high, &inverse) // 1/(e0·e1)
	low.Mul(&low, &inverse)   // 1/(e2·e3)
	e[0], e[1] = *inverse.Mul(&high, &e[1]), *high.Mul(&high, &e[0])
	e[2], e[3] = *inverse.Mul(&low, &e[3]), *low.Mul(&low, &e[2])
	var suffix field.Fp4
	field.LoadFp4(&suffix, &e[0], &e[1], &e[2], &e[3])
	for g := groups - 1; g > 0; g-- {
		field.MulFp4(&prefix[g], &suffix, &prefix[g-1], 1)
		field.MulFp4(&suffix, &suffix, &den[g], 1)
	}
	prefix[0] = suffix
}

// inverseScale makes the inverse of a product of den, taken by gnark-crypto,
// count as 2^−4 times its inverse here: 2^12 = 2^−4·κ^−2.
var inverseScale = fp.NewElement(1 << 12)

// vecOne counts as one: 2^392 mod p in every lane.
var vecOne = func() (v field.Fp4) {
	if field.Available() < field.AVX2 {
		return v
	}
	e := fp.NewElement(1 << 8) // stored as 2^8·2^384
	field.LoadFp4(&v, &e, &e, &e, &e)
	return v
}()

var vecZero field.Fp4

// sumGroup computes the sums of a group from their scaled inverses.
func (w *adderG1) sumGroup(g, n int) {
	l, v := w.group(g, n), w.vec
	field.LoadFp4(&v.xp, &l.p[0].X, &l.p[1].X, &l.p[2].X, &l.p[3].X)
	field.LoadFp4(&v.yp, &l.p[0].Y, &l.p[1].Y, &l.p[2].Y, &l.p[3].Y)
	field.LoadFp4(&v.xq, &l.q[0].X, &l.q[1].X, &l.q[2].X, &l.q[3].X)
	field.LoadFp4(&v.yq, &l.q[0].Y, &l.q[1].Y, &l.q[2].Y, &l.q[3].Y)
	field.SubFp4(&v.y, &v.yq, &v.yp)
	field.MulFp4(&v.slope, &v.y, &v.prefix[g], 1) // λ/16
	field.MulFp4(&v.x, &v.slope, &v.slope, 1)     // κλ²
	field.Sub2Fp4(&v.x, &v.x, &v.xp, &v.xq)
	field.Times16Fp4(&v.slope, &v.slope)
	field.SubFp4(&v.y, &v.xp, &v.x)
	field.MulFp4(&v.y, &v.y, &v.slope, 1)
	field.Sub2Fp4(&v.y, &v.y, &v.yp, &vecZero)
	field.StoreFp4(&l.dst[0].X, &l.dst[1].X, &l.dst[2].X, &l.dst[3].X, &v.x)
	field.StoreFp4(&l.dst[0].Y, &l.dst[1].Y, &l.dst[2].Y, &l.dst[3].Y, &v.y)
}
