package r1cs

import (
	"context"
	"sort"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// evaluator reads slots of one instance from a packed witness.
type evaluator struct {
	c    *Circuit
	w    *Witness
	t    *template
	in   instance
	base int // scalar variables before the instance
}

func (e *evaluator) enter(i int) {
	e.in = e.c.instances[i]
	e.t = e.c.templates[e.in.tmpl]
	e.base = 0
	if e.t.scalars > 0 {
		e.base = e.c.scalarRank(int(e.in.aux))
	}
}

// slot returns the value of a slot: a small integer when s is nil, else *s.
func (e *evaluator) slot(slot uint32) (small int64, s *fr.Element) {
	t := e.t
	if slot == 0 {
		return 1, nil
	}
	if slot -= 1; int(slot) < t.wires {
		return e.global(e.c.wires[int(e.in.wire)+int(slot)])
	}
	if slot -= uint32(t.wires); int(slot) < t.inputs {
		return 0, &e.w.Inputs[int(e.in.input)+int(slot)]
	}
	p := t.place[int(slot)-t.inputs]
	if p&scalarPlace != 0 {
		return 0, &e.w.Scalars[e.base+int(p&^scalarPlace)]
	}
	at := int(e.in.aux) + int(p)
	return int64(e.w.Bits[at>>6] >> (at & 63) & 1), nil
}

func (e *evaluator) global(v Var) (small int64, s *fr.Element) {
	i := v.index()
	switch {
	case v.tag() == tagInput:
		return 0, &e.w.Inputs[i]
	case e.c.isBit(i):
		return int64(e.w.Bits[i>>6] >> (i & 63) & 1), nil
	default:
		return 0, &e.w.Scalars[e.c.scalarRank(i)]
	}
}

// row evaluates one row of m into out.
func (e *evaluator) row(m *matrix, row int, out *fr.Element) {
	var sum, prod fr.Element
	var small int64 // Σ of ±1 times small values
	for k := m.start[row]; k < m.start[row+1]; k++ {
		v, s := e.slot(m.slot[k])
		coef := m.coef[k]
		switch {
		case s == nil && v == 0:
		case s == nil && coef == coefOne:
			small += v
		case s == nil && coef == coefMinusOne:
			small -= v
		case s == nil:
			sum.Add(&sum, &e.c.coefs[coef])
		case coef == coefOne:
			sum.Add(&sum, s)
		case coef == coefMinusOne:
			sum.Sub(&sum, s)
		default:
			prod.Mul(s, &e.c.coefs[coef])
			sum.Add(&sum, &prod)
		}
	}
	addSmall(&sum, small)
	*out = sum
}

// smallElements are the field elements −8 … 8.
var smallElements = func() (t [17]fr.Element) {
	for i := range t {
		t[i].SetInt64(int64(i - 8))
	}
	return t
}()

func addSmall(x *fr.Element, v int64) {
	if v == 0 {
		return
	}
	if -8 <= v && v <= 8 {
		x.Add(x, &smallElements[v+8])
		return
	}
	var e fr.Element
	x.Add(x, e.SetInt64(v))
}

// EvalAB writes A·w and B·w for every row, then the appended rows
// input_i·0 = 0, then zeros: a and b have length Domain(). It stops soon after
// ctx ends and returns why.
func (c *Circuit) EvalAB(ctx context.Context, w *Witness, a, b []fr.Element, workers int) error {
	err := c.forInstances(ctx, workers, w, func(e *evaluator) {
		row := int(e.in.row)
		for r := range e.t.rows {
			e.row(&e.t.a, r, &a[row+r])
			e.row(&e.t.b, r, &b[row+r])
		}
	})
	clear(a[c.NumRows:])
	clear(b[c.NumRows:])
	copy(a[c.NumRows:], w.Inputs)
	return err
}

// forInstances calls f for every instance, in runs of about equal rows.
func (c *Circuit) forInstances(ctx context.Context, workers int, w *Witness, f func(*evaluator)) error {
	const runs = 64 // per worker: evens out templates of different cost, and bounds the time to a cancel
	cuts := c.split(max(1, workers) * runs)
	err := spawn.Each(ctx, workers, len(cuts)-1, func(i int) error {
		e := &evaluator{c: c, w: w}
		for k := cuts[i]; k < cuts[i+1]; k++ {
			e.enter(k)
			f(e)
		}
		return nil
	})
	return status.Classify(err)
}

// split cuts the instances into runs of about equal rows: run i ends before
// instance cuts[i+1].
func (c *Circuit) split(runs int) (cuts []int) {
	cuts = make([]int, runs+1)
	for i := 1; i < runs; i++ {
		row := uint32(uint64(c.NumRows) * uint64(i) / uint64(runs))
		cuts[i] = sort.Search(len(c.instances), func(j int) bool { return c.instances[j].row >= row })
	}
	cuts[runs] = len(c.instances)
	return cuts
}
