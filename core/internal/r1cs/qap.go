package r1cs

import (
	"context"
	"math/bits"
	"unsafe"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// QAP is a_v(τ), b_v(τ) and c_v(τ) of the variables v, inputs then aux
// (bellperson groth16/generator.rs): Σ over rows of coefficient · Lagrange
// polynomial of the row at τ. A and B leave out the variables that [Density]
// leaves out; C has all.
type QAP struct {
	A, B, C []fr.Element

	columns [3]column
	inputs  int
}

// column says where the variables of one matrix are.
type column struct {
	pick   func(*template) *matrix
	values []fr.Element
	inputs map[int]int // positions of input variables; nil: as they are numbered
	first  int         // position of the first aux variable
	dense  []uint64    // bitmap over aux; nil: all
	before []uint32    // set bits before each word
}

// position is where an aux variable is, or the next that the column has.
func (q *column) position(aux int) int {
	if q.dense == nil {
		return q.first + aux
	}
	word := aux >> 6
	if word == len(q.dense) {
		return len(q.values)
	}
	return q.first + int(q.before[word]) + bits.OnesCount64(q.dense[word]&(1<<(aux&63)-1))
}

func (q *column) has(aux int) bool { return q.dense == nil || q.dense[aux>>6]>>(aux&63)&1 == 1 }

// add adds to consecutive aux variables.
func (q *column) add(aux int, sums []fr.Element) {
	at := q.position(aux)
	for i := range sums {
		if q.has(aux + i) {
			q.values[at].Add(&q.values[at], &sums[i])
			at++
		}
	}
}

// index makes the directory of dense and the values.
func (q *column) index(inputs, aux int) {
	q.first = inputs
	if q.inputs != nil {
		q.first = len(q.inputs)
	}
	n := aux
	if q.dense != nil {
		n = 0
		q.before = make([]uint32, len(q.dense))
		for i, w := range q.dense {
			q.before[i] = uint32(n)
			n += bits.OnesCount64(w)
		}
	}
	q.values = elements(q.first + n)
}

// elements allocates a long vector. Its pages are faulted in where they are first
// added to, a third of the work if they are small ones, so it asks for huge pages.
func elements(n int) []fr.Element {
	v := make([]fr.Element, n)
	if bytes := n * fr.Bytes; bytes >= 1<<24 {
		hugePages(unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), bytes))
	}
	return v
}

// QAP evaluates the circuit at τ. lagrange sets to[i] to the Lagrange polynomial
// of row first+i at τ and is called concurrently. The appended rows input_i·0 = 0
// are included.
func (c *Circuit) QAP(ctx context.Context, lagrange func(first int, to []fr.Element), workers int) (*QAP, error) {
	q := c.newQAP()
	const runs = 8 // per worker: evens out their cost
	cuts := c.split(max(1, workers) * runs)
	parts := make([]qapPart, len(cuts)-1)
	err := spawn.Each(ctx, workers, len(parts), func(i int) error {
		parts[i].run(c, q, lagrange, cuts[i], cuts[i+1])
		return nil
	})
	if err != nil {
		return nil, status.Classify(err)
	}
	for i := range parts {
		q.merge(parts[i].others)
	}
	appended := make([]fr.Element, c.NumInputs)
	lagrange(c.NumRows, appended)
	for i := range appended {
		q.A[i].Add(&q.A[i], &appended[i])
	}
	return q, nil
}

func (c *Circuit) newQAP() *QAP {
	a, b, bInputs := c.Density()
	inB := make(map[int]int, len(bInputs))
	for i, v := range bInputs {
		inB[v] = i
	}
	q := &QAP{inputs: c.NumInputs, columns: [3]column{
		{pick: func(t *template) *matrix { return &t.a }, dense: a},
		{pick: func(t *template) *matrix { return &t.b }, dense: b, inputs: inB},
		{pick: func(t *template) *matrix { return &t.c }},
	}}
	for k := range q.columns {
		q.columns[k].index(c.NumInputs, c.NumAux)
	}
	q.A, q.B, q.C = q.columns[0].values, q.columns[1].values, q.columns[2].values
	return q
}

// merge adds what a part has for variables of others.
func (q *QAP) merge(others map[Var]*[3]fr.Element) {
	for v, sums := range others {
		for k := range q.columns {
			col, i := &q.columns[k], v.index()
			switch {
			case sums[k].IsZero():
				continue
			case v.tag() == tagAux:
				i = col.position(i)
			case col.inputs != nil:
				i = col.inputs[i]
			}
			col.values[i].Add(&col.values[i], &sums[k])
		}
	}
}

// Combine calls f for every variable, concurrently; a or b is nil where the
// variable does not occur. f may change all three.
func (q *QAP) Combine(workers int, f func(v int, a, b, c *fr.Element)) {
	a, b := &q.columns[0], &q.columns[1]
	for v := range q.inputs {
		var ofB *fr.Element
		if i, ok := b.inputs[v]; ok {
			ofB = &q.B[i]
		}
		f(v, &q.A[v], ofB, &q.C[v])
	}
	spawn.Range(workers, len(q.C)-q.inputs, func(_, lo, hi int) {
		atA, atB := a.position(lo), b.position(lo)
		for i := lo; i < hi; i++ {
			var ofA, ofB *fr.Element
			if a.has(i) {
				ofA = &q.A[atA]
				atA++
			}
			if b.has(i) {
				ofB = &q.B[atB]
				atB++
			}
			f(q.inputs+i, ofA, ofB, &q.C[q.inputs+i])
		}
	})
}
