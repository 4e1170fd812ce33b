//go:build amd64 && !purego

package curve

import "github.com/libcuzk/libcuzk/core/internal/field"

// fp2Vec is four elements a0 + a1·u of the quadratic extension, u² = −1. As in
// Fp4, elements count as κ times their value, and the same scaling of the
// inverses serves. Parts of products are below 5.2p, parts of squares below 1.2p.
type fp2Vec struct{ a0, a1 field.Fp4 }

// vectorsG2 is the working memory of one batch.
type vectorsG2 struct {
	index       [batchSize]int16
	den, prefix [batchSize / 4]fp2Vec

	nowhere G2Affine

	xp, yp, xq, yq, slope, x, y fp2Vec
	mul                         fp2Scratch
}

// fp2Scratch is the working memory of a multiplication.
type fp2Scratch struct{ u, v, t0, t1, t2 field.Fp4 }

// product sets z = x·y by three multiplications (Karatsuba); x may be a
// difference, and their bounds have a product of at most 415p², so that parts
// are below 5.7p.
func (s *fp2Scratch) product(z, x, y *fp2Vec) {
	field.AddFp4(&s.u, &x.a0, &x.a1)
	field.AddFp4(&s.v, &y.a0, &y.a1)
	field.MulFp4(&s.t0, &x.a0, &y.a0, 1)
	field.MulFp4(&s.t1, &x.a1, &y.a1, 1)
	field.MulFp4(&s.t2, &s.u, &s.v, 1)
	field.Sub2Fp4(&z.a0, &s.t0, &s.t1, &vecZero)
	field.Sub2WideFp4(&z.a1, &s.t2, &s.t0, &s.t1)
}

// square sets z = x² = (a0 + a1)(a0 − a1) + 2·a0·a1·u.
func (s *fp2Scratch) square(z, x *fp2Vec) {
	field.AddFp4(&s.u, &x.a0, &x.a1)
	field.Sub8Fp4(&s.v, &x.a0, &x.a1)
	field.AddFp4(&s.t0, &x.a1, &x.a1)
	field.MulFp4(&z.a1, &s.t0, &x.a0, 1)
	field.MulFp4(&z.a0, &s.v, &s.u, 1)
}

func (v *fp2Vec) load(e0, e1, e2, e3 *E2) {
	field.LoadFp4(&v.a0, &e0.A0, &e1.A0, &e2.A0, &e3.A0)
	field.LoadFp4(&v.a1, &e0.A1, &e1.A1, &e2.A1, &e3.A1)
}

// store reduces parts below 8p.
func (v *fp2Vec) store(e0, e1, e2, e3 *E2) {
	field.StoreWideFp4(&e0.A0, &e1.A0, &e2.A0, &e3.A0, &v.a0)
	field.StoreWideFp4(&e0.A1, &e1.A1, &e2.A1, &e3.A1, &v.a1)
}

// sub sets z = x − y for parts of y below 4p, not normalised.
func (z *fp2Vec) sub(x, y *fp2Vec) {
	field.SubFp4(&z.a0, &x.a0, &y.a0)
	field.SubFp4(&z.a1, &x.a1, &y.a1)
}

// sub2 sets z = x − y − w for y and w reduced.
func (z *fp2Vec) sub2(x, y, w *fp2Vec) {
	field.Sub2Fp4(&z.a0, &x.a0, &y.a0, &w.a0)
	field.Sub2Fp4(&z.a1, &x.a1, &y.a1, &w.a1)
}

func setLane4G2(v *fp2Vec, l int, e *E2) {
	field.SetLaneFp4(&v.a0, l, &e.A0)
	field.SetLaneFp4(&v.a1, l, &e.A1)
}

// denominators computes x_q − x_p for a group.
func (w *adderG2) denominators(g, n int) {
	l, v := w.group(g, n), w.vec
	v.xp.load(&l.p[0].X, &l.p[1].X, &l.p[2].X, &l.p[3].X)
	v.xq.load(&l.q[0].X, &l.q[1].X, &l.q[2].X, &l.q[3].X)
	v.den[g].sub(&v.xq, &v.xp)
}

// invert is that of G1.
func (w *adderG2) invert(groups int) {
	v := w.vec
	den, prefix := &v.den, &v.prefix
	field.MulFp4(&prefix[0].a0, &den[0].a0, &vecOne, 1)
	field.MulFp4(&prefix[0].a1, &den[0].a1, &vecOne, 1)
	for g := 1; g < groups; g++ {
		v.mul.product(&prefix[g], &den[g], &prefix[g-1])
	}
	var e [4]E2
	prefix[groups-1].store(&e[0], &e[1], &e[2], &e[3])
	var low, high, inverse E2
	low.Mul(&e[0], &e[1])
	high.Mul(&e[2], &e[3])
	inverse.Mul(&low, &high)
	inverse.Inverse(&inverse)
	inverse.MulByElement(&inverse, &inverseScale)
	high.Mul(&high, &inverse) // 1/(e0·e1)
	low.Mul(&low, &inverse)   // 1/(e2·e3)
	e[0], e[1] = *inverse.Mul(&high, &e[1]), *high.Mul(&high, &e[0])
	e[2], e[3] = *inverse.Mul(&low, &e[3]), *low.Mul(&low, &e[2])
	suffix := &v.x
	suffix.load(&e[0], &e[1], &e[2], &e[3])
	for g := groups - 1; g > 0; g-- {
		v.mul.product(&prefix[g], suffix, &prefix[g-1])
		v.mul.product(suffix, &den[g], suffix)
	}
	prefix[0] = *suffix
}

// sumGroup computes the sums of a group from their scaled inverses. Parts: λ
// below 5.2p, x − x_p − x_q below 3.2p, its difference from x_p below 5p, 16λ below
// 84p, so that their product is below 5.7p and y below 7.7p.
func (w *adderG2) sumGroup(g, n int) {
	l, v := w.group(g, n), w.vec
	v.xp.load(&l.p[0].X, &l.p[1].X, &l.p[2].X, &l.p[3].X)
	v.yp.load(&l.p[0].Y, &l.p[1].Y, &l.p[2].Y, &l.p[3].Y)
	v.xq.load(&l.q[0].X, &l.q[1].X, &l.q[2].X, &l.q[3].X)
	v.yq.load(&l.q[0].Y, &l.q[1].Y, &l.q[2].Y, &l.q[3].Y)
	v.y.sub(&v.yq, &v.yp)
	v.mul.product(&v.slope, &v.y, &v.prefix[g]) // λ/16
	v.mul.square(&v.x, &v.slope)                // κλ²
	v.x.sub2(&v.x, &v.xp, &v.xq)
	field.Times16Fp4(&v.slope.a0, &v.slope.a0)
	field.Times16Fp4(&v.slope.a1, &v.slope.a1)
	v.y.sub(&v.xp, &v.x)
	v.mul.product(&v.y, &v.y, &v.slope)
	v.y.sub2(&v.y, &v.yp, &vec2Zero)
	v.x.store(&l.dst[0].X, &l.dst[1].X, &l.dst[2].X, &l.dst[3].X)
	v.y.store(&l.dst[0].Y, &l.dst[1].Y, &l.dst[2].Y, &l.dst[3].Y)
}

var vec2Zero fp2Vec
