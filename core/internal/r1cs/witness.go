package r1cs

import (
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// Witness is a packed assignment of a circuit.
type Witness struct {
	Inputs  []fr.Element // public inputs, ONE first
	Bits    []uint64     // bitmap over aux: values of bit variables, 0 at scalar positions
	Scalars []fr.Element // values of the scalar variables, in aux order
}

// Solve runs build in solve mode, the same function that was given to Compile,
// now over real values. Equalities of values that come from outside are checked
// on the way (CS.Mismatch); rows that hold by construction are not.
func (c *Circuit) Solve(build func(*CS)) (*Witness, error) {
	w := &Witness{
		Inputs:  append(make([]fr.Element, 0, c.NumInputs), fr.One()),
		Bits:    make([]uint64, (c.NumAux+63)/64+1),
		Scalars: make([]fr.Element, 0, c.scalars),
	}
	cs := &CS{wit: w}
	build(cs)
	if cs.pos != c.NumAux || len(w.Scalars) != c.scalars || len(w.Inputs) != c.NumInputs {
		return nil, fmt.Errorf("r1cs: solving allocated %d aux, %d scalars, %d inputs; the circuit has %d, %d, %d",
			cs.pos, len(w.Scalars), len(w.Inputs), c.NumAux, c.scalars, c.NumInputs)
	}
	w.Bits = w.Bits[:(c.NumAux+63)/64]
	if cs.mismatch {
		return nil, c.Check(w, 1)
	}
	return w, nil
}

// Bytes is the memory that the witness occupies.
func (w *Witness) Bytes() int {
	return fr.Bytes*(len(w.Inputs)+len(w.Scalars)) + 8*len(w.Bits)
}

// Aux calls f for every aux variable in order.
func (c *Circuit) Aux(w *Witness, f func(index int, v *fr.Element)) {
	zero, one := fr.Element{}, fr.One()
	next := 0
	for i := range c.NumAux {
		switch {
		case !c.isBit(i):
			f(i, &w.Scalars[next])
			next++
		case w.Bits[i>>6]>>(i&63)&1 == 1:
			f(i, &one)
		default:
			f(i, &zero)
		}
	}
}
