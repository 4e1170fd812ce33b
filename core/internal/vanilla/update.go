package vanilla

import (
	"fmt"
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// UpdatePartition is the vanilla proof of one partition of a sector update
// (RFP upd/vanilla.rs:167-242).
type UpdatePartition struct {
	CommC      Node
	ApexLeafs  []Node
	Challenges []UpdateChallenge
}

// UpdateChallenge opens one node of the old replica, the new data and the new
// replica.
type UpdateChallenge struct{ ROld, DNew, RNew Opening }

// ParseUpdatePartition reads one partition. The result refers to data.
func ParseUpdatePartition(data []byte, p filecoin.UpdateProof) (*UpdatePartition, error) {
	shape := p.Shape()
	r, tree := newEncoding(treeCR(shape)), newEncoding(treeD(shape))
	d := &decoder{data: data}
	u := &UpdatePartition{CommC: d.node("comm_c")}
	d.count(shape.ApexLeaves, "apex_leafs", "apex leafs")
	u.ApexLeafs = d.nodes(shape.ApexLeaves, "apex_leafs")
	d.count(shape.Challenges, "challenge_proofs", "challenge proofs")
	if d.err == nil {
		u.Challenges = make([]UpdateChallenge, shape.Challenges)
	}
	for i := range u.Challenges {
		where := fmt.Sprintf("challenge_proofs[%d]", i)
		u.Challenges[i] = UpdateChallenge{
			ROld: d.opening(r, where+".proof_r_old"),
			DNew: d.opening(tree, where+".proof_d_new"),
			RNew: d.opening(r, where+".proof_r_new"),
		}
	}
	d.end("vanilla proof")
	if d.err != nil {
		return nil, d.err
	}
	return u, nil
}

// Check compares partition k with the public values: commitments, challenged
// nodes, the encoding of every node, tree D with its apex. It does not hash the
// paths of trees R: the circuit's witness does, and solving fails where one does
// not lead to its root.
func (u *UpdatePartition) Check(s *filecoin.UpdateStatement, k int) error {
	challenges, err := s.Challenges(k)
	if err != nil {
		return err
	}
	first := &u.Challenges[0]
	rootOld, rootNew := *first.ROld.Root(), *first.RNew.Root()
	if err := checkCommR("comm_r_old", &u.CommC, &rootOld, &s.CommROld); err != nil {
		return err
	}
	if err := checkCommR("comm_r_new", &u.CommC, &rootNew, &s.CommRNew); err != nil {
		return err
	}
	phi := phiOf(s)
	for i := range u.Challenges {
		c, node := &u.Challenges[i], challenges[i]
		where := fmt.Sprintf("challenge_proofs[%d]", i)
		for _, o := range []struct {
			name string
			o    Opening
			root *Node
		}{{".proof_r_old", c.ROld, &rootOld}, {".proof_d_new", c.DNew, &s.CommDNew}, {".proof_r_new", c.RNew, &rootNew}} {
			if err := o.o.check(where+o.name, o.root, node); err != nil {
				return err
			}
		}
		if err := u.checkData(s.Shape(), c, where, k, node); err != nil {
			return err
		}
		if err := c.checkEncoding(s.Shape(), &phi, where, node); err != nil {
			return err
		}
	}
	return nil
}

// checkData hashes a path of tree D, which must pass through its apex leaf.
func (u *UpdatePartition) checkData(shape filecoin.Shape, c *UpdateChallenge, where string, k int, node uint64) error {
	low := shape.Log2Nodes - log2(shape.Partitions) - log2(shape.ApexLeaves)
	cur := *c.DNew.Leaf()
	for i := range c.DNew.Levels() {
		if apex := int(node>>low) & (shape.ApexLeaves - 1); i == low && cur != u.ApexLeafs[apex] {
			return status.New(status.InputMismatch, fmt.Sprintf("apex_leafs[%d]", apex),
				"apex_leafs[%d] of partition %d: %x, %s.proof_d_new leads to %x", apex, k, u.ApexLeafs[apex], where, cur)
		}
		sib, index := c.DNew.Level(i)
		if index == 0 {
			cur = filecoin.HashD(&cur, &sib[0])
		} else {
			cur = filecoin.HashD(&sib[0], &cur)
		}
	}
	if cur != *c.DNew.Root() {
		return status.New(status.InputMismatch, where+".proof_d_new", "%s.proof_d_new: the path leads to %x, not to its root %x", where, cur, c.DNew.Root()[:])
	}
	return nil
}

// checkEncoding enforces new = old + data·rho.
func (c *UpdateChallenge) checkEncoding(shape filecoin.Shape, phi *field, where string, node uint64) error {
	_, h := filecoin.UpdateHs(shape)
	rho := filecoin.Rho(phi, node>>(shape.Log2Nodes-h))
	data, _ := filecoin.ToField(c.DNew.Leaf())
	old, _ := filecoin.ToField(c.ROld.Leaf())
	data.Mul(&data, &rho).Add(&data, &old)
	if want := filecoin.FromField(&data); want != *c.RNew.Leaf() {
		return status.New(status.InputMismatch, where+".proof_r_new", "%s: new replica node %x, old node and data give %x", where, c.RNew.Leaf()[:], want)
	}
	return nil
}

func log2(n int) int { return bits.TrailingZeros(uint(n)) }

type field = fr.Element

func phiOf(s *filecoin.UpdateStatement) field {
	d, _ := filecoin.ToField(&s.CommDNew)
	r, _ := filecoin.ToField(&s.CommROld)
	return filecoin.Phi(&d, &r)
}
