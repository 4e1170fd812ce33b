// Package vanilla turns untrusted bytes into vanilla proofs and checks them
// against what the chain knows.
//
// A vanilla proof is everything that a circuit needs to know in private: Merkle
// paths, columns and labels. Its encodings are those of the published crates:
// JSON for a seal proof (the output of seal_commit_phase1, "C1"), bincode for
// PoSt and updates. Whatever parses has the counts and arities of its circuit,
// and every node is a canonical field element.
package vanilla

import "github.com/libcuzk/libcuzk/core/internal/filecoin"

// C1 is the output of the first commit phase: a vanilla PoRep proof and the
// public values it was made for.
type C1 struct {
	Proof        filecoin.SealProof
	CommR, CommD Node
	ReplicaID    Node
	Seed, Ticket Node          // 32 bytes of any value
	Partitions   [][]Challenge // as many as the registered proof has, each with Shape.Challenges
	Wrapper      *Wrapper      // not nil if the proof came in Curio's wrapper
}

// Wrapper is what surrounds a C1 in the files of Curio and lotus-bench.
type Wrapper struct {
	SectorNumber uint64
	SectorSize   uint64
}

// Challenge is the private side of one challenged node.
type Challenge struct {
	TreeD, TreeR Path
	Own          Column                  // of the challenged node
	Parents      [filecoin.Degree]Column // six DRG parents, eight expander parents
	Labels       []Labeling              // one per layer
	Encoding     Labeling
}

// Column is the labels of a node, first layer first, and the path of their
// Poseidon hash in tree C.
type Column struct {
	Index uint32
	Rows  []Node
	Path  Path
}

// Labeling is what a label is computed from, in the form that the published
// vanilla verifier hashes. The circuit uses none of it.
type Labeling struct {
	Parents []Node // LabelParents of them
	Layer   uint32 // from 1
	Node    uint64
}

// Path is a Merkle path from a leaf to a root.
type Path struct {
	Leaf, Root Node
	Siblings   []Node // leaf level first, arity − 1 for each level
	Index      uint64 // of the leaf; arities are powers of two and take its bits from the lowest on
}

// Statement returns the public side as the C1 states it; see [C1.Check] for
// whether it is true.
func (c *C1) Statement() *filecoin.PoRepStatement {
	return &filecoin.PoRepStatement{Proof: c.Proof, ReplicaID: c.ReplicaID, CommD: c.CommD, CommR: c.CommR, Seed: c.Seed}
}

// Seal returns the sector that the C1 is said to belong to.
func (c *C1) Seal(proverID Node, sectorNumber uint64) *filecoin.Seal {
	return &filecoin.Seal{
		Proof: c.Proof, ProverID: proverID, SectorNumber: sectorNumber,
		CommD: c.CommD, CommR: c.CommR, Ticket: c.Ticket, Seed: c.Seed,
	}
}
