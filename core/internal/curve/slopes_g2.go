// Code generated from slopes_g1.go by gen; DO NOT EDIT.

//go:build amd64 && !purego

package curve

// flushVector performs the batch four additions at a time. It declines, having
// changed nothing, small batches and those with many doublings.
func (w *adderG2) flushVector() bool {
	if !hasVector || w.n < vectorMin {
		return false
	}
	if w.vec == nil {
		w.vec = new(vectorsG2)
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
func (w *adderG2) selectSlopes() (n int, ok bool) {
	doubles := 0
	for i := range w.n {
		w.kind[i] = kindG2(w.p[i], &w.q[i])
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
func (w *adderG2) finishSpecial() {
	for i := range w.n {
		switch w.kind[i] {
		case addSlope:
		case addDouble:
			var inverse E2
			inverse.Double(&w.p[i].Y)
			inverse.Inverse(&inverse)
			w.finish(i, &inverse)
		default:
			w.finish(i, nil)
		}
	}
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
