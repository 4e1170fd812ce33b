// Code generated from ifma_g1.go by gen; DO NOT EDIT.

//go:build amd64 && !purego

package curve

import (
	"math/bits"

	"github.com/libcuzk/libcuzk/core/internal/field"
)

// ifmaG2 is the working memory of one batch on AVX-512 IFMA.
type ifmaG2 struct {
	scratch  field.Scratch
	q        [batchSize]*G2Affine
	negative [batchSize / 8]uint8  // signs of q, one bit each
	den      [batchSize / 8]wideG2 // x_q − x_p, or 2y to double
	prefix   [batchSize / 8]wideG2 // products of den up to here, then scaled inverses
	special  [batchSize / 8]uint8  // lanes of a group that need care

	nowhere G2Affine // takes the sums of lanes that no addition fills
}

// chooseVectors decides at the start of a batch whether it goes to IFMA.
func (w *adderG2) chooseVectors() {
	switch use := field.Use() == field.IFMA; {
	case use && w.ifma == nil:
		w.ifma = new(ifmaG2)
	case !use:
		w.ifma = nil
	}
}

// refer notes the second point of addition i, or its negative.
func (v *ifmaG2) refer(i int, q *G2Affine, negate bool) {
	var sign uint8
	if negate {
		sign = 1
	}
	v.q[i] = q
	at := &v.negative[i/8]
	if i%8 == 0 {
		*at = 0
	}
	*at |= sign << (i % 8)
}

// copyQ brings the second point of addition i to its own place, with its sign.
func (w *adderG2) copyQ(i int) *G2Affine {
	q := &w.q[i]
	*q = *w.ifma.q[i]
	at, bit := &w.ifma.negative[i/8], uint8(1)<<(i%8)
	negateIfG2(&q.Y, *at&bit != 0)
	*at &^= bit
	w.ifma.q[i] = q
	return q
}

// flushIFMA performs the batch eight additions at a time.
func (w *adderG2) flushIFMA() {
	v := w.ifma
	groups := (w.n + 7) / 8
	for i := w.n; i < 8*groups; i++ {
		w.dst[i], w.p[i] = &v.nowhere, &spareG2.p
		v.refer(i, &spareG2.q, false)
	}
	field.DenominatorsG2(&v.den[0][0], &w.p[0], &v.q[0], &v.special[0], groups, &v.scratch)
	for g, special := range v.special[:groups] {
		for ; special != 0; special &= special - 1 {
			l := bits.TrailingZeros8(special)
			w.specialLane(8*g+l, &v.den[g], l)
		}
	}
	field.PrefixesG2(&v.prefix[0][0], &v.den[0][0], groups, &v.scratch)
	inverse := invertLanesG2(&v.prefix[groups-1])
	field.InversesG2(&v.prefix[0][0], &v.den[0][0], &inverse[0], groups, &v.scratch)
	field.SumsG2(&w.dst[0], &w.p[0], &v.q[0], &v.negative[0], &v.prefix[0][0], groups, &v.scratch)
}

// specialLane sees to an addition in lane l of a group: it sets the denominator of the
// slope, or performs the addition and sends the sum of the lane nowhere.
func (w *adderG2) specialLane(i int, den *wideG2, l int) {
	p, q := w.p[i], w.copyQ(i)
	w.kind[i] = kindG2(p, q)
	switch w.kind[i] {
	case addSlope: // one of the points has x = 0
		var d E2
		setLaneG2(den, l, d.Sub(&q.X, &p.X))
	case addDouble:
		d := tangentG2(p, q)
		setLaneG2(den, l, &d)
	default:
		w.finish(i, nil)
		w.dst[i] = &w.ifma.nowhere
	}
}

// invertLanesG2 returns the inverses of all lanes of x, times κ^(−3/2): see SumsG2 of
// package field, and that what gnark-crypto inverts comes back κ² too large.
func invertLanesG2(x *wideG2) (inverse wideG2) {
	e := storeWideG2(x)
	var before [8]E2 // products of earlier lanes
	before[1] = e[0]
	for l := 2; l < 8; l++ {
		before[l].Mul(&before[l-1], &e[l-1])
	}
	var all E2
	all.Mul(&before[7], &e[7])
	all.Inverse(&all)
	scaleWideG2(&all)
	for l := 7; l > 0; l-- {
		before[l].Mul(&before[l], &all)
		all.Mul(&all, &e[l])
	}
	before[0] = all
	return loadWideG2(&before)
}
