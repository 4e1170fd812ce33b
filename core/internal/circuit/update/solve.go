package update

import (
	"context"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/circuit/opening"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/vanilla"
)

// Solve generates the witness of partition k of a checked vanilla proof; c is
// the compiled circuit of the statement's shape.
func Solve(ctx context.Context, c *r1cs.Circuit, s *filecoin.UpdateStatement, k int, v *vanilla.UpdatePartition) (*r1cs.Witness, error) {
	shape := s.Shape()
	p := partition(s, shape, k, v)
	return c.Solve(ctx, func(cs *r1cs.CS) { Build(cs, shape, p) })
}

func partition(s *filecoin.UpdateStatement, shape filecoin.Shape, k int, v *vanilla.UpdatePartition) *Partition {
	g := newGeometry(shape)
	octal := shape.Arities()
	first := &v.Challenges[0]
	p := &Partition{
		KAndHSelect: uint64(k) | uint64(shape.HSelect)<<g.partitionBits,
		CommROld:    opening.Field(&s.CommROld),
		CommDNew:    opening.Field(&s.CommDNew),
		CommRNew:    opening.Field(&s.CommRNew),
		CommC:       opening.Field(&v.CommC),
		RootROld:    opening.Field(first.ROld.Root()),
		RootRNew:    opening.Field(first.RNew.Root()),
		ApexLeafs:   opening.Fields(v.ApexLeafs),
		// The upper levels of tree D are the same for the whole partition.
		PartitionPath: siblings(first.DNew, g.nodeBits-g.partitionBits, g.nodeBits),
		Challenges:    make([]Challenge, len(v.Challenges)),
	}
	for i := range v.Challenges {
		from := &v.Challenges[i]
		p.Challenges[i] = Challenge{
			LeafROld: opening.Field(from.ROld.Leaf()),
			LeafDNew: opening.Field(from.DNew.Leaf()),
			PathROld: opening.View(nil, from.ROld, octal),
			PathRNew: opening.View(nil, from.RNew, octal),
			PathDNew: siblings(from.DNew, 0, g.lowBits()),
		}
	}
	return p
}

// siblings converts some levels of a binary path.
func siblings(o vanilla.Opening, from, to int) []fr.Element {
	out := make([]fr.Element, 0, to-from)
	for i := from; i < to; i++ {
		s, _ := o.Level(i)
		out = append(out, opening.Field(&s[0]))
	}
	return out
}
