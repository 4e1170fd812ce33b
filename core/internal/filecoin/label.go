package filecoin

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/poseidon"
)

// LabelParents is the number of parent labels that a label hashes, after the
// parents were repeated (RFP porep/vanilla/graph.rs:185-262).
const LabelParents = 37

// ParentSequence returns which of n parents (6 in the first layer, else 14)
// stands at each of the 37 places of a label: the list repeated and cut.
func ParentSequence(n int) (seq [LabelParents]int) {
	for i := range seq {
		seq[i] = i % n
	}
	return seq
}

// Label computes the label of a node in layer 1, 2, … from its parents' labels:
// six DRG parents in this layer and, from layer 2 on, eight expander parents in
// the layer below (RFP porep/vanilla/labeling_proof.rs:28-50). Layer and node
// are big endian.
func Label(replicaID *Node, layer uint32, node uint64, parents []Node) Node {
	var buf [64 + LabelParents*NodeSize]byte
	copy(buf[:], replicaID[:])
	binary.BigEndian.PutUint32(buf[32:], layer)
	binary.BigEndian.PutUint64(buf[36:], node)
	for i, j := range ParentSequence(len(parents)) {
		copy(buf[64+i*NodeSize:], parents[j][:])
	}
	return Truncate(sha256.Sum256(buf[:]))
}

// CommR combines the roots of trees C and R (RFP porep/vanilla/proof_scheme.rs:115).
func CommR(commC, commRLast *fr.Element) fr.Element {
	return poseidon.Merkle(2).Hash([]fr.Element{*commC, *commRLast})
}
