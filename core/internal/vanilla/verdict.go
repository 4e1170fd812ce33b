package vanilla

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/poseidon"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// VerifyUpdate reports whether the vanilla proofs of all partitions of a sector
// update hold. Unlike [UpdatePartition.Check], which prepares proving and refuses
// early, it gives the published verifier's answer for every input (RFP
// upd/vanilla.rs verify, core/merkle/proof.rs): what is false there is false
// here, and what is an error or a panic there is an error here. In particular
// bytes behind a proof do not matter, and a path may have any length and arity.
//
// Challenges are verified on at most workers goroutines; the first in order that
// is false or an error decides.
func VerifyUpdate(ctx context.Context, s *filecoin.UpdateStatement, data [][]byte, workers int) (bool, error) {
	partitions := make([]*loosePartition, len(data))
	for k, d := range data {
		r := looseReader{data: d}
		if partitions[k] = r.partition(); r.err != nil {
			return false, status.Within(fmt.Sprintf("partitions[%d]", k), r.err)
		}
	}
	if len(data) != s.Partitions() {
		return false, status.New(status.InputValue, "partitions", "%d partitions, %s has %d", len(data), s.Proof.Name(), s.Partitions())
	}
	for k, p := range partitions {
		if ok, err := p.verify(ctx, s, k, workers); err != nil || !ok {
			return false, status.Within(fmt.Sprintf("partitions[%d]", k), err)
		}
	}
	return true, nil
}

// loosePartition is an update's vanilla proof as its bytes say it, whatever that is.
type loosePartition struct {
	commC      Node
	apexLeafs  []Node
	challenges []looseChallenge
}

type looseChallenge struct{ rOld, dNew, rNew loosePath }

// loosePath is a Merkle proof of up to three parts.
type loosePath struct {
	parts      [][]looseLevel
	root, leaf Node
}

type looseLevel struct {
	siblings []Node
	index    uint64
}

// errFalse makes a challenge false rather than an error.
var errFalse = status.New(status.InputMismatch, "", "the vanilla proof does not hold")

// verify is RFP upd/vanilla.rs:397-520 for partition k.
func (p *loosePartition) verify(ctx context.Context, s *filecoin.UpdateStatement, k, workers int) (bool, error) {
	shape := s.Shape()
	if len(p.apexLeafs) != shape.ApexLeaves {
		return false, status.New(status.InputValue, "apex_leafs", "apex_leafs: %d, want %d", len(p.apexLeafs), shape.ApexLeaves)
	}
	if len(p.challenges) != shape.Challenges {
		return false, status.New(status.InputValue, "challenge_proofs", "challenge_proofs: %d, want %d", len(p.challenges), shape.Challenges)
	}
	first := &p.challenges[0]
	for _, c := range []struct {
		name       string
		root, want *Node
	}{{"proof_r_old", &first.rOld.root, &s.CommROld}, {"proof_r_new", &first.rNew.root, &s.CommRNew}} {
		// Both are hashed before either is compared.
		if _, err := elements("challenge_proofs[0]."+c.name+".root", p.commC, *c.root); err != nil {
			return false, err
		}
	}
	for _, c := range []struct{ root, want *Node }{{&first.rOld.root, &s.CommROld}, {&first.rNew.root, &s.CommRNew}} {
		in, _ := elements("", p.commC, *c.root)
		h := filecoin.CommR(&in[0], &in[1])
		if filecoin.FromField(&h) != *c.want {
			return false, nil
		}
	}
	in, err := elements("comm_d_new", s.CommDNew, s.CommROld)
	if err != nil {
		return false, err
	}
	phi := filecoin.Phi(&in[0], &in[1])
	nodes, err := s.Challenges(k)
	if err != nil {
		return false, err
	}
	tree := apexTree(p.apexLeafs)
	err = each(ctx, len(nodes), workers, func(i int) error {
		c := &p.challenges[i]
		return status.Within(fmt.Sprintf("challenge_proofs[%d]", i), c.verify(s, &phi, nodes[i], &first.rOld.root, &first.rNew.root, tree))
	})
	if status.CodeOf(err) == status.InputMismatch {
		return false, nil
	}
	return err == nil, err
}

