// Code generated from slopes_g1.go by gen; DO NOT EDIT.

//go:build amd64 && !purego

package curve

import (
	"github.com/libcuzk/libcuzk/core/internal/field"
)

// flushVector performs the batch in vectors. It declines small batches, having changed
// nothing that matters.
func (w *adderG2) flushVector() bool {
	switch {
	case w.ifma != nil && w.n >= vectorMin:
		w.flushIFMA()
	case w.ifma != nil:
		for i := range w.n {
			w.copyQ(i)
		}
		return false
	case field.Use() == field.Portable || w.n < vectorMin:
		return false
	default:
		w.flushAVX2()
	}
	return true
}

// flushAVX2 performs the batch four additions at a time.
func (w *adderG2) flushAVX2() {
	if w.vec == nil {
		w.vec = new(vectorsG2)
	}
	n := w.selectSlopes()
	if n == 0 {
		return
	}
	groups := (n + 3) / 4
	for g := range groups {
		w.denominators(g, n)
	}
	w.doubledDenominators(n)
	w.invert(groups)
	for g := range groups {
		w.sumGroup(g, n)
	}
}

// selectSlopes classifies the additions, lists those with a slope and performs the
// others.
func (w *adderG2) selectSlopes() (n int) {
	for i := range w.n {
		w.kind[i] = kindG2(w.p[i], &w.q[i])
		switch w.kind[i] {
		case addSlope, addDouble:
			w.vec.index[n] = int16(i)
			n++
		default:
			w.finish(i, nil)
		}
	}
	return n
}

// doubledDenominators sets the denominators of doublings.
func (w *adderG2) doubledDenominators(n int) {
	for k, i := range w.vec.index[:n] {
		if w.kind[i] == addDouble {
			d := tangentG2(w.p[i], &w.q[i])
			setLane4G2(&w.vec.den[k/4], k%4, &d)
		}
	}
}

// tangentG2 makes a doubling an addition with a slope of its own: it returns the
// denominator 2y and sets y_q so that y_q − y_p is the numerator 3x².
func tangentG2(p, q *G2Affine) (den E2) {
	var square E2
	square.Square(&p.X)
	q.Y.Double(&square)
	q.Y.Add(&q.Y, &square)
	q.Y.Add(&q.Y, &p.Y)
	return *den.Double(&p.Y)
}

// lanesG2 are the four additions of one group.
type lanesG2 struct{ dst, p, q [4]*G2Affine }

// group returns additions 4g … 4g+3 of the n with a slope; lanes beyond the last
// add the spare points to nowhere.
func (w *adderG2) group(g, n int) (l lanesG2) {
	for i := range 4 {
		k := 4*g + i
		if k >= n {
			l.dst[i], l.p[i], l.q[i] = &w.vec.nowhere, &spareG2.p, &spareG2.q
			continue
		}
		j := w.vec.index[k]
		l.dst[i], l.p[i], l.q[i] = w.dst[j], w.p[j], &w.q[j]
	}
	return l
}

// spareG2 are points with different x for lanes that no addition fills.
var spareG2 = func() (s struct{ p, q G2Affine }) {
	s.p = GeneratorG2()
	s.q.Double(&s.p)
	return s
}()
