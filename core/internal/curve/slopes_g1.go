//go:build amd64 && !purego

package curve

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"

	"github.com/libcuzk/libcuzk/core/internal/field"
)

// flushVector performs the batch in vectors. It declines small batches, having changed
// nothing that matters.
func (w *adderG1) flushVector() bool {
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
func (w *adderG1) flushAVX2() {
	if w.vec == nil {
		w.vec = new(vectorsG1)
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
func (w *adderG1) selectSlopes() (n int) {
	for i := range w.n {
		w.kind[i] = kindG1(w.p[i], &w.q[i])
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
func (w *adderG1) doubledDenominators(n int) {
	for k, i := range w.vec.index[:n] {
		if w.kind[i] == addDouble {
			d := tangentG1(w.p[i], &w.q[i])
			setLane4G1(&w.vec.den[k/4], k%4, &d)
		}
	}
}

// tangentG1 makes a doubling an addition with a slope of its own: it returns the
// denominator 2y and sets y_q so that y_q − y_p is the numerator 3x².
func tangentG1(p, q *G1Affine) (den fp.Element) {
	var square fp.Element
	square.Square(&p.X)
	q.Y.Double(&square)
	q.Y.Add(&q.Y, &square)
	q.Y.Add(&q.Y, &p.Y)
	return *den.Double(&p.Y)
}

// lanesG1 are the four additions of one group.
type lanesG1 struct{ dst, p, q [4]*G1Affine }

// group returns additions 4g … 4g+3 of the n with a slope; lanes beyond the last
// add the spare points to nowhere.
func (w *adderG1) group(g, n int) (l lanesG1) {
	for i := range 4 {
		k := 4*g + i
		if k >= n {
			l.dst[i], l.p[i], l.q[i] = &w.vec.nowhere, &spareG1.p, &spareG1.q
			continue
		}
		j := w.vec.index[k]
		l.dst[i], l.p[i], l.q[i] = w.dst[j], w.p[j], &w.q[j]
	}
	return l
}

// spareG1 are points with different x for lanes that no addition fills.
var spareG1 = func() (s struct{ p, q G1Affine }) {
	s.p = GeneratorG1()
	s.q.Double(&s.p)
	return s
}()
