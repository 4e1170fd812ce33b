package aggregator

import (
	"context"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// product asks for Miller loops of Σ_i (row[i], q[i]) for several rows of points of
// G1 with the same points of G2, whose lines are computed once for all rows.
type product struct {
	q    []bls.G2Affine
	rows [][]bls.G1Affine // each as long as q
	out  []bls.GT         // per row, without final exponentiation
}

// millerBlock is how many points of G2 go through the loop together: they share the
// inversions of their slopes and, per row, the squarings of the accumulator. Points,
// slopes and evaluations take some 100 KiB.
const millerBlock = 128

// millerLoops computes the products, blocks of all of them side by side. done is
// called with the number of pairs evaluated.
func millerLoops(ctx context.Context, workers int, done func(pairs int), products ...*product) error {
	type task struct {
		of     *product
		lo, hi int
		out    []bls.GT
	}
	var tasks []*task
	for _, p := range products {
		size := min(millerBlock, max(2, (len(p.q)*len(products)+workers-1)/workers))
		for lo := 0; lo < len(p.q); lo += size {
			tasks = append(tasks, &task{of: p, lo: lo, hi: min(lo+size, len(p.q))})
		}
	}
	err := spawn.Each(ctx, workers, len(tasks), func(i int) error {
		t := tasks[i]
		rows := make([][]bls.G1Affine, len(t.of.rows))
		for j := range rows {
			rows[j] = t.of.rows[j][t.lo:t.hi]
		}
		t.out = newBlock(t.of.q[t.lo:t.hi], rows).loop()
		done((t.hi - t.lo) * len(rows))
		return nil
	})
	for _, t := range tasks {
		if t.of.out == nil {
			t.of.out = t.out
			continue
		}
		for j := range t.out {
			t.of.out[j].Mul(&t.of.out[j], &t.out[j])
		}
	}
	return err
}

// line is the line through two points of the twist with slope λ, as its coefficients
// λ and λ·x − y. At (x_P, y_P) it is, divided by y_P, 1·vw − λ·(x_P/y_P)·v + (λ·x − y)/y_P.
type line struct{ slope, offset bls.E2 }

// at is a point of G1 as lines are evaluated there. At infinity both are 0: then
// lines are powers of vw, which the final exponentiation turns into 1.
type at struct{ minusXOverY, inverseY fp.Element }

// block is a set of pairs on their way through the Miller loop.
type block struct {
	q, t    []bls.G2Affine // the points, and their multiples so far
	rows    [][]at
	acc     []bls.GT
	lines   []line
	inverse []bls.E2 // working memory of batch inversions
	prefix  []bls.E2
}

func newBlock(q []bls.G2Affine, rows [][]bls.G1Affine) *block {
	b := &block{acc: make([]bls.GT, len(rows)), rows: make([][]at, len(rows))}
	var finite []int
	for i := range q {
		if !q[i].IsInfinity() {
			finite, b.q = append(finite, i), append(b.q, q[i])
		}
	}
	b.t = append([]bls.G2Affine(nil), b.q...)
	b.lines = make([]line, len(b.q))
	b.inverse, b.prefix = make([]bls.E2, len(b.q)), make([]bls.E2, len(b.q))
	ys := make([]fp.Element, len(b.q))
	for j := range rows {
		b.acc[j].SetOne()
		b.rows[j] = make([]at, len(finite))
		for i, k := range finite {
			ys[i] = rows[j][k].Y
		}
		for i, inverse := range fp.BatchInvert(ys) { // 0 stays 0
			a := &b.rows[j][i]
			a.inverseY = inverse
			a.minusXOverY.Mul(&rows[j][finite[i]].X, &inverse)
			a.minusXOverY.Neg(&a.minusXOverY)
		}
	}
	return b
}

// loop runs all steps: f_{|x|,q} in affine coordinates, conjugated because x < 0.
func (b *block) loop() []bls.GT {
	for i := len(bls.LoopCounter) - 2; i >= 0; i-- {
		for j := range b.acc {
			b.acc[j].Square(&b.acc[j])
		}
		b.double()
		b.evaluate()
		if bls.LoopCounter[i] != 0 {
			b.add()
			b.evaluate()
		}
	}
	for j := range b.acc {
		b.acc[j].Conjugate(&b.acc[j])
	}
	return b.acc
}

// double sets lines to the tangents at t and doubles t. No point of odd order has
// y = 0.
func (b *block) double() {
	for i := range b.t {
		b.inverse[i].Double(&b.t[i].Y)
	}
	b.invert()
	for i := range b.t {
		var s bls.E2
		s.Square(&b.t[i].X)
		b.lines[i].slope.Double(&s)
		b.lines[i].slope.Add(&b.lines[i].slope, &s)
		b.lines[i].slope.Mul(&b.lines[i].slope, &b.inverse[i])
		b.move(i, &b.t[i].X)
	}
}

// add sets lines to those through t and q and adds q to t, which is a multiple m·q
// with 1 < m < r − 1, so that the two have different x.
func (b *block) add() {
	for i := range b.t {
		b.inverse[i].Sub(&b.q[i].X, &b.t[i].X)
	}
	b.invert()
	for i := range b.t {
		s := &b.lines[i].slope
		s.Sub(&b.q[i].Y, &b.t[i].Y)
		s.Mul(s, &b.inverse[i])
		b.move(i, &b.q[i].X)
	}
}

// move completes line i from its slope and sets t to the third point on it, negated:
// x is the second point's.
func (b *block) move(i int, x *bls.E2) {
	l, t := &b.lines[i], &b.t[i]
	var next, y bls.E2
	l.offset.Mul(&l.slope, &t.X)
	l.offset.Sub(&l.offset, &t.Y)
	next.Square(&l.slope)
	next.Sub(&next, &t.X)
	next.Sub(&next, x)
	y.Mul(&l.slope, &next) // −(λ·x' − λ·x + y)
	y.Sub(&l.offset, &y)
	t.X, t.Y = next, y
}

// invert replaces inverse by the inverses of its elements.
func (b *block) invert() {
	if len(b.inverse) == 0 {
		return
	}
	prefix := b.prefix
	prefix[0] = b.inverse[0]
	for i := 1; i < len(prefix); i++ {
		prefix[i].Mul(&prefix[i-1], &b.inverse[i])
	}
	var all bls.E2
	all.Inverse(&prefix[len(prefix)-1])
	for i := len(prefix) - 1; i > 0; i-- {
		prefix[i].Mul(&prefix[i-1], &all)
		all.Mul(&all, &b.inverse[i])
		b.inverse[i] = prefix[i]
	}
	b.inverse[0] = all
}

// evaluate multiplies the lines, evaluated at the points of each row, into its
// accumulator, two at a time: their product is sparse too.
func (b *block) evaluate() {
	for j := range b.acc {
		row, acc := b.rows[j], &b.acc[j]
		var l, m line
		i := 0
		for ; i+1 < len(row); i += 2 {
			b.lines[i].evaluate(&row[i], &l)
			b.lines[i+1].evaluate(&row[i+1], &m)
			both := l.times(&m)
			acc.MulBy01245(&both)
		}
		if i < len(row) {
			b.lines[i].evaluate(&row[i], &l)
			acc.MulBy01(&l.offset, &l.slope)
		}
	}
}

// evaluate sets l to the coefficients of the line at a point.
func (z *line) evaluate(p *at, l *line) {
	l.slope.MulByElement(&z.slope, &p.minusXOverY)
	l.offset.MulByElement(&z.offset, &p.inverseY)
}

// times multiplies two evaluated lines o + s·v + vw: the coefficients of 1, v, v²,
// vw and v²w.
func (z *line) times(m *line) (p [5]bls.E2) {
	var a, b bls.E2
	p[0].Mul(&z.offset, &m.offset)
	p[2].Mul(&z.slope, &m.slope)
	a.Add(&z.offset, &z.slope)
	b.Add(&m.offset, &m.slope)
	p[1].Mul(&a, &b)
	p[1].Sub(&p[1], &p[0])
	p[1].Sub(&p[1], &p[2])
	p[3].Add(&z.offset, &m.offset)
	p[4].Add(&z.slope, &m.slope)
	p[0].Add(&p[0], &nonResidue) // (vw)² = v³ = 1 + u
	return p
}

var nonResidue = func() (e bls.E2) {
	e.A0.SetOne()
	e.A1.SetOne()
	return e
}()
