// Package porep is Filecoin's proof-of-replication circuit, one partition of
// it: StackedCircuit (storage-proofs-porep stacked/circuit/proof.rs and
// params.rs).
package porep

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/gadget"
	"github.com/libcuzk/libcuzk/core/internal/poseidon"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

const (
	drgParents = 6
	expParents = 8
	// labelParents is the number of parent labels that a label hashes: the
	// parents of a node, repeated (stacked/vanilla/graph.rs).
	labelParents = 37
)

// Partition is the private and public input of one circuit.
type Partition struct {
	ReplicaID, CommD, CommR fr.Element
	CommC, CommRLast        fr.Element
	Challenges              []Challenge
}

// Challenge opens one challenged node.
type Challenge struct {
	Node        uint64
	DataLeaf    fr.Element
	DataPath    []gadget.Level                  // tree D
	Parents     [drgParents + expParents]Column // DRG parents first
	ReplicaPath []gadget.Level                  // tree R
	ColumnPath  []gadget.Level                  // tree C, of the node's own column
}

// Column is the labels of a node, layer 1 first, and its path in tree C.
type Column struct {
	Rows []fr.Element
	Path []gadget.Level
}

// circuit is what all challenges share.
type circuit struct {
	cs        *r1cs.CS
	layers    int
	replicaID [8]gadget.Word
	commD     gadget.Num
	commRLast gadget.Num
	commC     gadget.Num
}

// Build allocates and constrains one partition; layers is the number of labels
// per node.
func Build(cs *r1cs.CS, layers int, p *Partition) {
	c := &circuit{cs: cs, layers: layers}
	replicaID := gadget.Alloc(cs, &p.ReplicaID)
	gadget.Inputize(cs, replicaID)
	c.replicaID = gadget.FieldWords(cs, replicaID)
	c.commD = gadget.Alloc(cs, &p.CommD)
	gadget.Inputize(cs, c.commD)
	commR := gadget.Alloc(cs, &p.CommR)
	gadget.Inputize(cs, commR)
	c.commRLast = gadget.Alloc(cs, &p.CommRLast)
	c.commC = gadget.Alloc(cs, &p.CommC)
	h := gadget.Poseidon(cs, poseidon.Merkle(2), []gadget.Num{c.commC, c.commRLast})
	gadget.Equal(cs, commR, h)
	for i := range p.Challenges {
		cs.In("challenge", i)
		c.challenge(&p.Challenges[i])
		cs.Out()
	}
}

func (c *circuit) challenge(ch *Challenge) {
	cs := c.cs
	cs.In("data", -1)
	dataLeaf := gadget.Alloc(cs, &ch.DataLeaf)
	gadget.Inclusion(cs, gadget.SHATree, dataLeaf, ch.DataPath, c.commD)
	cs.Out()

	var parents [drgParents + expParents][]gadget.Num
	for i := range ch.Parents {
		cs.In("parent", i)
		parents[i] = c.column(&ch.Parents[i])
		cs.Out()
	}

	node := make([]gadget.Bit, 64)
	gadget.AllocBits(cs, ch.Node, node)
	gadget.PackInput(cs, node)

	labels := make([]gadget.Num, c.layers)
	for layer := 1; layer <= c.layers; layer++ {
		cs.In("label", layer)
		labels[layer-1] = c.label(layer, node, &parents)
		cs.Out()
	}

	cs.In("replica", -1)
	encoded := gadget.Add(cs, labels[c.layers-1], dataLeaf)
	gadget.Inclusion(cs, gadget.PoseidonTree, encoded, ch.ReplicaPath, c.commRLast)
	cs.Out()

	cs.In("column", -1)
	h := gadget.Poseidon(cs, poseidon.Merkle(c.layers), labels)
	gadget.Inclusion(cs, gadget.PoseidonTree, h, ch.ColumnPath, c.commC)
	cs.Out()
}

// column opens a parent: its labels, their hash and the path to comm_c.
func (c *circuit) column(col *Column) []gadget.Num {
	rows := make([]gadget.Num, c.layers)
	for i := range rows {
		rows[i] = gadget.Alloc(c.cs, &col.Rows[i])
	}
	h := gadget.Poseidon(c.cs, poseidon.Merkle(c.layers), rows)
	gadget.Inclusion(c.cs, gadget.PoseidonTree, h, col.Path, c.commC)
	return rows
}

// label derives the label of the challenged node in a layer: SHA-256 of
// replica id, layer, node, 160 zero bits and 37 parent labels, cut to 254 bits
// (stacked/circuit/create_label.rs). DRG parents are of the same layer,
// expander parents of the one below; layer 1 has DRG parents only.
func (c *circuit) label(layer int, node []gadget.Bit, parents *[drgParents + expParents][]gadget.Num) gadget.Num {
	cs := c.cs
	known := make([][8]gadget.Word, 0, drgParents+expParents)
	for i := range drgParents {
		known = append(known, gadget.FieldWords(cs, parents[i][layer-1]))
	}
	for i := drgParents; layer > 1 && i < len(parents); i++ {
		known = append(known, gadget.FieldWords(cs, parents[i][layer-2]))
	}
	msg := make([]gadget.Word, 0, 16+8*labelParents)
	msg = append(msg, c.replicaID[:]...)
	msg = append(msg, gadget.ConstWord(uint32(layer)))
	msg = append(msg, gadget.WordOf(cs, node[32:]), gadget.WordOf(cs, node[:32]))
	for len(msg) < 16 {
		msg = append(msg, gadget.ConstWord(0))
	}
	for i := range labelParents {
		msg = append(msg, known[i%len(known)][:]...)
	}
	cs.In("hash", -1)
	digest := gadget.SHA256(cs, msg)
	cs.Out()
	return gadget.PackWords(cs, &digest)
}
