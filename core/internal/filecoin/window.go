package filecoin

import (
	"fmt"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// WindowStatement is the public side of a WindowPoSt: sectors in ascending
// number, cut into partitions in that order.
type WindowStatement struct {
	Proof      PoStProof
	Randomness Node // must be a canonical field element
	Sectors    []PoStSector
	// First is the number of the partition that Sectors begin with: not zero
	// only when a single partition is proved on its own.
	First int
}

// Shape implements [Statement].
func (s *WindowStatement) Shape() Shape { return s.Proof.Shape() }

// Partitions implements [Statement].
func (s *WindowStatement) Partitions() int {
	per := s.Shape().Sectors
	return (len(s.Sectors) + per - 1) / per
}

// Partition returns the sectors of partition k; the last one may be short.
func (s *WindowStatement) Partition(k int) []PoStSector {
	per := s.Shape().Sectors
	return s.Sectors[k*per : min(len(s.Sectors), (k+1)*per)]
}

// Challenges returns the ten challenged nodes of the sector at a position of
// the whole list. In the first version challenges are numbered through all
// sectors, in the second from 0 in each (RFP post/utils.rs:4-17).
func (s *WindowStatement) Challenges(position int) []uint64 {
	shape := s.Shape()
	var first uint64
	if s.Proof.Version() == V1_0 {
		first = uint64(s.First*shape.Sectors+position) * WindowChallenges
	}
	out := make([]uint64, WindowChallenges)
	for i := range out {
		out[i] = LeafChallenge(s.Randomness, s.Sectors[position].Number, first+uint64(i), shape.Nodes())
	}
	return out
}

// PublicInputs implements [Statement]: comm_r and ten challenges for each
// sector; the block of the last sector fills a short partition (RFP
// post/compound.rs:42-111).
func (s *WindowStatement) PublicInputs(k int) ([]fr.Element, error) {
	if err := checkPartition(k, s.Partitions()); err != nil {
		return nil, err
	}
	if _, err := commitment("randomness", &s.Randomness); err != nil {
		return nil, err
	}
	shape := s.Shape()
	in := make([]fr.Element, 0, shape.NumInputs())
	for i, sector := range s.Partition(k) {
		commR, err := commitment(fmt.Sprintf("sectors[%d].comm_r", k*shape.Sectors+i), &sector.CommR)
		if err != nil {
			return nil, err
		}
		in = append(in, commR)
		for _, c := range s.Challenges(k*shape.Sectors + i) {
			in = append(in, fr.NewElement(c))
		}
	}
	block := in[len(in)-1-WindowChallenges:]
	for len(in) < shape.NumInputs() {
		in = append(in, block...)
	}
	return in, nil
}
