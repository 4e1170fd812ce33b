// Package update is Filecoin's SnapDeals circuit, one partition of it:
// EmptySectorUpdateCircuit (storage-proofs-update circuit.rs and gadgets.rs).
package update

import (
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/gadget"
	"github.com/libcuzk/libcuzk/core/internal/poseidon"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// hSelectBits is the number of choices of h, one bit each.
const hSelectBits = 6

// geometry is what a partition's circuit depends on.
type geometry struct {
	nodeBits      int              // log2 of the sector's nodes
	partitionBits int              // log2 of the partitions
	apexBits      int              // log2 of the apex leafs of a partition
	h             [hSelectBits]int // choices of h: high bits of a node's index that select rho
	challenges    int
	digests       int // challenge digests of a partition
	perDigest     int // challenges that a digest yields
}

func newGeometry(s filecoin.Shape) *geometry {
	g := &geometry{
		nodeBits:      s.Log2Nodes,
		partitionBits: bits.TrailingZeros(uint(s.Partitions)),
		apexBits:      bits.TrailingZeros(uint(s.ApexLeaves)),
		challenges:    s.Challenges,
	}
	g.h, _ = filecoin.UpdateHs(s)
	_, g.perDigest, g.digests = filecoin.UpdateDigests(s)
	return g
}

// lowBits is the height of the apex leafs in tree D.
func (g *geometry) lowBits() int { return g.nodeBits - g.partitionBits - g.apexBits }

// Partition is the private and public input of one circuit.
type Partition struct {
	KAndHSelect                  uint64 // partition | h_select << PartitionBits
	CommROld, CommDNew, CommRNew fr.Element
	CommC, RootROld, RootRNew    fr.Element
	ApexLeafs                    []fr.Element
	PartitionPath                []fr.Element // tree D siblings of the partition's apex, bottom up
	Challenges                   []Challenge
}

// Challenge opens one node of the old replica, the new replica and the new
// data. Only siblings matter: the positions follow from the challenge.
type Challenge struct {
	LeafROld, LeafDNew fr.Element
	PathROld, PathRNew []gadget.Level
	PathDNew           []fr.Element // siblings up to the apex leaf
}

// circuit is what all challenges share.
type circuit struct {
	cs        *r1cs.CS
	s         *geometry
	partition []gadget.Bit
	hSelect   []gadget.Bit
	phi       gadget.Num
	rootROld  gadget.Num
	rootRNew  gadget.Num
	apexLeafs []gadget.Num
}

// Build allocates and constrains one partition.
func Build(cs *r1cs.CS, shape filecoin.Shape, p *Partition) {
	s := newGeometry(shape)
	c := &circuit{cs: cs, s: s}
	var k fr.Element
	k.SetUint64(p.KAndHSelect)
	kAndHSelect := gadget.Alloc(cs, &k)
	gadget.Inputize(cs, kAndHSelect)
	selectors := gadget.NumBits(cs, kAndHSelect, s.partitionBits+hSelectBits)
	c.partition, c.hSelect = selectors[:s.partitionBits], selectors[s.partitionBits:]
	partition := gadget.PackBits(cs, c.partition)

	commROld := gadget.Alloc(cs, &p.CommROld)
	gadget.Inputize(cs, commROld)
	commDNew := gadget.Alloc(cs, &p.CommDNew)
	gadget.Inputize(cs, commDNew)
	commRNew := gadget.Alloc(cs, &p.CommRNew)
	gadget.Inputize(cs, commRNew)
	c.phi = gadget.Poseidon(cs, poseidon.Custom2(), []gadget.Num{commDNew, commROld})

	commC := gadget.Alloc(cs, &p.CommC)
	c.rootROld = gadget.Alloc(cs, &p.RootROld)
	c.rootRNew = gadget.Alloc(cs, &p.RootRNew)
	c.apexLeafs = allocAll(cs, p.ApexLeafs)
	partitionPath := allocAll(cs, p.PartitionPath)

	c.commR(commC, c.rootROld, commROld)
	c.commR(commC, c.rootRNew, commRNew)
	c.apex(partitionPath, commDNew)
	for i, random := range c.challengeBits(partition, commRNew) {
		cs.In("challenge", i)
		c.challenge(random, &p.Challenges[i])
		cs.Out()
	}
}

func allocAll(cs *r1cs.CS, v []fr.Element) []gadget.Num {
	out := make([]gadget.Num, len(v))
	for i := range v {
		out[i] = gadget.Alloc(cs, &v[i])
	}
	return out
}

// commR enforces Poseidon(comm_c, root_r) = comm_r.
func (c *circuit) commR(commC, root, commR gadget.Num) {
	h := gadget.Poseidon(c.cs, poseidon.Merkle(2), []gadget.Num{commC, root})
	gadget.Equal(c.cs, h, commR)
}

// apex hashes the apex leafs to the root of the partition's part of tree D and
// climbs from there to comm_d_new (gadgets.rs apex_por).
func (c *circuit) apex(siblings []gadget.Num, commDNew gadget.Num) {
	c.cs.In("apex", -1)
	defer c.cs.Out()
	row := c.apexLeafs
	for len(row) > 1 {
		next := make([]gadget.Num, len(row)/2)
		for i := range next {
			next[i] = gadget.HashPair(c.cs, row[2*i], row[2*i+1])
		}
		row = next
	}
	gadget.InclusionAt(c.cs, gadget.SHATree, c.partition, row[0], pairs(siblings), commDNew)
}

// pairs makes each sibling of a binary path a level of its own.
func pairs(siblings []gadget.Num) [][]gadget.Num {
	out := make([][]gadget.Num, len(siblings))
	for i := range siblings {
		out[i] = siblings[i : i+1]
	}
	return out
}

// challengeBits derives the random part of every challenge from comm_r_new
// (gadgets.rs gen_challenge_bits): digest j of partition k is
// Poseidon(comm_r_new, k·digests + j), cut into pieces of NodeBits −
// PartitionBits bits.
func (c *circuit) challengeBits(partition, commRNew gadget.Num) [][]gadget.Bit {
	c.cs.In("challenge_bits", -1)
	defer c.cs.Out()
	size, per := c.s.nodeBits-c.s.partitionBits, c.s.perDigest
	out := make([][]gadget.Bit, 0, c.s.digests*per)
	for j := range c.s.digests {
		index := gadget.Affine(c.cs, partition, uint64(c.s.digests), uint64(j))
		digest := gadget.Poseidon(c.cs, poseidon.Custom2(), []gadget.Num{commRNew, index})
		b := gadget.NumBits(c.cs, digest, fr.Bits)
		for i := range per {
			out = append(out, b[i*size:(i+1)*size])
		}
	}
	return out[:c.s.challenges]
}

func (c *circuit) challenge(random []gadget.Bit, ch *Challenge) {
	cs, s := c.cs, c.s
	index := append(append(make([]gadget.Bit, 0, s.nodeBits), random...), c.partition...)
	rho := gadget.Poseidon(cs, poseidon.Custom2(), []gadget.Num{c.phi, c.high(index)})

	leafROld := gadget.Alloc(cs, &ch.LeafROld)
	leafDNew := gadget.Alloc(cs, &ch.LeafDNew)
	leafRNew := gadget.Add(cs, leafROld, gadget.Mul(cs, leafDNew, rho))

	cs.In("r_old", -1)
	gadget.InclusionAt(cs, gadget.PoseidonTree, index, leafROld, allocPath(cs, ch.PathROld), c.rootROld)
	cs.Out()
	cs.In("r_new", -1)
	gadget.InclusionAt(cs, gadget.PoseidonTree, index, leafRNew, allocPath(cs, ch.PathRNew), c.rootRNew)
	cs.Out()
	cs.In("d_new", -1)
	low := s.lowBits()
	apexLeaf := gadget.Select(cs, c.apexLeafs, index[low:low+s.apexBits])
	gadget.InclusionAt(cs, gadget.SHATree, index[:low], leafDNew, pairs(allocAll(cs, ch.PathDNew)), apexLeaf)
	cs.Out()
}

func allocPath(cs *r1cs.CS, path []gadget.Level) [][]gadget.Num {
	out := make([][]gadget.Num, len(path))
	for i := range path {
		out[i] = allocAll(cs, path[i].Siblings)
	}
	return out
}

// high is the number made of the top h bits of a node's index, for the h that
// h_select chooses (gadgets.rs get_challenge_high_bits).
func (c *circuit) high(index []gadget.Bit) gadget.Num {
	terms := make([]gadget.Num, hSelectBits)
	for i, h := range c.s.h {
		packed := gadget.PackBits(c.cs, index[len(index)-h:])
		terms[i] = gadget.Mul(c.cs, packed, c.hSelect[i].Num())
	}
	return gadget.Sum(c.cs, terms)
}
