package poseidon

import (
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// Hash returns the Poseidon hash of t−1 field elements. It does not allocate;
// a wrong number of inputs panics.
func (c *Constants) Hash(in []fr.Element) fr.Element { return c.permute(in, nil) }

// Variables is the number of variables that the circuit allocates for one hash
// (neptune circuit.rs poseidon_hash): three for each S-box, one more where its
// argument is a sum, one for the result.
func (c *Constants) Variables() int {
	return 3*(c.T-1) + 4*((c.RF-1)*c.T+c.RP) + 1
}

// Trace hashes in and stores the value of every variable of the circuit in
// allocation order. The hash is the last one. A wrong length of either slice
// panics.
//
// For an S-box l → l^5 + k the values are l where it is allocated, l², l⁴ and
// the result.
func (c *Constants) Trace(in, out []fr.Element) {
	if len(out) != c.Variables() {
		panic(fmt.Sprintf("poseidon: room for %d of %d variables", len(out), c.Variables()))
	}
	out[len(out)-1] = c.permute(in, out)
}

// state is the permutation's state, the arguments of a block of partial rounds
// behind it, and what is left of the trace, empty if none is wanted.
type state struct {
	s     [MaxWidth + maxBlock]fr.Element
	trace []fr.Element
}

func (c *Constants) permute(in, trace []fr.Element) fr.Element {
	if len(in) != c.T-1 {
		panic(fmt.Sprintf("poseidon: %d inputs for arity %d", len(in), c.T-1))
	}
	t, half := c.T, c.RF/2
	x := state{trace: trace}
	x.s[0] = c.Tag
	copy(x.s[1:], in)
	x.first(t, c.CC)
	c.dense(&x, c.mCols)
	cc := c.CC[2*t:]
	for r := 1; r < half; r++ {
		x.full(t, cc)
		cc = cc[t:]
		if r < half-1 {
			c.dense(&x, c.mCols)
		}
	}
	c.dense(&x, c.preCols)
	c.partial(&x, cc[:c.RP])
	cc = cc[c.RP:]
	for range half - 1 {
		x.full(t, cc)
		cc = cc[t:]
		c.dense(&x, c.mCols)
	}
	for i := range t {
		x.sbox(i, nil)
	}
	matVec(x.s[t:t+1], x.s[:t], c.mCols[t:2*t], false) // only element 1 is used
	return x.s[t]
}

// first is the first S-box layer: constants are added before it too, and the
// inputs are variables already.
func (x *state) first(t int, cc []fr.Element) {
	for i := range t {
		l := &x.s[i]
		l.Add(l, &cc[i])
		var l2, l4 fr.Element
		l2.Square(l)
		l4.Square(&l2)
		l.Mul(l, &l4)
		l.Add(l, &cc[t+i])
		if i > 0 && len(x.trace) > 0 {
			x.trace[0], x.trace[1], x.trace[2] = l2, l4, *l
			x.trace = x.trace[3:]
		}
	}
}

// full is the S-box layer of another full round.
func (x *state) full(t int, cc []fr.Element) {
	for i := range t {
		x.sbox(i, &cc[i])
	}
}

// sbox raises element i to the fifth power and adds k.
func (x *state) sbox(i int, k *fr.Element) {
	l := &x.s[i]
	var l2, l4, l5 fr.Element
	l2.Square(l)
	l4.Square(&l2)
	l5.Mul(l, &l4)
	if k != nil {
		l5.Add(&l5, k)
	}
	if len(x.trace) > 0 {
		out := (*[4]fr.Element)(x.trace)
		out[0], out[1], out[2], out[3] = *l, l2, l4, l5
		x.trace = x.trace[4:]
	}
	*l = l5
}

// dense multiplies the state by a matrix given column by column.
func (c *Constants) dense(x *state, cols []fr.Element) {
	var out [MaxWidth]fr.Element
	matVec(out[:c.T], x.s[:c.T], cols, false)
	copy(x.s[:c.T], out[:c.T])
}

// MulDense replaces state by state·m, for m one of c.M and c.PreSparse. Both
// have t rows.
func (c *Constants) MulDense(m [][]fr.Element, state []fr.Element) {
	var cols []fr.Element
	switch &m[0][0] {
	case &c.M[0][0]:
		cols = c.mCols
	case &c.PreSparse[0][0]:
		cols = c.preCols
	default:
		cols = columns(m)
	}
	var out [MaxWidth]fr.Element
	matVec(out[:c.T], state[:c.T], cols, false)
	copy(state, out[:c.T])
}

// MulSparse replaces state by its product with the matrix of partial round k.
func (c *Constants) MulSparse(k int, state []fr.Element) {
	m := &c.Sparse[k]
	var first [1]fr.Element
	matVec(first[:], state[:c.T], m.Col, false)
	matVec(state[1:c.T], state[:1], m.Row, true)
	state[0] = first[0]
}
