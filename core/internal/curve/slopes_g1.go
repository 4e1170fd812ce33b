//go:build amd64 && !purego

package curve

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fp"

// flushVector performs the batch four additions at a time. It declines, having
// changed nothing, small batches and those with many doublings.
func (w *adderG1) flushVector() bool {
	if !hasVector || w.n < vectorMin {
		return false
	}
	if w.vec == nil {
		w.vec = new(vectorsG1)
	}
	n, ok := w.selectSlopes()
	if !ok {
		return false
	}
	w.finishSpecial()
	if n == 0 {
		return true
	}
	groups := (n + 3) / 4
	for g := range groups {
		w.denominators(g, n)
	}
	w.invert(groups)
	for g := range groups {
		w.sumGroup(g, n)
	}
	return true
}

// selectSlopes classifies the additions and lists those with a slope. It
// declines if doublings, which are done singly, are more than one in sixteen.
func (w *adderG1) selectSlopes() (n int, ok bool) {
	doubles := 0
	for i := range w.n {
		w.kind[i] = kindG1(w.p[i], &w.q[i])
		switch w.kind[i] {
		case addSlope:
			w.vec.index[n] = int16(i)
			n++
		case addDouble:
			doubles++
		}
	}
	return n, 16*doubles <= w.n
}

// finishSpecial performs the additions that are not vectorised.
func (w *adderG1) finishSpecial() {
	for i := range w.n {
		switch w.kind[i] {
		case addSlope:
		case addDouble:
			var inverse fp.Element
			inverse.Double(&w.p[i].Y)
			inverse.Inverse(&inverse)
			w.finish(i, &inverse)
		default:
			w.finish(i, nil)
		}
	}
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
