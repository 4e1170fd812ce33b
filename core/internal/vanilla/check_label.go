package vanilla

import (
	"fmt"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
)

// labels recomputes the label of the challenged node in every layer from its
// parents' columns and compares the rows and the labeling and encoding proofs.
func (k *checker) labels(at string, c *Challenge, node uint64) error {
	if len(c.Labels) != k.shape.Layers {
		return mismatch(at+".labeling_proofs", "%d of them instead of %d", len(c.Labels), k.shape.Layers)
	}
	for i := range c.Parents {
		if n := len(c.Parents[i].Rows); n != k.shape.Layers {
			return mismatch(at+parentName(i)+".column.rows", "%d rows instead of %d", n, k.shape.Layers)
		}
	}
	if n := len(c.Own.Rows); n != k.shape.Layers {
		return mismatch(at+ownName+".column.rows", "%d rows instead of %d", n, k.shape.Layers)
	}
	for layer := range k.shape.Layers {
		parents := parentLabels(c, layer)
		name := fmt.Sprintf("%s.labeling_proofs[%d]", at, layer)
		if err := k.labeling(at, name, c, &c.Labels[layer], layer, node, parents); err != nil {
			return err
		}
		if want := filecoin.Label(&k.replicaID, uint32(layer+1), node, parents); c.Own.Rows[layer] != want {
			return mismatch(fmt.Sprintf("%s.column.rows[%d]", at+ownName, layer), "%x, parents give the label %x", c.Own.Rows[layer], want)
		}
	}
	last := k.shape.Layers - 1
	return k.labeling(at, at+".encoding_proof", c, &c.Encoding, last, node, parentLabels(c, last))
}

// parentLabels returns the labels that a label in the layer (from 0) hashes,
// once each: DRG parents in the same layer, expander parents in the one before.
func parentLabels(c *Challenge, layer int) []Node {
	out := make([]Node, 0, filecoin.Degree)
	for i := range c.Parents[:filecoin.DRGDegree] {
		out = append(out, c.Parents[i].Rows[layer])
	}
	if layer > 0 {
		for i := filecoin.DRGDegree; i < filecoin.Degree; i++ {
			out = append(out, c.Parents[i].Rows[layer-1])
		}
	}
	return out
}

// labeling compares one labeling proof with the columns.
func (k *checker) labeling(at, name string, c *Challenge, l *Labeling, layer int, node uint64, parents []Node) error {
	if l.Node != node {
		return mismatch(name+".node", "%d, the challenge is %d", l.Node, node)
	}
	if l.Layer != uint32(layer+1) {
		return mismatch(name+".layer_index", "%d, expected %d", l.Layer, layer+1)
	}
	if len(l.Parents) != filecoin.LabelParents {
		return mismatch(name+".parents", "%d of them instead of %d", len(l.Parents), filecoin.LabelParents)
	}
	for i, j := range filecoin.ParentSequence(len(parents)) {
		if l.Parents[i] != parents[j] {
			return blame(at, fmt.Sprintf("%s.parents[%d]", name, i), c, j, layer)
		}
	}
	return nil
}

// blame names the wrong one of two copies of a parent's label: the column's row
// if the column does not hash to its leaf, else the labeling proof's.
func blame(at, labeling string, c *Challenge, parent, layer int) error {
	if parent >= filecoin.DRGDegree {
		layer--
	}
	row := fmt.Sprintf("%s.column.rows[%d]", at+parentName(parent), layer)
	if !columnHashes(&c.Parents[parent]) {
		return mismatch(row, "differs from %s, and the column does not hash to its leaf", labeling)
	}
	return mismatch(labeling, "differs from %s", row)
}
