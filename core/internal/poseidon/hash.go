package poseidon

import (
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// Hash returns the Poseidon hash of t−1 field elements. It does not allocate;
// a wrong number of inputs panics.
func (c *Constants) Hash(in []fr.Element) fr.Element {
	if len(in) != c.T-1 {
		panic(fmt.Sprintf("poseidon: %d inputs for arity %d", len(in), c.T-1))
	}
	var buf [MaxWidth]fr.Element
	s := buf[:c.T]
	s[0] = c.Tag
	copy(s[1:], in)
	for i := range s {
		s[i].Add(&s[i], &c.CC[i])
	}

	t, cc := c.T, c.CC[c.T:]
	for r := range c.RF / 2 {
		sboxes(s, cc[:t])
		cc = cc[t:]
		if r < c.RF/2-1 {
			c.mulColumns(c.mCols, s)
		} else {
			c.mulColumns(c.preCols, s)
		}
	}
	for k := range c.RP {
		sbox(&s[0])
		s[0].Add(&s[0], &cc[k])
		c.MulSparse(k, s)
	}
	cc = cc[c.RP:]
	for range c.RF/2 - 1 {
		sboxes(s, cc[:t])
		cc = cc[t:]
		c.mulColumns(c.mCols, s)
	}
	for i := range s {
		sbox(&s[i])
	}
	return dot(s, c.mCols[t:2*t]) // only element 1 of the last product is used
}

// sboxes raises every element to the fifth power and adds the constants k.
func sboxes(s, k []fr.Element) {
	for i := range s {
		sbox(&s[i])
		s[i].Add(&s[i], &k[i])
	}
}

func sbox(x *fr.Element) {
	var y fr.Element
	y.Square(x)
	y.Square(&y)
	x.Mul(x, &y)
}

// MulDense replaces state by state·m, for m one of c.M and c.PreSparse. Both
// have t rows.
func (c *Constants) MulDense(m [][]fr.Element, state []fr.Element) {
	switch &m[0][0] {
	case &c.M[0][0]:
		c.mulColumns(c.mCols, state)
	case &c.PreSparse[0][0]:
		c.mulColumns(c.preCols, state)
	default:
		c.mulColumns(columns(m), state)
	}
}

// mulColumns is state·m for a matrix given column by column.
func (c *Constants) mulColumns(cols, state []fr.Element) {
	var buf [MaxWidth]fr.Element
	out := buf[:c.T]
	for j := range out {
		out[j] = dot(state, cols[j*c.T:(j+1)*c.T])
	}
	copy(state, out)
}

// MulSparse replaces state by its product with the matrix of partial round k.
func (c *Constants) MulSparse(k int, state []fr.Element) {
	m := &c.Sparse[k]
	first := dot(state, m.Col)
	mulAdd(state[1:], m.Row, &state[0])
	state[0] = first
}
