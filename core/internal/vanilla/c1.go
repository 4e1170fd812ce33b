package vanilla

import (
	"math"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Field names of C1 (API seal.rs:170-189; RFP porep/vanilla/params.rs:210-240,
// 420-436, column.rs:13, labeling_proof.rs:9, encoding_proof.rs:12,
// core/merkle/proof.rs:167-252). serde reads them in any order.
var (
	c1Fields        = []string{"registered_proof", "vanilla_proofs", "comm_r", "comm_d", "replica_id", "seed", "ticket"}
	challengeFields = []string{"comm_d_proofs", "comm_r_last_proof", "replica_column_proofs", "labeling_proofs", "encoding_proof"}
	columnsFields   = []string{"c_x", "drg_parents", "exp_parents"}
	columnProof     = []string{"column", "inclusion_proof"}
	columnFields    = []string{"index", "rows", "_h"}
	labelFields     = []string{"parents", "layer_index", "node"}
	merkleFields    = []string{"data"}
	pathFields      = []string{"path"}
	elementFields   = []string{"hashes", "index"}
)

// c1Reader reads the document without a wrapper.
type c1Reader struct {
	scanner
	*layout
	arena arena
}

// c1 reads the outermost object.
func (r *c1Reader) c1(c *C1) {
	tag := ""
	r.object(c1Fields, func(i int) {
		switch i {
		case 0:
			c.Proof = r.registered()
		case 1:
			r.variant(func(name string) {
				tag = name
				c.Partitions = r.partitions(name)
			})
		default:
			fixed := [...]*Node{2: &c.CommR, &c.CommD, &c.ReplicaID, &c.Seed, &c.Ticket}
			if i < 5 {
				r.node(fixed[i])
			} else {
				r.bytes32(fixed[i])
			}
		}
	})
	if r.err != nil {
		return
	}
	r.push("vanilla_proofs", 0)
	if tag != c.Proof.V1Name() {
		r.fail(status.InputMismatch, "proofs of %s in the output for %s", tag, c.Proof.Name())
	} else if n := c.Proof.Partitions(); len(c.Partitions) != n {
		r.fail(status.InputValue, "%d partitions, %s has %d", len(c.Partitions), c.Proof.Name(), n)
	}
	r.pop()
}

func (r *c1Reader) registered() filecoin.SealProof {
	name := clip(r.text())
	if r.err != nil {
		return 0
	}
	p, err := filecoin.ParseSealProof(name)
	if err != nil {
		r.fail(status.InputValue, "unknown registered seal proof %q", name)
	}
	return p
}

// partitions reads the proofs of all partitions; their tag fixes every count.
func (r *c1Reader) partitions(tag string) [][]Challenge {
	if r.err != nil {
		return nil
	}
	p, err := filecoin.ParseSealProof(clip(tag))
	if err != nil || p.V1Name() != tag {
		r.fail(status.InputValue, "unknown variant %q", clip(tag))
		return nil
	}
	r.layout = newLayout(p.Shape())
	var out [][]Challenge
	r.list(maxPartitions(p), func(int) {
		challenges := make([]Challenge, r.shape.Challenges)
		r.array(len(challenges), func(i int) { r.challenge(&challenges[i]) })
		out = append(out, challenges)
	})
	return out
}

// maxPartitions is the largest number of partitions of any proof of the size.
func maxPartitions(p filecoin.SealProof) int {
	most := 0
	for q := range filecoin.NumSealProofs {
		if q.SectorSize() == p.SectorSize() {
			most = max(most, q.Partitions())
		}
	}
	return most
}

func (r *c1Reader) challenge(c *Challenge) {
	r.arena = make(arena, r.layout.arena)
	c.Labels = make([]Labeling, r.shape.Layers)
	r.object(challengeFields, func(i int) {
		switch i {
		case 0:
			r.merkle(&r.d, &c.TreeD)
		case 1:
			r.merkle(&r.cr, &c.TreeR)
		case 2:
			r.columns(c)
		case 3:
			r.array(len(c.Labels), func(l int) { r.labeling(&c.Labels[l]) })
		case 4:
			r.labeling(&c.Encoding)
		}
	})
}

func (r *c1Reader) columns(c *Challenge) {
	r.object(columnsFields, func(i int) {
		switch i {
		case 0:
			r.column(&c.Own)
		case 1:
			r.array(filecoin.DRGDegree, func(j int) { r.column(&c.Parents[j]) })
		case 2:
			r.array(filecoin.ExpanderDegree, func(j int) { r.column(&c.Parents[filecoin.DRGDegree+j]) })
		}
	})
}

func (r *c1Reader) column(c *Column) {
	r.object(columnProof, func(i int) {
		if i == 1 {
			r.merkle(&r.cr, &c.Path)
			return
		}
		r.object(columnFields, func(i int) {
			switch i {
			case 0:
				c.Index = uint32(r.uint(math.MaxUint32))
			case 1:
				c.Rows = r.arena.take(r.shape.Layers)
				r.nodes(c.Rows)
			case 2:
				r.null()
			}
		})
	})
}

func (r *c1Reader) labeling(l *Labeling) {
	r.object(labelFields, func(i int) {
		switch i {
		case 0:
			l.Parents = r.arena.take(filecoin.LabelParents)
			r.nodes(l.Parents)
		case 1:
			l.Layer = uint32(r.uint(math.MaxUint32))
		case 2:
			l.Node = r.uint(math.MaxUint64)
		}
	})
}

// merkle reads a path of the given tree.
func (r *c1Reader) merkle(t *tree, p *Path) {
	r.object(merkleFields, func(int) {
		r.variant(func(tag string) {
			if r.err == nil && tag != t.variant {
				r.fail(status.InputValue, "a path of kind %q, this tree has %q", clip(tag), t.variant)
				return
			}
			r.push(t.variant, 0)
			p.Siblings = r.arena.take(t.siblings)
			r.object(t.fields, func(i int) {
				switch i {
				case 0:
					r.node(&p.Root)
				case 1:
					r.node(&p.Leaf)
				default:
					r.part(t.parts[i-2], p)
				}
			})
			r.pop()
		})
	})
}

// part reads the levels of one arity and adds their positions to the index.
func (r *c1Reader) part(q part, p *Path) {
	r.object(pathFields, func(int) {
		r.array(q.levels, func(level int) {
			first := q.first + level*(q.arity-1)
			r.object(elementFields, func(i int) {
				if i == 0 {
					r.nodes(p.Siblings[first : first+q.arity-1])
				} else {
					p.Index |= r.uint(uint64(q.arity-1)) << (q.shift + level*q.log2())
				}
			})
		})
	})
}
