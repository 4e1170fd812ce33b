package r1cs

import (
	"context"
	"sync/atomic"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Witness is a packed assignment of a circuit.
type Witness struct {
	Inputs  []fr.Element // public inputs, ONE first
	Bits    []uint64     // bitmap over aux: values of bit variables, 0 at scalar positions
	Scalars []fr.Element // values of the scalar variables, in aux order
	Sketch  bool         // Scalars are only those that no rule gives
}

// Solve runs build in solve mode, the same function that was given to Compile,
// now over real values. Equalities of values that come from outside are checked
// on the way (CS.Mismatch); rows that hold by construction are not.
func (c *Circuit) Solve(ctx context.Context, build func(*CS)) (*Witness, error) {
	return c.SolveParts(ctx, 1, 1, func(cs *CS, _ int) { build(cs) })
}

// SolveParts is Solve for a circuit that consists of n parts with equal numbers
// of inputs, bits and scalars, solved concurrently; build is called for each. It
// stops soon after ctx ends, between parts.
func (c *Circuit) SolveParts(ctx context.Context, n, workers int, build func(cs *CS, part int)) (*Witness, error) {
	return c.parts(ctx, n, workers, c.scalars, build)
}

// parts solves for so many scalars: all, or those of a sketch.
func (c *Circuit) parts(ctx context.Context, n, workers, scalars int, build func(cs *CS, part int)) (*Witness, error) {
	if (c.NumInputs-1)%n != 0 || c.NumAux%n != 0 || scalars%n != 0 {
		return nil, status.New(status.Internal, "", "r1cs: the circuit does not consist of %d equal parts", n)
	}
	w := &Witness{
		Inputs:  make([]fr.Element, c.NumInputs),
		Bits:    make([]uint64, (c.NumAux+63)/64),
		Scalars: make([]fr.Element, scalars),
		Sketch:  scalars < c.scalars,
	}
	w.Inputs[0].SetOne()
	var mismatch atomic.Bool
	err := spawn.Each(ctx, workers, n, func(i int) error {
		p := newPart(c, w, i, n)
		build(p.cs, i)
		if p.cs.mismatch {
			mismatch.Store(true)
		}
		return p.finish(w)
	})
	switch {
	case err != nil:
		return nil, status.Classify(err)
	case mismatch.Load():
		return nil, c.Check(ctx, w, workers)
	}
	return w, nil
}

// part is one part of a witness being solved. Inputs and scalars are written in
// place; bits go to a buffer of their own, because parts share words.
type part struct {
	cs                   *CS
	inputs, aux, scalars int // of a part
	first                int // aux variable
}

func newPart(c *Circuit, w *Witness, i, n int) *part {
	p := &part{inputs: (c.NumInputs - 1) / n, aux: c.NumAux / n, scalars: len(w.Scalars) / n}
	p.first = i * p.aux
	in, sc, skip := 1+i*p.inputs, i*p.scalars, p.first%64
	p.cs = &CS{pos: skip, sketch: w.Sketch, wit: &Witness{
		Inputs:  w.Inputs[in : in : in+p.inputs],
		Scalars: w.Scalars[sc : sc : sc+p.scalars],
		Bits:    make([]uint64, (skip+p.aux+63)/64+1),
	}}
	return p
}

// finish checks that the part is whole and adds its bits to w.
func (p *part) finish(w *Witness) error {
	got, skip := p.cs.wit, p.first%64
	if p.cs.pos-skip != p.aux || len(got.Scalars) != p.scalars || len(got.Inputs) != p.inputs {
		return status.New(status.Internal, "", "r1cs: solving allocated %d aux, %d scalars, %d inputs; the circuit has %d, %d, %d",
			p.cs.pos-skip, len(got.Scalars), len(got.Inputs), p.aux, p.scalars, p.inputs)
	}
	dst := w.Bits[p.first/64 : (p.first+p.aux+63)/64]
	for i := range dst {
		if i == 0 || i == len(dst)-1 {
			atomic.OrUint64(&dst[i], got.Bits[i]) // shared with a neighbour
		} else {
			dst[i] = got.Bits[i]
		}
	}
	return nil
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
