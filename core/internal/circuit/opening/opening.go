// Package opening converts checked vanilla proofs to the field elements that
// circuits are solved with.
package opening

import (
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/gadget"
	"github.com/libcuzk/libcuzk/core/internal/vanilla"
)

// Field converts a node. Parsing has refused nodes that are not canonical.
func Field(n *vanilla.Node) fr.Element {
	e, _ := filecoin.ToField(n)
	return e
}

// Fields converts nodes.
func Fields(n []vanilla.Node) []fr.Element {
	out := make([]fr.Element, len(n))
	for i := range n {
		out[i] = Field(&n[i])
	}
	return out
}

// Path splits a Merkle path into levels of the given arities, leaf to root. It
// reuses the memory of dst, a path of the same arities or nil.
func Path(dst []gadget.Level, p *vanilla.Path, arities []int) []gadget.Level {
	if dst == nil {
		dst = gadget.BlankPath(arities)
	}
	siblings, index := p.Siblings, p.Index
	for i, a := range arities {
		shift := bits.TrailingZeros(uint(a))
		dst[i].Index = index & (1<<shift - 1)
		index >>= shift
		for j := range dst[i].Siblings {
			dst[i].Siblings[j] = Field(&siblings[j])
		}
		siblings = siblings[a-1:]
	}
	return dst
}

// View is Path for a proof that is read in place.
func View(dst []gadget.Level, o vanilla.Opening, arities []int) []gadget.Level {
	if dst == nil {
		dst = gadget.BlankPath(arities)
	}
	for i := range dst {
		siblings, index := o.Level(i)
		dst[i].Index = index
		for j := range siblings {
			dst[i].Siblings[j] = Field(&siblings[j])
		}
	}
	return dst
}
