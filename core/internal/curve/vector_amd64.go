//go:build amd64 && !purego

package curve

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"golang.org/x/sys/cpu"
)

// fpVec is four base field elements, one per lane, as 14 limbs of 28 bits.
//
// Numbers are normalised (every limb but the last below 2^28) unless said
// otherwise, and not reduced: products are below 1.2p. Multiplication divides by
// 2^392 where gnark-crypto's divides by 2^384: an element x stored there as
// x·2^384 counts here as κx with κ = 2^−8. The slope formulas hold for points
// scaled by κ in both coordinates if λ² is scaled by κ too, which flushVector
// gets by scaling all inverses by 2^−4 and the last use of λ by 16.
type fpVec [14][4]uint64

// vecLoad sets lane i of z to *ei.
//
//go:noescape
func vecLoad(z *fpVec, e0, e1, e2, e3 *fp.Element)

// vecStore sets *ei to lane i of x, fully reduced; x is below 4p.
//
//go:noescape
func vecStore(e0, e1, e2, e3 *fp.Element, x *fpVec)

// vecStoreWide is vecStore for x below 8p.
//
//go:noescape
func vecStoreWide(e0, e1, e2, e3 *fp.Element, x *fpVec)

// vecMul sets z[i] = x[i]·y[i]/2^392 for n ≥ 1 consecutive vectors, in order. The
// operands need not be normalised: the largest limbs of x and y may have a product
// of 2^60.
//
//go:noescape
func vecMul(z, x, y *fpVec, n int)

// vecAdd sets z = x + y, not normalised.
//
//go:noescape
func vecAdd(z, x, y *fpVec)

// vecSub8 sets z = x − y + 8p, not normalised, for y below 8p.
//
//go:noescape
func vecSub8(z, x, y *fpVec)

// vecSub2Wide sets z = x − y − w + 4p for y + w below 4p.
//
//go:noescape
func vecSub2Wide(z, x, y, w *fpVec)

// vecSub sets z = x − y + 4p, not normalised, for y below 4p.
//
//go:noescape
func vecSub(z, x, y *fpVec)

// vecSub2 sets z = x − y − w + 2p for y + w below 2p.
//
//go:noescape
func vecSub2(z, x, y, w *fpVec)

// vecTimes16 sets z = 16·x.
//
//go:noescape
func vecTimes16(z, x *fpVec)

// prefetchG1 asks for a point to be brought into the cache.
//
//go:noescape
func prefetchG1(p *G1Affine)

// prefetchG2 is prefetchG1 for G2.
//
//go:noescape
func prefetchG2(p *G2Affine)

var hasVector = cpu.X86.HasAVX2

// vectorMin is the smallest batch for which vectors pay.
const vectorMin = 32

// vectorsG1 is the working memory of one batch.
type vectorsG1 struct {
	index  [batchSize]int16     // the additions that need a slope
	den    [batchSize / 4]fpVec // x_q − x_p
	prefix [batchSize / 4]fpVec // products of den up to here, then scaled inverses

	nowhere G1Affine // takes the sums of lanes that no addition fills

	xp, yp, xq, yq, slope, x, y fpVec // of the group at hand
}

// denominators computes x_q − x_p for a group.
func (w *adderG1) denominators(g, n int) {
	l, v := w.group(g, n), w.vec
	vecLoad(&v.xp, &l.p[0].X, &l.p[1].X, &l.p[2].X, &l.p[3].X)
	vecLoad(&v.xq, &l.q[0].X, &l.q[1].X, &l.q[2].X, &l.q[3].X)
	vecSub(&v.den[g], &v.xq, &v.xp)
}

// invert replaces the denominators of all groups by their inverses, scaled by
// 2^−4, in prefix. The four lanes are independent chains that share one
// inversion.
func (w *adderG1) invert(groups int) {
	den, prefix := &w.vec.den, &w.vec.prefix
	vecMul(&prefix[0], &den[0], &vecOne, 1)
	if groups > 1 {
		vecMul(&prefix[1], &prefix[0], &den[1], groups-1)
	}
	var e [4]fp.Element
	vecStore(&e[0], &e[1], &e[2], &e[3], &prefix[groups-1])
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
	var suffix fpVec
	vecLoad(&suffix, &e[0], &e[1], &e[2], &e[3])
	for g := groups - 1; g > 0; g-- {
		vecMul(&prefix[g], &suffix, &prefix[g-1], 1)
		vecMul(&suffix, &suffix, &den[g], 1)
	}
	prefix[0] = suffix
}

// inverseScale makes the inverse of a product of den, taken by gnark-crypto,
// count as 2^−4 times its inverse here: 2^12 = 2^−4·κ^−2.
var inverseScale = fp.NewElement(1 << 12)

// vecOne counts as one: 2^392 mod p in every lane.
var vecOne = func() (v fpVec) {
	if !hasVector {
		return v
	}
	e := fp.NewElement(1 << 8) // stored as 2^8·2^384
	vecLoad(&v, &e, &e, &e, &e)
	return v
}()

var vecZero fpVec

// sumGroup computes the sums of a group from their scaled inverses.
func (w *adderG1) sumGroup(g, n int) {
	l, v := w.group(g, n), w.vec
	vecLoad(&v.xp, &l.p[0].X, &l.p[1].X, &l.p[2].X, &l.p[3].X)
	vecLoad(&v.yp, &l.p[0].Y, &l.p[1].Y, &l.p[2].Y, &l.p[3].Y)
	vecLoad(&v.xq, &l.q[0].X, &l.q[1].X, &l.q[2].X, &l.q[3].X)
	vecLoad(&v.yq, &l.q[0].Y, &l.q[1].Y, &l.q[2].Y, &l.q[3].Y)
	vecSub(&v.y, &v.yq, &v.yp)
	vecMul(&v.slope, &v.y, &v.prefix[g], 1) // λ/16
	vecMul(&v.x, &v.slope, &v.slope, 1)     // κλ²
	vecSub2(&v.x, &v.x, &v.xp, &v.xq)
	vecTimes16(&v.slope, &v.slope)
	vecSub(&v.y, &v.xp, &v.x)
	vecMul(&v.y, &v.y, &v.slope, 1)
	vecSub2(&v.y, &v.y, &v.yp, &vecZero)
	vecStore(&l.dst[0].X, &l.dst[1].X, &l.dst[2].X, &l.dst[3].X, &v.x)
	vecStore(&l.dst[0].Y, &l.dst[1].Y, &l.dst[2].Y, &l.dst[3].Y, &v.y)
}
