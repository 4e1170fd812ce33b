package gadget

import (
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"libcuzk/core/internal/poseidon"
	"libcuzk/core/internal/r1cs"
)

// Level is one step of a Merkle path, leaf to root: the position of the child
// among its arity siblings, and the others in order.
type Level struct {
	Index    uint64
	Siblings []fr.Element // arity − 1
}

// Tree hashes the children of a Merkle tree node.
type Tree int

const (
	// PoseidonTree is used by trees C and R: arity 2, 4 or 8, Merkle tag.
	PoseidonTree Tree = iota
	// SHATree is tree D: binary.
	SHATree
)

// Inclusion enforces that leaf is in the tree with the given root and makes
// its index public (storage-proofs-core gadgets/por.rs, variant with challenge
// input and private root): per level index bits, siblings, insertion and hash;
// then the index as input; then the root's equality.
func Inclusion(cs *r1cs.CS, tree Tree, leaf Num, path []Level, root Num) {
	cs.In("inclusion", -1)
	defer cs.Out()
	var buf [64]Bit
	index, cur := buf[:0], leaf
	for i := range path {
		cs.In("level", i)
		index, cur = climb(cs, tree, index, cur, &path[i])
		cs.Out()
	}
	PackInput(cs, index)
	Equal(cs, cur, root)
}

// climb allocates a level's index bits and siblings and returns the parent.
func climb(cs *r1cs.CS, tree Tree, index []Bit, cur Num, level *Level) ([]Bit, Num) {
	f := cs.Open("merkle_level")
	f.Key(uint64(tree))
	f.Key(uint64(len(level.Siblings)))
	f.Wire(&cur.ID)
	n := bits.Len(uint(len(level.Siblings)))
	at := len(index)
	for i := range n {
		index = append(index, Bit{Val: level.Index>>i&1 == 1})
	}
	here := index[at:]
	var buf [8]Num
	children := buf[:len(level.Siblings)+1]
	if f.Run() {
		first := allocBits(cs, level.Index, n)
		for i := range here {
			here[i].ID = first + r1cs.Var(i)
		}
		var sib [7]Num
		for i := range level.Siblings {
			sib[i] = allocNum(cs, &level.Siblings[i])
		}
		insert(cs, cur, here, sib[:len(level.Siblings)], children[:0])
		if tree == PoseidonTree {
			children[0] = Poseidon(cs, poseidon.Merkle(len(children)), children)
		}
	}
	for i := range here {
		f.Result(&here[i].ID)
	}
	// A SHA-256 level is too large for one template: its parts are calls of
	// their own.
	if tree == PoseidonTree {
		f.Result(&children[0].ID)
		cs.Close(f)
		return index, children[0]
	}
	f.Result(&children[0].ID)
	f.Result(&children[1].ID)
	cs.Close(f)
	return index, HashPair(cs, children[0], children[1])
}
