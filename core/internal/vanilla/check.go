package vanilla

import (
	"context"
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Check compares a parsed C1 with what the chain knows of the sector: replica
// id, challenges, parents, every Merkle path of trees D, R and C, column hashes,
// labels and the encoding. A C1 that passes satisfies its circuits.
//
// The published vanilla verifier leaves out paths of trees D and R, the parents
// of labels, column indexes and counts; here everything is recomputed from the
// statement, the columns and the leaves. Without a seal the C1 is only compared
// with itself: whose sector the replica id stands for remains open.
//
// The error is the first one in the order of partitions and challenges, an
// InputMismatch whose detail is the path of what does not fit, or Cancelled.
// Work is spread over at most workers goroutines by challenge: 165 Poseidon
// hashes of arity 8 each for 32 GiB.
func (c *C1) Check(ctx context.Context, seal *filecoin.Seal, workers int) error {
	if err := c.Statement().CheckProvable(); err != nil {
		return err
	}
	if seal != nil {
		if err := c.checkPublic(seal); err != nil {
			return err
		}
	}
	k, err := newChecker(c)
	if err != nil {
		return err
	}
	per := k.shape.Challenges
	return each(ctx, len(c.Partitions)*per, workers, func(i int) error {
		at := fmt.Sprintf("vanilla_proofs[%d][%d]", i/per, i%per)
		return k.challenge(at, &c.Partitions[i/per][i%per], k.challenges[i])
	})
}

func mismatch(path, format string, args ...any) error {
	return status.New(status.InputMismatch, path, "%s: %s", path, fmt.Sprintf(format, args...))
}

// checkPublic compares the public values of the C1 with those of the chain.
func (c *C1) checkPublic(seal *filecoin.Seal) error {
	if c.Proof != seal.Proof {
		return mismatch("registered_proof", "%s, expected %s", c.Proof.Name(), seal.Proof.Name())
	}
	for _, v := range []struct {
		name string
		got  Node
		want Node
	}{{"comm_r", c.CommR, seal.CommR}, {"comm_d", c.CommD, seal.CommD}, {"seed", c.Seed, seal.Seed}, {"ticket", c.Ticket, seal.Ticket}} {
		if v.got != v.want {
			return mismatch(v.name, "%x, expected %x", v.got, v.want)
		}
	}
	if c.Wrapper != nil && c.Wrapper.SectorNumber != seal.SectorNumber {
		return mismatch("SectorNum", "wrapper says sector %d, expected %d", c.Wrapper.SectorNumber, seal.SectorNumber)
	}
	if want := seal.ReplicaID(); c.ReplicaID != want {
		return mismatch("replica_id", "%x, but prover id %x, sector number %d, ticket and comm_d give %x",
			c.ReplicaID, seal.ProverID, seal.SectorNumber, want)
	}
	return nil
}

// checker holds what the challenges of one C1 have in common.
type checker struct {
	*layout
	replicaID Node
	commD     Node
	commC     Node // root of tree C, the same in every proof
	commRLast Node // root of tree R
	graph     *filecoin.Graph

	challenges []uint64 // of all partitions
}

func newChecker(c *C1) (*checker, error) {
	st := c.Statement()
	k := &checker{layout: newLayout(st.Shape()), replicaID: c.ReplicaID, commD: c.CommD, graph: st.Graph()}
	if len(c.Partitions) != st.Partitions() {
		return nil, mismatch("vanilla_proofs", "%d partitions instead of %d", len(c.Partitions), st.Partitions())
	}
	for i := range c.Partitions {
		if n := len(c.Partitions[i]); n != k.shape.Challenges {
			return nil, mismatch(fmt.Sprintf("vanilla_proofs[%d]", i), "%d challenges instead of %d", n, k.shape.Challenges)
		}
		challenges, err := st.Challenges(i)
		if err != nil {
			return nil, err
		}
		k.challenges = append(k.challenges, challenges...)
	}
	first := &c.Partitions[0][0]
	k.commC, k.commRLast = first.Own.Path.Root, first.TreeR.Root
	return k, checkCommR("vanilla_proofs[0][0]", &k.commC, &k.commRLast, &c.CommR)
}

// checkCommR checks that the roots of trees C and R hash to comm_r.
func checkCommR(at string, commC, commRLast, commR *Node) error {
	a, okA := filecoin.ToField(commC)
	b, okB := filecoin.ToField(commRLast)
	if !okA || !okB {
		return mismatch(at, "root of tree C or R is not a canonical field element")
	}
	h := filecoin.CommR(&a, &b)
	if filecoin.FromField(&h) != *commR {
		return mismatch(at, "roots of trees C (%x) and R (%x) do not hash to comm_r", commC[:], commRLast[:])
	}
	return nil
}

// challenge checks the proofs of one challenged node; cheap comparisons first.
func (k *checker) challenge(at string, c *Challenge, node uint64) error {
	parents := k.graph.Parents(node)
	for _, check := range []func() error{
		func() error { return k.indexes(at, c, node, &parents) },
		func() error { return k.labels(at, c, node) },
		func() error { return k.dataPath(at+".comm_d_proofs", &c.TreeD) },
		func() error { return k.encoding(at, c) },
		func() error { return k.path(at+".comm_r_last_proof", &c.TreeR, &k.commRLast) },
		func() error { return k.column(at+ownName, &c.Own) },
	} {
		if err := check(); err != nil {
			return err
		}
	}
	for i := range c.Parents {
		if err := k.column(at+parentName(i), &c.Parents[i]); err != nil {
			return err
		}
	}
	return nil
}

const ownName = ".replica_column_proofs.c_x"

// parentName is the place of parent i within a challenge.
func parentName(i int) string {
	if i < filecoin.DRGDegree {
		return fmt.Sprintf(".replica_column_proofs.drg_parents[%d]", i)
	}
	return fmt.Sprintf(".replica_column_proofs.exp_parents[%d]", i-filecoin.DRGDegree)
}

// indexes compares every node number with the challenge and its parents.
func (k *checker) indexes(at string, c *Challenge, node uint64, parents *[filecoin.Degree]uint32) error {
	for _, p := range []struct {
		name string
		path *Path
	}{{".comm_d_proofs", &c.TreeD}, {".comm_r_last_proof", &c.TreeR}} {
		if p.path.Index != node {
			return mismatch(at+p.name, "path of node %d, the challenge is %d", p.path.Index, node)
		}
	}
	if err := columnIndex(at+ownName, &c.Own, node); err != nil {
		return err
	}
	for i := range c.Parents {
		if err := columnIndex(at+parentName(i), &c.Parents[i], uint64(parents[i])); err != nil {
			return err
		}
	}
	return nil
}

func columnIndex(at string, c *Column, node uint64) error {
	if uint64(c.Index) != node {
		return mismatch(at+".column.index", "%d, expected node %d", c.Index, node)
	}
	if c.Path.Index != node {
		return mismatch(at+".inclusion_proof", "path of node %d, expected %d", c.Path.Index, node)
	}
	return nil
}

// encoding checks that the replica node is the last label plus the data node.
func (k *checker) encoding(at string, c *Challenge) error {
	label, ok := filecoin.ToField(&c.Own.Rows[k.shape.Layers-1])
	data, okData := filecoin.ToField(&c.TreeD.Leaf)
	if !ok || !okData {
		return mismatch(at, "label or data node is not a canonical field element")
	}
	var sum fr.Element
	sum.Add(&label, &data)
	if filecoin.FromField(&sum) != c.TreeR.Leaf {
		return mismatch(at+".comm_r_last_proof.leaf", "is not the sum of the last label and the data node")
	}
	return nil
}
