package curve

import (
	"sync"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"

	"github.com/libcuzk/libcuzk/core/internal/field"
)

// adderG1 collects independent additions dst = p ± q and performs them together.
// No dst of a batch may be read or written by another addition of the same
// batch; dst may equal its own p or q. Points must keep their values until flush.
type adderG1 struct {
	n      int
	dst, p [batchSize]*G1Affine
	q      [batchSize]G1Affine // copied and negated when pushed: a gather that the CPU overlaps
	kind   [batchSize]addKind
	den    [batchSize]fp.Element // denominators of the slopes
	prefix [batchSize]fp.Element // prefix[i] = den[0]·…·den[i]
	vec    *vectorsG1            // nil until a batch goes to AVX2
	ifma   *ifmaG1               // nil without IFMA, which takes addresses and signs for q
}

// push adds one addition and performs the batch when it is full.
func (w *adderG1) push(dst, p, q *G1Affine) { w.pushSigned(dst, p, q, false) }

// pushSigned is push for −q if negate is set. Signs are as good as random: no branch
// depends on them.
func (w *adderG1) pushSigned(dst, p, q *G1Affine, negate bool) {
	i := w.n
	field.PrefetchG1(p)
	w.dst[i], w.p[i] = dst, p
	if i == 0 {
		w.chooseVectors()
	}
	if w.ifma != nil {
		w.ifma.refer(i, q, negate)
	} else {
		w.q[i] = *q
		negateIfG1(&w.q[i].Y, negate)
	}
	if w.n++; w.n == batchSize {
		w.flush()
	}
}

// flush performs the collected additions.
func (w *adderG1) flush() {
	if w.n == 0 || w.flushVector() {
		w.n = 0
		return
	}
	w.classify()
	w.prefix[0] = w.den[0]
	for i := 1; i < w.n; i++ {
		w.prefix[i].Mul(&w.prefix[i-1], &w.den[i])
	}
	var suffix fp.Element // inverse of den[0]·…·den[i] in round i
	suffix.Inverse(&w.prefix[w.n-1])
	for i := w.n - 1; i > 0; i-- {
		w.prefix[i].Mul(&suffix, &w.prefix[i-1])
		suffix.Mul(&suffix, &w.den[i])
	}
	w.prefix[0] = suffix
	for i := range w.n {
		w.finish(i, &w.prefix[i])
	}
	w.n = 0
}

// classify finds the special cases and sets each denominator: x_q − x_p, or 2y
// to double, or 1 where no slope is needed.
func (w *adderG1) classify() {
	for i := range w.n {
		p, q, den := w.p[i], &w.q[i], &w.den[i]
		w.kind[i] = kindG1(p, q)
		switch w.kind[i] {
		case addSlope:
			den.Sub(&q.X, &p.X)
		case addDouble:
			den.Double(&p.Y)
		default:
			den.SetOne()
		}
	}
}

// kindG1 says how p + q is computed.
func kindG1(p, q *G1Affine) addKind {
	switch {
	case p.X.IsZero() && p.Y.IsZero():
		return addTakeQ
	case q.X.IsZero() && q.Y.IsZero():
		return addTakeP
	case !q.X.Equal(&p.X):
		return addSlope
	case p.Y.Equal(&q.Y) && !p.Y.IsZero():
		return addDouble
	}
	return addCancel // q = −p, also when both are the same point of order two
}

// finish computes the i-th sum from the inverse of its denominator.
func (w *adderG1) finish(i int, inverse *fp.Element) {
	dst, p, q := w.dst[i], w.p[i], &w.q[i]
	var slope, x, y fp.Element
	switch w.kind[i] {
	case addSlope:
		slope.Sub(&q.Y, &p.Y)
	case addDouble: // 3x²
		slope.Square(&p.X)
		x.Double(&slope)
		slope.Add(&slope, &x)
	case addTakeP:
		*dst = *p
		return
	case addTakeQ:
		*dst = *q
		return
	case addCancel:
		dst.SetInfinity()
		return
	}
	slope.Mul(&slope, inverse)
	x.Square(&slope)
	x.Sub(&x, &p.X)
	x.Sub(&x, &q.X)
	y.Sub(&p.X, &x)
	y.Mul(&y, &slope)
	dst.Y.Sub(&y, &p.Y)
	dst.X = x
}

// AddBatchG1 sets dst[i] = p[i] + q[i] for all i. The three slices have equal
// length; dst may be p or q itself.
func AddBatchG1(dst, p, q []G1Affine) {
	w := addersG1.Get().(*adderG1)
	defer addersG1.Put(w)
	for i := range dst {
		w.push(&dst[i], &p[i], &q[i])
	}
	w.flush()
}

// addersG1 keeps the working memory of AddBatchG1, half a megabyte.
var addersG1 = sync.Pool{New: func() any { return new(adderG1) }}
