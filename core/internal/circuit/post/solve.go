package post

import (
	"context"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/circuit/opening"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/vanilla"
)

// Solve generates the witness of a partition of at least one checked sector; c
// is the compiled circuit of the shape. Sectors are solved on up to workers
// threads. A short WindowPoSt partition repeats its last sector
// (storage-proofs-post fallback; filecoin-proofs post_util.rs:275), and the one
// sector of a WinningPoSt becomes one circuit sector for each of its challenges
// (post_util.rs:282-328).
func Solve(ctx context.Context, c *r1cs.Circuit, shape filecoin.Shape, workers int, sectors []*vanilla.PoStSector) (*r1cs.Witness, error) {
	return solve(c.SolveParts, ctx, shape, workers, sectors)
}

// Sketch is Solve for a device that computes hashes itself: it converts the leaves
// and siblings. Whether their paths lead to the roots shows in the proof.
func Sketch(ctx context.Context, c *r1cs.Circuit, shape filecoin.Shape, workers int, sectors []*vanilla.PoStSector) (*r1cs.Witness, error) {
	return solve(c.SketchParts, ctx, shape, workers, sectors)
}

type parts func(ctx context.Context, n, workers int, build func(cs *r1cs.CS, part int)) (*r1cs.Witness, error)

func solve(parts parts, ctx context.Context, shape filecoin.Shape, workers int, sectors []*vanilla.PoStSector) (*r1cs.Witness, error) {
	scratch := sync.Pool{New: func() any { return blank(shape) }}
	return parts(ctx, shape.Sectors, workers, func(cs *r1cs.CS, i int) {
		s := scratch.Get().(*Sector)
		defer scratch.Put(s)
		from := sectors[min(i, len(sectors)-1)]
		openings := from.Openings
		if shape.Kind == filecoin.WinningPoSt {
			openings = openings[i : i+1]
		}
		s.fill(from, openings, shape.Arities())
		Build(cs, i, s)
	})
}

// fill converts a vanilla proof.
func (s *Sector) fill(from *vanilla.PoStSector, openings []vanilla.Opening, arities []int) {
	s.CommR, s.CommC, s.CommRLast = opening.Field(&from.CommR), opening.Field(&from.CommC), opening.Field(&from.CommRLast)
	for j, o := range openings {
		to := &s.Challenges[j]
		to.Leaf, to.Path = opening.Field(o.Leaf()), opening.View(to.Path, o, arities)
	}
}
