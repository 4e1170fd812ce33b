// Package post is Filecoin's proof-of-spacetime circuit, one partition of it,
// for WinningPoSt and WindowPoSt: FallbackPoStCircuit (storage-proofs-post
// fallback/circuit.rs). A partition is its sectors, one after the other.
package post

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/gadget"
	"github.com/libcuzk/libcuzk/core/internal/poseidon"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Sector is the private and public input for one sector of a partition.
type Sector struct {
	CommR, CommC, CommRLast fr.Element
	Challenges              []Challenge
}

// Challenge opens one leaf of a sector's replica.
type Challenge struct {
	Leaf fr.Element
	Path []gadget.Level // tree R
}

// Build allocates and constrains sector i of a partition.
func Build(cs *r1cs.CS, i int, s *Sector) {
	cs.In("sector", i)
	defer cs.Out()
	commRLast := gadget.Alloc(cs, &s.CommRLast)
	commC := gadget.Alloc(cs, &s.CommC)
	commR := gadget.Alloc(cs, &s.CommR)
	gadget.Inputize(cs, commR)
	h := gadget.Poseidon(cs, poseidon.Merkle(2), []gadget.Num{commC, commRLast})
	gadget.Equal(cs, commR, h)
	for j := range s.Challenges {
		cs.In("challenge", j)
		leaf := gadget.Alloc(cs, &s.Challenges[j].Leaf)
		gadget.Inclusion(cs, gadget.PoseidonTree, leaf, s.Challenges[j].Path, commRLast)
		cs.Out()
	}
}

// Compile records the circuit of a partition. That of a WindowPoSt has sketches: a
// device hashes its 23,490 paths in the time of one; the 66 paths of a WinningPoSt are
// solved faster here (on an H200: 34 ms for a proof, and 44 from a sketch).
func Compile(s filecoin.Shape) *r1cs.Circuit {
	sector := blank(s)
	c := r1cs.Compile(func(cs *r1cs.CS) {
		for i := range s.Sectors {
			Build(cs, i, sector)
		}
	})
	if s.Kind == filecoin.WindowPoSt {
		return c.WithSketches()
	}
	return c
}

// blank is a sector of the right shape and all zeros.
func blank(s filecoin.Shape) *Sector {
	sector := &Sector{Challenges: make([]Challenge, s.Challenges)}
	for i := range sector.Challenges {
		sector.Challenges[i].Path = gadget.BlankPath(s.Arities())
	}
	return sector
}
