package groth16

import (
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Plan knows for one circuit which variable stands at which position of each
// section of the SRS, and which of them are bits. It is made once and shared.
type Plan struct {
	Layout  params.Layout
	L, A, B Query
}

// Query is the order of variables in one section: some inputs, then the aux
// variables of a bitmap.
type Query struct {
	inputs []int    // input variables at positions 0 …
	dense  []uint64 // bitmap over aux of the variables in the section; nil for all
	length int      // points in the section
	index  []uint32 // positions of inputs and of scalar variables
	which  []uint32 // for the scalar variables of index: their rank in Witness.Scalars
}

// NewPlan derives the plan of a circuit (docs/filecoin.md 4.1, 4.4: A and B are
// compacted by density, L is not).
func NewPlan(c *r1cs.Circuit) *Plan {
	a, b, bInputs := c.Density()
	allInputs := make([]int, c.NumInputs)
	for i := range allInputs {
		allInputs[i] = i
	}
	return &Plan{
		Layout: params.LayoutOf(c),
		L:      newQuery(c, nil, nil),
		A:      newQuery(c, allInputs, a),
		B:      newQuery(c, bInputs, b),
	}
}

// Inputs are the input variables at the first positions.
func (q *Query) Inputs() []int { return q.inputs }

// Dense is the bitmap over aux of the variables in the section; nil means all.
// Callers must not change it.
func (q *Query) Dense() []uint64 { return q.dense }

// Which lists, for the scalar variables of the section, their rank in
// Witness.Scalars. Callers must not change it.
func (q *Query) Which() []uint32 { return q.which }

// Len is the number of points in the section.
func (q *Query) Len() int { return q.length }

func newQuery(c *r1cs.Circuit, inputs []int, dense []uint64) Query {
	q := Query{inputs: inputs, dense: dense, length: len(inputs)}
	for i := range inputs {
		q.index = append(q.index, uint32(i))
	}
	rank := 0 // scalar variables so far
	for word, class := range c.BitMask() {
		valid := validBits(c.NumAux, word)
		in := valid
		if dense != nil {
			in &= dense[word]
		}
		for scalars := valid &^ class; scalars != 0; scalars &= scalars - 1 {
			bit := scalars & -scalars
			if in&bit != 0 {
				q.index = append(q.index, uint32(q.length+bits.OnesCount64(in&(bit-1))))
				q.which = append(q.which, uint32(rank))
			}
			rank++
		}
		q.length += bits.OnesCount64(in)
	}
	return q
}

// validBits masks the bits of a word of a bitmap over n positions.
func validBits(n, word int) uint64 {
	if left := n - 64*word; left < 64 {
		return 1<<left - 1
	}
	return ^uint64(0)
}

// pack brings a witness into the order of the section.
func (q *Query) pack(w *r1cs.Witness) Packed {
	p := Packed{Index: q.index, Scalars: make([]fr.Element, 0, len(q.index))}
	for _, i := range q.inputs {
		p.Scalars = append(p.Scalars, w.Inputs[i])
	}
	for _, i := range q.which {
		p.Scalars = append(p.Scalars, w.Scalars[i])
	}
	if q.dense == nil && len(q.inputs) == 0 {
		p.Bits = w.Bits
		return p
	}
	p.Bits = make([]uint64, (q.length+63)/64+1)
	at := len(q.inputs)
	for i, mask := range q.dense {
		v := extract(w.Bits[i]&mask, mask)
		p.Bits[at>>6] |= v << (at & 63)
		if at&63 != 0 {
			p.Bits[at>>6+1] |= v >> (64 - at&63)
		}
		at += bits.OnesCount64(mask)
	}
	p.Bits = p.Bits[:(q.length+63)/64]
	return p
}

// extract gathers the bits of v selected by mask at the low end (PEXT), one run
// of set mask bits at a time.
func extract(v, mask uint64) (out uint64) {
	if v == 0 {
		return 0
	}
	for at := 0; mask != 0; {
		skip := bits.TrailingZeros64(mask)
		mask, v = mask>>skip, v>>skip
		run := bits.TrailingZeros64(^mask)
		out |= v & (1<<run - 1) << at
		at += run
		mask, v = mask>>run, v>>run
	}
	return out
}
