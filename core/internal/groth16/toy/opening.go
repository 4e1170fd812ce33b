package toy

import (
	"context"
	"math/rand/v2"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/gadget"
	"github.com/libcuzk/libcuzk/core/internal/poseidon"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Opening is a leaf and its path through Poseidon trees of every arity that
// Filecoin has: a circuit that has sketches.
type Opening struct {
	Leaf, Root fr.Element
	Index      uint64
	path       []gadget.Level
}

// NewOpening draws one.
func NewOpening(rng *rand.Rand) *Opening {
	random := func() (e fr.Element) {
		e.SetUint64(rng.Uint64())
		return *e.Square(&e)
	}
	o := &Opening{Leaf: random()}
	o.Root = o.Leaf
	shift := 0
	for _, bits := range []int{3, 2, 1, 3} {
		l := gadget.Level{Index: rng.Uint64N(1 << bits)}
		o.Index |= l.Index << shift
		shift += bits
		children := make([]fr.Element, 1<<bits)
		for i := range children {
			if children[i] = o.Root; uint64(i) != l.Index {
				children[i] = random()
				l.Siblings = append(l.Siblings, children[i])
			}
		}
		o.Root = poseidon.Merkle(len(children)).Hash(children)
		o.path = append(o.path, l)
	}
	return o
}

func (o *Opening) build(cs *r1cs.CS) {
	root := gadget.Alloc(cs, &o.Root)
	gadget.Inputize(cs, root)
	gadget.Inclusion(cs, gadget.PoseidonTree, gadget.Alloc(cs, &o.Leaf), o.path, root)
}

// Compile records the circuit, the same for all openings. Its inputs are root and
// index.
func (o *Opening) Compile() *r1cs.Circuit { return r1cs.Compile(o.build).WithSketches() }

// Solve makes the witness.
func (o *Opening) Solve(c *r1cs.Circuit) (*r1cs.Witness, error) {
	return c.Solve(context.Background(), o.build)
}

// Sketch makes a sketch of it.
func (o *Opening) Sketch(c *r1cs.Circuit) (*r1cs.Witness, error) {
	return c.SketchParts(context.Background(), 1, 1, func(cs *r1cs.CS, _ int) { o.build(cs) })
}
