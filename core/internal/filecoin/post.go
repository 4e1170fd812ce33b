package filecoin

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// PoStSector is a sector in the public side of a PoSt.
type PoStSector struct {
	Number uint64
	CommR  Node
}

// WinningSector picks one of setLen eligible sectors for WinningPoSt (RFP
// post/vanilla.rs:190-207).
func WinningSector(proverID, randomness Node, setLen uint64) (uint64, error) {
	if setLen == 0 {
		return 0, status.New(status.Argument, "sector_set_len", "no eligible sector to choose from")
	}
	h := sha256.New()
	h.Write(proverID[:])
	h.Write(randomness[:])
	h.Write(make([]byte, 8)) // number of the pick, always 0
	return binary.LittleEndian.Uint64(h.Sum(nil)) % setLen, nil
}

// LeafChallenge returns the challenged node of a sector for challenge number
// index (RFP post/vanilla.rs:232-256). Both numbers are little endian.
func LeafChallenge(randomness Node, sector, index, nodes uint64) uint64 {
	var buf [48]byte
	copy(buf[:], randomness[:])
	binary.LittleEndian.PutUint64(buf[32:], sector)
	binary.LittleEndian.PutUint64(buf[40:], index)
	h := sha256.Sum256(buf[:])
	return binary.LittleEndian.Uint64(h[:]) % nodes
}

// WinningStatement is the public side of a WinningPoSt: one sector, which the
// circuit sees 66 times with one challenge each.
type WinningStatement struct {
	Proof      PoStProof
	Randomness Node // must be a canonical field element
	Sector     PoStSector
}

// Shape implements [Statement].
func (s *WinningStatement) Shape() Shape { return s.Proof.Shape() }

// Partitions implements [Statement].
func (s *WinningStatement) Partitions() int { return 1 }

// Challenges returns the 66 challenged nodes.
func (s *WinningStatement) Challenges() []uint64 {
	nodes := s.Shape().Nodes()
	out := make([]uint64, WinningChallenges)
	for i := range out {
		out[i] = LeafChallenge(s.Randomness, s.Sector.Number, uint64(i), nodes)
	}
	return out
}

// PublicInputs implements [Statement]: 66 times comm_r and a challenge.
func (s *WinningStatement) PublicInputs(k int) ([]fr.Element, error) {
	if err := checkPartition(k, 1); err != nil {
		return nil, err
	}
	if _, err := commitment("randomness", &s.Randomness); err != nil {
		return nil, err
	}
	commR, err := commitment("comm_r", &s.Sector.CommR)
	if err != nil {
		return nil, err
	}
	in := make([]fr.Element, 0, s.Shape().NumInputs())
	for _, c := range s.Challenges() {
		in = append(in, commR, fr.NewElement(c))
	}
	return in, nil
}