// apexTree returns the rows of the binary tree over the apex leafs, which come first.
func apexTree(leafs []Node) [][]Node {
	rows := [][]Node{leafs}
	for len(leafs) > 1 {
		next := make([]Node, len(leafs)/2)
		for i := range next {
			next[i] = filecoin.HashD(&leafs[2*i], &leafs[2*i+1])
		}
		rows, leafs = append(rows, next), next
	}
	return rows
}

func (c *looseChallenge) verify(s *filecoin.UpdateStatement, phi *fr.Element, node uint64, rootOld, rootNew *Node, apex [][]Node) error {
	shape := s.Shape()
	paths := []struct {
		name  string
		path  *loosePath
		root  *Node
		above [2]uint64 // arities of the base and of the second part
		hash  func([]Node) (Node, error)
	}{
		{"proof_r_old", &c.rOld, rootOld, [2]uint64{uint64(shape.Base), uint64(shape.Sub)}, hashR},
		{"proof_d_new", &c.dNew, &s.CommDNew, [2]uint64{2, 0}, hashSHA},
		{"proof_r_new", &c.rNew, rootNew, [2]uint64{uint64(shape.Base), uint64(shape.Sub)}, hashR},
	}
	for _, p := range paths {
		if p.path.index(p.above, uint64(shape.Top)) != node {
			return errFalse
		}
	}
	for _, p := range paths {
		if p.path.root != *p.root {
			return errFalse
		}
	}
	for _, p := range paths {
		if root, err := p.path.lead(p.hash); err != nil {
			return status.Within(p.name, err)
		} else if root != p.path.root {
			return errFalse
		}
	}
	if err := c.encoding(shape, phi, node); err != nil {
		return err
	}
	return c.apexPath(shape, apex)
}

// encoding is new = old + data·rho.
func (c *looseChallenge) encoding(shape filecoin.Shape, phi *fr.Element, node uint64) error {
	in, err := elements("leaf", c.rOld.leaf, c.dNew.leaf)
	if err != nil {
		return err
	}
	_, h := filecoin.UpdateHs(shape)
	rho := filecoin.Rho(phi, node>>(shape.Log2Nodes-h))
	in[1].Mul(&in[1], &rho).Add(&in[1], &in[0])
	if filecoin.FromField(&in[1]) != c.rNew.leaf {
		return errFalse
	}
	return nil
}

// apexPath says whether the siblings of the path of tree D from the apex leafs
// up are among the nodes of their rows.
func (c *looseChallenge) apexPath(shape filecoin.Shape, apex [][]Node) error {
	levels := slices.Concat(c.dNew.parts...)
	low, count := shape.Log2Nodes-log2(shape.Partitions)-log2(shape.ApexLeaves), log2(shape.ApexLeaves)
	if len(levels) < low+count {
		return status.New(status.InputValue, "proof_d_new", "proof_d_new: %d levels, the apex needs %d", len(levels), low+count)
	}
	for i, l := range levels[low : low+count] {
		if len(l.siblings) == 0 {
			return status.New(status.InputValue, "proof_d_new", "proof_d_new: level %d has no sibling", low+i)
		}
		if !slices.Contains(apex[i], l.siblings[0]) {
			return errFalse
		}
	}
	return nil
}

// index is the number of the leaf that the path states, in wrapping arithmetic
// (RFP core/merkle/proof.rs:209-215, 662-671, 745-759).
func (p *loosePath) index(arity [2]uint64, top uint64) uint64 {
	arities := [3]uint64{arity[0], arity[1], top}
	var sum uint64
	leaves := uint64(1)
	for i, part := range p.parts {
		var index uint64
		for _, l := range slices.Backward(part) {
			index = index*arities[i] + l.index
		}
		sum += index * leaves
		if i == 0 {
			for range part {
				leaves *= arities[0]
			}
		} else {
			leaves *= arities[i]
		}
	}
	return sum
}

