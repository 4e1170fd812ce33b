package porep

import (
	"context"
	"slices"

	"github.com/libcuzk/libcuzk/core/internal/circuit/opening"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/vanilla"
)

// Solve generates the witness of partition k of a checked vanilla proof; c is
// the compiled circuit of its shape. One core, tens of megabytes at 32 GiB.
func Solve(ctx context.Context, c *r1cs.Circuit, c1 *vanilla.C1, k int) (*r1cs.Witness, error) {
	p := partition(c1, k)
	layers := c1.Proof.Shape().Layers
	return c.Solve(ctx, func(cs *r1cs.CS) { Build(cs, layers, p) })
}

// partition converts what the circuit consumes (stacked/circuit/params.rs).
func partition(c1 *vanilla.C1, k int) *Partition {
	shape := c1.Proof.Shape()
	binary := slices.Repeat([]int{2}, shape.Log2Nodes)
	octal := shape.Arities()
	opened := c1.Partitions[k]
	p := &Partition{
		ReplicaID:  opening.Field(&c1.ReplicaID),
		CommD:      opening.Field(&c1.CommD),
		CommR:      opening.Field(&c1.CommR),
		CommC:      opening.Field(&opened[0].Own.Path.Root),
		CommRLast:  opening.Field(&opened[0].TreeR.Root),
		Challenges: make([]Challenge, len(opened)),
	}
	for i := range opened {
		from, to := &opened[i], &p.Challenges[i]
		to.Node = from.Labels[0].Node
		to.DataLeaf = opening.Field(&from.TreeD.Leaf)
		to.DataPath = opening.Path(nil, &from.TreeD, binary)
		to.ReplicaPath = opening.Path(nil, &from.TreeR, octal)
		to.ColumnPath = opening.Path(nil, &from.Own.Path, octal)
		for j := range from.Parents {
			to.Parents[j] = column(&from.Parents[j], octal)
		}
	}
	return p
}

func column(from *vanilla.Column, arities []int) Column {
	return Column{Rows: opening.Fields(from.Rows), Path: opening.Path(nil, &from.Path, arities)}
}
