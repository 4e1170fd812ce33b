package post

import (
	"libcuzk/core/internal/circuit/opening"
	"libcuzk/core/internal/filecoin"
	"libcuzk/core/internal/r1cs"
	"libcuzk/core/internal/vanilla"
)

// Solve generates the witness of a partition of at least one checked sector; c
// is the compiled circuit of the shape. A short WindowPoSt partition repeats its
// last sector (storage-proofs-post fallback; filecoin-proofs post_util.rs:275),
// and the one sector of a WinningPoSt becomes one circuit sector for each of its
// challenges (post_util.rs:282-328).
func Solve(c *r1cs.Circuit, shape filecoin.Shape, sectors []*vanilla.PoStSector) (*r1cs.Witness, error) {
	arities := shape.Arities()
	s := &Sector{Challenges: make([]Challenge, shape.Challenges)}
	fill := func(from *vanilla.PoStSector, openings []vanilla.Opening) {
		s.CommR, s.CommC, s.CommRLast = opening.Field(&from.CommR), opening.Field(&from.CommC), opening.Field(&from.CommRLast)
		for j, o := range openings {
			s.Challenges[j].Leaf = opening.Field(o.Leaf())
			s.Challenges[j].Path = opening.View(s.Challenges[j].Path, o, arities)
		}
	}
	return c.Solve(func(cs *r1cs.CS) {
		Build(cs, func(yield func(*Sector) bool) {
			for i := range shape.Sectors {
				from := sectors[min(i, len(sectors)-1)]
				openings := from.Openings
				if shape.Kind == filecoin.WinningPoSt {
					openings = openings[i : i+1]
				}
				fill(from, openings)
				if !yield(s) {
					return
				}
			}
		})
	})
}
