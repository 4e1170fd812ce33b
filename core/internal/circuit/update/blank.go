package update

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"libcuzk/core/internal/gadget"
	"libcuzk/core/internal/r1cs"
)

// Compile records the circuit of a partition.
func Compile(s Shape) *r1cs.Circuit {
	path := make([]gadget.Level, len(s.Arities))
	for i, a := range s.Arities {
		path[i].Siblings = make([]fr.Element, a-1)
	}
	p := &Partition{
		ApexLeafs:     make([]fr.Element, 1<<s.ApexBits),
		PartitionPath: make([]fr.Element, s.PartitionBits),
		Challenges:    make([]Challenge, s.Challenges),
	}
	data := make([]fr.Element, s.NodeBits-s.PartitionBits-s.ApexBits)
	for i := range p.Challenges {
		p.Challenges[i] = Challenge{PathROld: path, PathRNew: path, PathDNew: data}
	}
	return r1cs.Compile(func(cs *r1cs.CS) { Build(cs, &s, p) })
}
