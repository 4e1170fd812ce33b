package porep

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"libcuzk/core/internal/gadget"
	"libcuzk/core/internal/r1cs"
)

// Shape is what a partition's circuit depends on.
type Shape struct {
	Layers     int
	Challenges int
	DataLevels int   // tree D: log2 of the nodes
	Arities    []int // trees C and R, leaf to root: base, then sub, then top
}

// Compile records the circuit of a partition.
func Compile(s Shape) *r1cs.Circuit {
	p := blank(s)
	return r1cs.Compile(func(cs *r1cs.CS) { Build(cs, s.Layers, p) })
}

// blank is a partition of the right shape and all zeros.
func blank(s Shape) *Partition {
	path := make([]gadget.Level, len(s.Arities))
	for i, a := range s.Arities {
		path[i].Siblings = make([]fr.Element, a-1)
	}
	data := make([]gadget.Level, s.DataLevels)
	for i := range data {
		data[i].Siblings = make([]fr.Element, 1)
	}
	p := &Partition{Challenges: make([]Challenge, s.Challenges)}
	for i := range p.Challenges {
		ch := &p.Challenges[i]
		ch.DataPath, ch.ReplicaPath, ch.ColumnPath = data, path, path
		for j := range ch.Parents {
			ch.Parents[j] = Column{Rows: make([]fr.Element, s.Layers), Path: path}
		}
	}
	return p
}
