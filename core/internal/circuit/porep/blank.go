package porep

import (
	"slices"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/gadget"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Compile records the circuit of a partition.
func Compile(s filecoin.Shape) *r1cs.Circuit {
	p := blank(s)
	return r1cs.Compile(func(cs *r1cs.CS) { Build(cs, s.Layers, p) })
}

// blank is a partition of the right shape and all zeros.
func blank(s filecoin.Shape) *Partition {
	path, data := gadget.BlankPath(s.Arities()), gadget.BlankPath(slices.Repeat([]int{2}, s.Log2Nodes))
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
