package filecoin

import (
	"encoding/binary"
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/poseidon"
)

// UpdateStatement is the public side of a sector update: new data encoded into
// a replica whose tree C stays.
type UpdateStatement struct {
	Proof                        UpdateProof
	CommROld, CommDNew, CommRNew Node
}

// Shape implements [Statement].
func (s *UpdateStatement) Shape() Shape { return s.Proof.Shape() }

// Partitions implements [Statement].
func (s *UpdateStatement) Partitions() int { return s.Shape().Partitions }

// PublicInputs implements [Statement]: the partition with the selector of h
// above it, and the three commitments (RFP upd/circuit.rs:46-92).
func (s *UpdateStatement) PublicInputs(k int) ([]fr.Element, error) {
	shape := s.Shape()
	if err := checkPartition(k, shape.Partitions); err != nil {
		return nil, err
	}
	selector := uint64(k) | uint64(shape.HSelect)<<bits.TrailingZeros(uint(shape.Partitions))
	in := []fr.Element{fr.NewElement(selector)}
	for _, c := range []struct {
		name string
		node *Node
	}{{"comm_r_old", &s.CommROld}, {"comm_d_new", &s.CommDNew}, {"comm_r_new", &s.CommRNew}} {
		e, err := commitment(c.name, c.node)
		if err != nil {
			return nil, err
		}
		in = append(in, e)
	}
	return in, nil
}

// Challenges returns the challenged nodes of partition k.
func (s *UpdateStatement) Challenges(k int) ([]uint64, error) {
	if err := checkPartition(k, s.Partitions()); err != nil {
		return nil, err
	}
	commR, err := commitment("comm_r_new", &s.CommRNew)
	if err != nil {
		return nil, err
	}
	return UpdateChallenges(s.Shape(), &commR, k), nil
}

// UpdateDigests is how challenges are cut from digests: each has bits random
// bits, a digest yields perDigest of them, a partition uses count digests
// (RFP upd/challenges.rs:36-131).
func UpdateDigests(s Shape) (bitsEach, perDigest, count int) {
	bitsEach = s.Log2Nodes - bits.TrailingZeros(uint(s.Partitions))
	perDigest = (fr.Bits - 1) / bitsEach
	return bitsEach, perDigest, (s.Challenges + perDigest - 1) / perDigest
}

// UpdateChallenges returns the challenged nodes of partition k: consecutive
// bit groups of H(comm_r_new, digest number), offset into the partition.
func UpdateChallenges(s Shape, commRNew *fr.Element, k int) []uint64 {
	width, per, digests := UpdateDigests(s)
	out := make([]uint64, 0, s.Challenges)
	for j := k * digests; len(out) < s.Challenges; j++ {
		e := poseidon.Custom2().Hash([]fr.Element{*commRNew, fr.NewElement(uint64(j))})
		digest := FromField(&e)
		for i := 0; i < per && len(out) < s.Challenges; i++ {
			out = append(out, bitGroup(&digest, i*width, width)|uint64(k)<<width)
		}
	}
	return out
}

// bitGroup reads width < 32 bits of a little-endian number from bit first on.
func bitGroup(n *Node, first, width int) uint64 {
	var buf [NodeSize + 8]byte
	copy(buf[:], n[:])
	return binary.LittleEndian.Uint64(buf[first/8:]) >> (first % 8) & (1<<width - 1)
}

// Phi is the randomness of an update; Rho derives from it the factor of the new
// data in the chunk of nodes whose number starts with the h bits high: the new
// replica is old + data·rho (RFP upd/vanilla.rs:628-648).
func Phi(commDNew, commROld *fr.Element) fr.Element {
	return poseidon.Custom2().Hash([]fr.Element{*commDNew, *commROld})
}

// Rho is described with [Phi].
func Rho(phi *fr.Element, high uint64) fr.Element {
	return poseidon.Custom2().Hash([]fr.Element{*phi, fr.NewElement(high)})
}
