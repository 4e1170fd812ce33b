package post

import (
	"libcuzk/core/internal/filecoin"
	"libcuzk/core/internal/gadget"
	"libcuzk/core/internal/r1cs"
)

// Compile records the circuit of a partition.
func Compile(s filecoin.Shape) *r1cs.Circuit {
	sector := &Sector{Challenges: make([]Challenge, s.Challenges)}
	path := gadget.BlankPath(s.Arities())
	for i := range sector.Challenges {
		sector.Challenges[i].Path = path
	}
	return r1cs.Compile(func(cs *r1cs.CS) {
		Build(cs, func(yield func(*Sector) bool) {
			for range s.Sectors {
				if !yield(sector) {
					return
				}
			}
		})
	})
}
