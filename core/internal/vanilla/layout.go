package vanilla

import (
	"math/bits"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
)

// tree is how the paths of a tree are written: the enum variant and up to three
// stretches of levels of equal arity.
type tree struct {
	variant  string
	fields   []string // of the variant
	parts    []part   // in the order of the fields
	siblings int      // of a whole path
}

// part is a stretch of levels of one arity within a path.
type part struct {
	levels, arity int
	first         int // its first sibling within the path
	shift         int // its lowest bit within the leaf index
}

// Fields of the three variants (RFP core/merkle/proof.rs:345-451).
var (
	singleFields = []string{"root", "leaf", "path"}
	subFields    = []string{"root", "leaf", "base_proof", "sub_proof"}
	topFields    = []string{"root", "leaf", "base_proof", "sub_proof", "top_proof"}
)

// treeCR is the layout of trees C and R.
func treeCR(s filecoin.Shape) tree {
	t := tree{variant: "Single", fields: singleFields}
	t.add(s.BaseLevels, s.Base)
	if s.Sub != 0 {
		t.variant, t.fields = "Sub", subFields
		t.add(1, s.Sub)
	}
	if s.Top != 0 {
		t.variant, t.fields = "Top", topFields
		t.add(1, s.Top)
	}
	return t
}

// treeD is the layout of the binary tree over the data.
func treeD(s filecoin.Shape) tree {
	t := tree{variant: "Single", fields: singleFields}
	t.add(s.Log2Nodes, 2)
	return t
}

func (t *tree) add(levels, arity int) {
	p := part{levels: levels, arity: arity, first: t.siblings}
	if n := len(t.parts); n > 0 {
		last := t.parts[n-1]
		p.shift = last.shift + last.levels*last.log2()
	}
	t.parts = append(t.parts, p)
	t.siblings += levels * (arity - 1)
}

func (p part) log2() int { return bits.TrailingZeros(uint(p.arity)) }

// layout is everything that is known of a C1 before it is read.
type layout struct {
	shape filecoin.Shape
	d, cr tree
	arena int // nodes of one challenge beside roots and leaves
}

func newLayout(s filecoin.Shape) *layout {
	l := &layout{shape: s, d: treeD(s), cr: treeCR(s)}
	columns := 1 + filecoin.Degree
	l.arena = l.d.siblings + l.cr.siblings + columns*(s.Layers+l.cr.siblings) + (s.Layers+1)*filecoin.LabelParents
	return l
}

// arena hands out parts of one allocation.
type arena []Node

func (a *arena) take(n int) []Node {
	out := (*a)[:n:n]
	*a = (*a)[n:]
	return out
}
