package verification

import (
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/vanilla"
)

// PoStStatement is what a PoSt states. Its challenges are the nodes that the vanilla
// proof of sector i must open.
type PoStStatement interface {
	filecoin.Statement
	SectorChallenges(i int) []uint64
}

// winning and window are the statements of the two kinds.
type (
	winning struct{ *filecoin.WinningStatement }
	window  struct{ *filecoin.WindowStatement }
)

func (s winning) SectorChallenges(int) []uint64  { return s.Challenges() }
func (s window) SectorChallenges(i int) []uint64 { return s.Challenges(i) }

// NewPoSt returns the statement of a PoSt over sectors in ascending order. single
// says that the sectors are those of one partition of a WindowPoSt, whose index is
// partition.
func NewPoSt(proof filecoin.PoStProof, randomness filecoin.Node, sectors []filecoin.PoStSector, single bool, partition int) (PoStStatement, error) {
	if partition != 0 && !single {
		return nil, status.New(status.Argument, "partition", "partition index %d for a whole proof", partition)
	}
	if proof.Kind() == filecoin.WinningPoSt {
		if len(sectors) != 1 || single {
			return nil, status.New(status.InputValue, "sectors", "%d sectors for %s, want the one that won", len(sectors), proof.Name())
		}
		return winning{&filecoin.WinningStatement{Proof: proof, Randomness: randomness, Sector: sectors[0]}}, nil
	}
	s := &filecoin.WindowStatement{Proof: proof, Randomness: randomness, Sectors: sectors}
	per := s.Shape().Sectors
	switch {
	case len(sectors) == 0:
		return nil, status.New(status.InputValue, "sectors", "no sectors for %s", proof.Name())
	case single && (partition < 0 || partition > 1<<20):
		return nil, status.New(status.Argument, "partition", "partition index %d out of range", partition)
	case single && len(sectors) > per:
		return nil, status.New(status.InputValue, "sectors", "%d sectors for one partition of %s, which holds %d", len(sectors), proof.Name(), per)
	case single:
		s.First = partition
	}
	return window{s}, nil
}

// CanonicalRandomness refuses randomness that is no field element, as the
// published prover and verifier do (filecoin-proofs winning_post.rs:43,
// window_post.rs:47). It is used as it is: whoever draws it clears the top two
// bits, and a verifier that did so itself would accept what others refuse.
func CanonicalRandomness(r [32]byte) (filecoin.Node, error) {
	if !vanilla.Canonical(&r) {
		return r, status.New(status.InputValue, "randomness",
			"randomness is not a canonical field element: %x; the network clears its top two bits (randomness[31] &= 0x3f)", r[:])
	}
	return r, nil
}

// CheckProverID refuses what no prover has: the published code reads the id as
// a field element, although no PoSt depends on it.
func CheckProverID(id [32]byte) error {
	if !vanilla.Canonical(&id) {
		return status.New(status.InputValue, "prover_id", "prover_id is not a canonical field element: %x", id[:])
	}
	return nil
}
