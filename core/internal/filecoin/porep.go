package filecoin

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/chacha20"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// PoRepStatement is the public side of a seal proof. Seed is not used by
// non-interactive proofs.
type PoRepStatement struct {
	Proof        SealProof
	ReplicaID    Node
	CommD, CommR Node
	Seed         Node
}

// Shape implements [Statement].
func (s *PoRepStatement) Shape() Shape { return s.Proof.Shape() }

// Partitions implements [Statement].
func (s *PoRepStatement) Partitions() int { return s.Proof.Partitions() }

// Graph returns the graph of the registered proof.
func (s *PoRepStatement) Graph() *Graph {
	return NewGraph(s.Shape().Nodes(), s.Proof.PoRepID(), s.Proof.Version())
}

// PublicInputs implements [Statement]: replica id, comm_d, comm_r, and for each
// challenge the index of every Merkle path of the circuit and the challenge
// itself (RFP porep/circuit/proof.rs:198-283).
func (s *PoRepStatement) PublicInputs(k int) ([]fr.Element, error) {
	challenges, err := s.Challenges(k)
	if err != nil {
		return nil, err
	}
	in := make([]fr.Element, 3, s.Shape().NumInputs())
	for i, c := range []struct {
		name string
		node *Node
	}{{"replica_id", &s.ReplicaID}, {"comm_d", &s.CommD}, {"comm_r", &s.CommR}} {
		if in[i], err = commitment(c.name, c.node); err != nil {
			return nil, err
		}
	}
	g := s.Graph()
	for _, c := range challenges {
		in = append(in, fr.NewElement(c)) // tree D
		for _, p := range g.Parents(c) {
			in = append(in, fr.NewElement(uint64(p))) // tree C
		}
		// The node number, tree R, and tree C of the challenge itself.
		in = append(in, fr.NewElement(c), fr.NewElement(c), fr.NewElement(c))
	}
	return in, nil
}

// Challenges returns the challenged nodes of partition k, in 1..nodes−1, in
// circuit order (RFP porep/vanilla/challenges.rs).
func (s *PoRepStatement) Challenges(k int) ([]uint64, error) {
	if err := checkPartition(k, s.Partitions()); err != nil {
		return nil, err
	}
	shape := s.Shape()
	out := make([]uint64, shape.Challenges)
	pick := s.picker(shape.Nodes())
	for i := range out {
		out[i] = pick(uint32(k*shape.Challenges + i))
	}
	return out, nil
}

// picker returns the function from the running number of a challenge to its node.
func (s *PoRepStatement) picker(nodes uint64) func(j uint32) uint64 {
	switch s.Proof.Feature() {
	case Synthetic:
		syn := newSynthetic(s, nodes)
		return syn.challenge
	case NonInteractive:
		return func(j uint32) uint64 {
			return hashedChallenge(nodes, j, []byte(niTag), s.ReplicaID[:], s.CommR[:])
		}
	default:
		return func(j uint32) uint64 { return hashedChallenge(nodes, j, s.ReplicaID[:], s.Seed[:]) }
	}
}

const niTag = "filecoin.io|PoRep|1|NonInteractive|1"

func hashedChallenge(nodes uint64, j uint32, parts ...[]byte) uint64 {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	h.Write(binary.LittleEndian.AppendUint32(nil, j))
	return toChallenge(h.Sum(nil), nodes)
}

// toChallenge is (the little-endian number mod (nodes−1)) + 1: node 0 is never
// challenged.
func toChallenge(b []byte, nodes uint64) uint64 {
	var rem uint64
	for i := len(b) - 8; i >= 0; i -= 8 {
		_, rem = bits.Div64(rem, binary.LittleEndian.Uint64(b[i:]), nodes-1)
	}
	return rem + 1
}

const (
	generationTag  = "filecoin.io|PoRep|1|Synthetic|1|Generation"
	selectionTag   = "filecoin.io|PoRep|1|Synthetic|1|Selection"
	maxSynthetic   = 1 << 18 // size of the synthetic set, where the sector has as many nodes
	syntheticNonce = "synth-porep\x00"
)

// synthetic reads the two ChaCha20 streams of synthetic PoRep at any position:
// one fixes the set of challenges when the sector is sealed, the other selects
// from it with the seed (RFP porep/vanilla/challenges.rs:199-391).
type synthetic struct {
	nodes, count          uint64
	generation, selection [32]byte
}

func newSynthetic(s *PoRepStatement, nodes uint64) *synthetic {
	return &synthetic{
		nodes: nodes, count: min(nodes, maxSynthetic),
		generation: keyed(generationTag, s.ReplicaID, s.CommR),
		selection:  keyed(selectionTag, s.ReplicaID, s.Seed),
	}
}

func (s *synthetic) challenge(j uint32) uint64 {
	index := uint64(binary.LittleEndian.Uint32(streamAt(&s.selection, uint64(j)*4))) % s.count
	return toChallenge(streamAt(&s.generation, index*32)[:32], s.nodes)
}

func keyed(tag string, a, b Node) (out [32]byte) {
	h, err := blake2b.New256([]byte(tag))
	if err != nil {
		panic(err) // only for keys longer than 64 bytes
	}
	h.Write(a[:])
	h.Write(b[:])
	h.Sum(out[:0])
	return out
}

// streamAt returns the rest of the 64-byte keystream block at a byte offset.
func streamAt(key *[32]byte, offset uint64) []byte {
	c, err := chacha20.NewUnauthenticatedCipher(key[:], []byte(syntheticNonce))
	if err != nil {
		panic(err) // only for wrong key and nonce lengths
	}
	c.SetCounter(uint32(offset / 64))
	var block [64]byte
	c.XORKeyStream(block[:], block[:])
	return block[offset%64:]
}

// CheckProvable refuses what the published prover refuses before it begins, for
// every feature: all-zero commitments, and an all-zero seed (RFP
// fp/api/seal.rs:523-525).
func (s *PoRepStatement) CheckProvable() error {
	if err := s.CheckVerifiable(); err != nil {
		return err
	}
	return notZero("seed", &s.Seed)
}

// CheckVerifiable refuses what the published verifier refuses at once: all-zero
// commitments. A seed of zeros it takes as any other (RFP fp/api/seal.rs:1001).
func (s *PoRepStatement) CheckVerifiable() error {
	if err := notZero("comm_d", &s.CommD); err != nil {
		return err
	}
	return notZero("comm_r", &s.CommR)
}

func notZero(name string, n *Node) error {
	if *n == (Node{}) {
		return status.New(status.InputValue, name, "%s must not be all zero", name)
	}
	return nil
}
