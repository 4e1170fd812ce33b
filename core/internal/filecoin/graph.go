package filecoin

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"

	"golang.org/x/crypto/blake2b"
)

// Graph is the stacked depth-robust graph of a sector size and porep id: six
// parents of a node within its layer and eight in the layer below. It is
// read-only and computes parents on demand, microseconds each node.
type Graph struct {
	nodes   uint64
	version Version
	drgSeed [28]byte
	feistel [3]uint64
	half    uint // bits of each half of the Feistel permutation
}

// NewGraph returns the graph for a power-of-two number of nodes.
func NewGraph(nodes uint64, porepID Node, v Version) *Graph {
	g := &Graph{nodes: nodes, version: v}
	seed := tagged("Filecoin_DRSample", porepID)
	copy(g.drgSeed[:], seed[:])
	keys := tagged("Filecoin_Feistel", porepID)
	for i := range g.feistel {
		g.feistel[i] = binary.LittleEndian.Uint64(keys[8*i:])
	}
	g.half = uint(bits.Len64(nodes*ExpanderDegree-1)+1) / 2
	return g
}

// tagged is the domain separation of RFP core/crypto/mod.rs:8-22.
func tagged(tag string, porepID Node) [32]byte {
	return sha256.Sum256(append([]byte(tag), porepID[:]...))
}

// Parents returns the six DRG parents of node v and then its eight expander
// parents, in the order that labels and public inputs use.
func (g *Graph) Parents(v uint64) (p [Degree]uint32) {
	g.drg(v, p[:DRGDegree])
	for i := range uint64(ExpanderDegree) {
		p[DRGDegree+i] = g.expander(v*ExpanderDegree + i)
	}
	return p
}

// drg is the bucket sampling of RFP core/drgraph.rs:138-200 with meta degree
// m' = 5: five sampled parents and the predecessor, last in version 1.0, first
// from 1.1 on. Nodes 0 and 1 have node 0 six times.
func (g *Graph) drg(v uint64, out []uint32) {
	if v < 2 {
		return
	}
	const metaDegree = DRGDegree - 1
	sampled := out[:metaDegree]
	if g.version == V1_0 {
		out[metaDegree] = uint32(v - 1)
	} else {
		out[0] = uint32(v - 1)
		sampled = out[1:]
	}

	var key [32]byte
	copy(key[:], g.drgSeed[:])
	binary.LittleEndian.PutUint32(key[28:], uint32(v))
	rng := newChaCha8(&key)
	m := v * metaDegree
	buckets := uint64(bits.Len64(m - 1)) // ⌈log2 m⌉
	for i := range sampled {
		upper := min(m, 1<<(rng.next()%buckets+1))
		lower := max(2, upper>>1)
		back := lower + rng.next()%(upper-lower+1)
		p := (m - back) / metaDegree
		if p == v {
			p--
		}
		sampled[i] = uint32(p)
	}
}

// expander permutes x in 0..8·nodes and returns the node it falls on. Version
// 1.0 truncates to 32 bits first, which matters for 32 and 64 GiB (RFP
// porep/vanilla/graph.rs:371-377).
func (g *Graph) expander(x uint64) uint32 {
	n := g.nodes * ExpanderDegree
	for {
		if x = g.permute(x); x < n {
			break
		}
	}
	if g.version == V1_0 {
		x = uint64(uint32(x))
	}
	return uint32(x / ExpanderDegree)
}

// permute is a three-round Feistel network over 2·half bits with BLAKE2b as
// round function, its output read big endian (RFP core/crypto/feistel.rs).
func (g *Graph) permute(x uint64) uint64 {
	mask := uint64(1)<<g.half - 1
	left, right := x>>g.half, x&mask
	var buf [16]byte
	for _, key := range g.feistel {
		binary.BigEndian.PutUint64(buf[:8], right)
		binary.BigEndian.PutUint64(buf[8:], key)
		f := blake2b.Sum512(buf[:])
		left, right = right, left^binary.BigEndian.Uint64(f[:8])&mask
	}
	return left<<g.half | right
}
