package vanilla

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/poseidon"
)

// dataPath recomputes a path of tree D up to comm_d.
func (k *checker) dataPath(at string, p *Path) error {
	if p.Root != k.commD {
		return mismatch(at+".root", "%x is not comm_d", p.Root)
	}
	if len(p.Siblings) != k.d.siblings {
		return mismatch(at, "%d siblings instead of %d", len(p.Siblings), k.d.siblings)
	}
	if sha256Root(p) != p.Root {
		return mismatch(at, "leaf and siblings do not hash to the root")
	}
	return nil
}

// sha256Root is the root that a path of tree D leads to.
func sha256Root(p *Path) Node {
	cur := p.Leaf
	for level := range p.Siblings {
		if p.Index>>level&1 == 0 {
			cur = filecoin.HashD(&cur, &p.Siblings[level])
		} else {
			cur = filecoin.HashD(&p.Siblings[level], &cur)
		}
	}
	return cur
}

// path recomputes a path of tree C or R up to the given root.
func (k *checker) path(at string, p *Path, root *Node) error {
	if p.Root != *root {
		return mismatch(at+".root", "%x, in the first challenge it is %x", p.Root, *root)
	}
	if len(p.Siblings) != k.cr.siblings {
		return mismatch(at, "%d siblings instead of %d", len(p.Siblings), k.cr.siblings)
	}
	got, ok := k.cr.poseidonRoot(p)
	if !ok {
		return mismatch(at, "a node is not a canonical field element")
	}
	if filecoin.FromField(&got) != p.Root {
		return mismatch(at, "leaf and siblings do not hash to the root")
	}
	return nil
}

// poseidonRoot is the root that a path of tree C or R leads to; ok is false if
// a node is not canonical.
func (t *tree) poseidonRoot(p *Path) (cur fr.Element, ok bool) {
	if cur, ok = filecoin.ToField(&p.Leaf); !ok {
		return cur, false
	}
	var buf [16]fr.Element
	siblings, index := p.Siblings, p.Index
	for _, part := range t.parts {
		hash, in := poseidon.Merkle(part.arity), buf[:part.arity]
		for range part.levels {
			position := int(index & uint64(part.arity-1))
			index >>= part.log2()
			for i := range in {
				if i == position {
					in[i] = cur
					continue
				}
				if in[i], ok = filecoin.ToField(&siblings[0]); !ok {
					return cur, false
				}
				siblings = siblings[1:]
			}
			cur = hash.Hash(in)
		}
	}
	return cur, true
}

// column checks that the rows of a column hash to a leaf of tree C.
func (k *checker) column(at string, c *Column) error {
	if len(c.Rows) != k.shape.Layers {
		return mismatch(at+".column.rows", "%d rows instead of %d", len(c.Rows), k.shape.Layers)
	}
	if !columnHashes(c) {
		return mismatch(at+".column.rows", "do not hash to the leaf of the inclusion proof")
	}
	return k.path(at+".inclusion_proof", &c.Path, &k.commC)
}

func columnHashes(c *Column) bool {
	var buf [16]fr.Element
	in := buf[:len(c.Rows)]
	for i := range in {
		var ok bool
		if in[i], ok = filecoin.ToField(&c.Rows[i]); !ok {
			return false
		}
	}
	h := poseidon.Merkle(len(in)).Hash(in)
	return filecoin.FromField(&h) == c.Path.Leaf
}