// lead returns the root that the path leads to from its leaf.
func (p *loosePath) lead(hash func([]Node) (Node, error)) (cur Node, err error) {
	cur = p.leaf
	for _, part := range p.parts {
		for i, l := range part {
			if l.index > uint64(len(l.siblings)) {
				return cur, status.New(status.InputValue, "path", "path: level %d has index %d among %d siblings", i, l.index, len(l.siblings))
			}
			if cur, err = hash(slices.Insert(slices.Clone(l.siblings), int(l.index), cur)); err != nil {
				return cur, err
			}
		}
	}
	return cur, nil
}

// hashSHA is the node of tree D above others.
func hashSHA(nodes []Node) (Node, error) {
	h := sha256.New()
	for i := range nodes {
		h.Write(nodes[i][:])
	}
	return filecoin.Truncate(Node(h.Sum(nil))), nil
}

// hashR is the node of tree R above others.
func hashR(nodes []Node) (Node, error) {
	if n := len(nodes); n < 2 || n > 16 || bits.OnesCount(uint(n)) != 1 {
		return Node{}, status.New(status.InputValue, "path", "path: no hash of %d nodes", n)
	}
	in, err := elements("path", nodes...)
	if err != nil {
		return Node{}, err
	}
	h := poseidon.Merkle(len(in)).Hash(in)
	return filecoin.FromField(&h), nil
}

func elements(where string, nodes ...Node) ([]fr.Element, error) {
	out := make([]fr.Element, len(nodes))
	for i := range nodes {
		var ok bool
		if out[i], ok = filecoin.ToField(&nodes[i]); !ok {
			return nil, status.New(status.InputValue, where, "%s: not a canonical field element: %x", where, nodes[i][:])
		}
	}
	return out, nil
}

// looseReader reads bincode 1.3.3 in its default configuration and takes every
// length that the bytes allow. The first error sticks.
type looseReader struct {
	data []byte
	err  error
}

func (r *looseReader) take(n uint64) []byte {
	if r.err == nil && n > uint64(len(r.data)) {
		r.err = status.New(status.InputSyntax, "vanilla proof", "vanilla proof: truncated, %d bytes left, want %d", len(r.data), n)
	}
	if r.err != nil {
		return nil
	}
	out := r.data[:n]
	r.data = r.data[n:]
	return out
}

func (r *looseReader) number() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// count reads the length of a list whose elements have at least so many bytes,
// and fails where the bytes for it are not there.
func (r *looseReader) count(size uint64) int {
	n := r.number()
	if r.err == nil && n > uint64(len(r.data))/size {
		r.err = status.New(status.InputSyntax, "vanilla proof", "vanilla proof: truncated, %d bytes left for %d elements", len(r.data), n)
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

func (r *looseReader) node() (n Node) {
	copy(n[:], r.take(uint64(len(n))))
	return n
}

func (r *looseReader) nodes() []Node {
	n := r.count(uint64(len(Node{})))
	return slices.Clone(nodesAt(r.take(uint64(n*len(Node{}))), 0, n))
}

func (r *looseReader) partition() *loosePartition {
	p := &loosePartition{commC: r.node(), apexLeafs: r.nodes()}
	const least = 3 * (4 + 8 + 2*uint64(len(Node{})))
	p.challenges = make([]looseChallenge, r.count(least))
	for i := range p.challenges {
		p.challenges[i] = looseChallenge{rOld: r.path(), dNew: r.path(), rNew: r.path()}
	}
	return p
}

// path reads a Merkle proof: a variant, then for the first one root, leaf and
// one part, for the others two or three parts, root and leaf.
func (r *looseReader) path() (p loosePath) {
	var variant uint32
	if b := r.take(4); b != nil {
		variant = binary.LittleEndian.Uint32(b)
	}
	if r.err == nil && variant > 2 {
		r.err = status.New(status.InputSyntax, "vanilla proof", "vanilla proof: variant %d of a Merkle proof", variant)
	}
	if variant == 0 {
		p.root, p.leaf = r.node(), r.node()
	}
	for i := uint32(0); r.err == nil && i <= variant; i++ {
		part := make([]looseLevel, r.count(16))
		for l := range part {
			part[l] = looseLevel{siblings: r.nodes(), index: r.number()}
		}
		p.parts = append(p.parts, part)
	}
	if variant != 0 {
		p.root, p.leaf = r.node(), r.node()
	}
	return p
}
