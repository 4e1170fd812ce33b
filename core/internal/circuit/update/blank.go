package update

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/gadget"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Compile records the circuit of a partition.
func Compile(shape filecoin.Shape) *r1cs.Circuit {
	s := newGeometry(shape)
	path := gadget.BlankPath(shape.Arities())
	p := &Partition{
		ApexLeafs:     make([]fr.Element, shape.ApexLeaves),
		PartitionPath: make([]fr.Element, s.partitionBits),
		Challenges:    make([]Challenge, shape.Challenges),
	}
	data := make([]fr.Element, s.lowBits())
	for i := range p.Challenges {
		p.Challenges[i] = Challenge{PathROld: path, PathRNew: path, PathDNew: data}
	}
	return r1cs.Compile(func(cs *r1cs.CS) { Build(cs, shape, p) })
}
