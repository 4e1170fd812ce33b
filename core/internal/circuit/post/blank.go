package post

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"libcuzk/core/internal/gadget"
	"libcuzk/core/internal/r1cs"
)

// Shape is what a partition's circuit depends on.
type Shape struct {
	Sectors    int
	Challenges int   // per sector
	Arities    []int // tree R, leaf to root: base, then sub, then top
}

// Compile records the circuit of a partition.
func Compile(s Shape) *r1cs.Circuit {
	sector := &Sector{Challenges: make([]Challenge, s.Challenges)}
	path := make([]gadget.Level, len(s.Arities))
	for i, a := range s.Arities {
		path[i].Siblings = make([]fr.Element, a-1)
	}
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
