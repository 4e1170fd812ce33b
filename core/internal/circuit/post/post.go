// Package post is Filecoin's proof-of-spacetime circuit, one partition of it,
// for WinningPoSt and WindowPoSt: FallbackPoStCircuit (storage-proofs-post
// fallback/circuit.rs).
package post

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"libcuzk/core/internal/gadget"
	"libcuzk/core/internal/poseidon"
	"libcuzk/core/internal/r1cs"
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

// Sectors yields the sectors of a partition one by one, so that a partition of
// thousands need not be converted at once. A sector may be reused for the next.
type Sectors func(yield func(*Sector) bool)

// Build allocates and constrains one partition.
func Build(cs *r1cs.CS, sectors Sectors) {
	i := 0
	for s := range sectors {
		cs.In("sector", i)
		build(cs, s)
		cs.Out()
		i++
	}
}

func build(cs *r1cs.CS, s *Sector) {
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
