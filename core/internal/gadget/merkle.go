package gadget

import (
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/poseidon"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
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
	}
	for i := range here {
		f.Result(&here[i].ID)
	}
	return index, closeLevel(cs, f, tree, children)
}

// closeLevel hashes the children of a node and ends the call of its level. A
// SHA-256 hash is too large for the level's template, so its parts are calls of
// their own after it.
func closeLevel(cs *r1cs.CS, f *r1cs.Frame, tree Tree, children []Num) Num {
	if tree == SHATree {
		f.Result(&children[0].ID)
		f.Result(&children[1].ID)
		cs.Close(f)
		return HashPair(cs, children[0], children[1])
	}
	var h Num
	if f.Fresh() {
		h = Poseidon(cs, poseidon.Merkle(len(children)), children)
	}
	f.Result(&h.ID)
	cs.Close(f)
	return h
}

// InclusionAt enforces that leaf is at a position that is already known as bits
// and below siblings that are already allocated (por.rs
// por_no_challenge_input). Bits and siblings run from leaf to root.
func InclusionAt(cs *r1cs.CS, tree Tree, index []Bit, leaf Num, path [][]Num, root Num) {
	cs.In("inclusion", -1)
	defer cs.Out()
	cur := leaf
	for i, sib := range path {
		n := bits.Len(uint(len(sib)))
		cs.In("level", i)
		cur = climbAt(cs, tree, index[:n], cur, sib)
		cs.Out()
		index = index[n:]
	}
	Equal(cs, cur, root)
}

func climbAt(cs *r1cs.CS, tree Tree, here []Bit, cur Num, sib []Num) Num {
	f := cs.Open("merkle_level_at")
	f.Key(uint64(tree))
	f.Wire(&cur.ID)
	here = bindBits(f, here)
	sib = append([]Num(nil), sib...)
	for i := range sib {
		f.Wire(&sib[i].ID)
	}
	var buf [8]Num
	children := buf[:len(sib)+1]
	if f.Run() {
		insert(cs, cur, here, sib, children[:0])
	}
	return closeLevel(cs, f, tree, children)
}

// BlankPath is a path of zeros for levels of the given arities.
func BlankPath(arities []int) []Level {
	path := make([]Level, len(arities))
	for i, a := range arities {
		path[i].Siblings = make([]fr.Element, a-1)
	}
	return path
}
