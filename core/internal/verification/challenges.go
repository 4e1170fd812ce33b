package verification

import (
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// PoStChallenges returns the challenged nodes of each sector, in the order of
// numbers: 66 for a WinningPoSt, which has one sector, 10 for a WindowPoSt,
// whose sectors fill its partitions in that order (filecoin-proofs
// post_util.rs:23-90).
func PoStChallenges(registeredProof int, randomness [32]byte, numbers []uint64) ([][]uint64, error) {
	proof, err := filecoin.NewPoStProof(int64(registeredProof))
	if err != nil {
		return nil, err
	}
	r, err := CanonicalRandomness(randomness)
	if err != nil {
		return nil, err
	}
	if len(numbers) == 0 {
		return nil, status.New(status.InputValue, "sectors", "no sectors for %s", proof.Name())
	}
	if proof.Kind() == filecoin.WinningPoSt {
		if len(numbers) != 1 {
			return nil, status.New(status.InputValue, "sectors", "%d sectors for %s, want the one that won", len(numbers), proof.Name())
		}
		s := filecoin.WinningStatement{Proof: proof, Randomness: r, Sector: filecoin.PoStSector{Number: numbers[0]}}
		return [][]uint64{s.Challenges()}, nil
	}
	s := filecoin.WindowStatement{Proof: proof, Randomness: r}
	for _, n := range numbers {
		s.Sectors = append(s.Sectors, filecoin.PoStSector{Number: n})
	}
	out := make([][]uint64, len(numbers))
	for i := range out {
		out[i] = s.Challenges(i)
	}
	return out, nil
}

// WinningSector returns which of setLen eligible sectors a WinningPoSt is
// about (filecoin-proofs winning_post.rs:188-217).
func WinningSector(registeredProof int, randomness, proverID [32]byte, setLen uint64) (uint64, error) {
	if err := CheckPoStKind(registeredProof, filecoin.WinningPoSt.String()); err != nil {
		return 0, err
	}
	if err := CheckProverID(proverID); err != nil {
		return 0, err
	}
	r, err := CanonicalRandomness(randomness)
	if err != nil {
		return 0, err
	}
	return filecoin.WinningSector(proverID, r, setLen)
}

// WindowPartitions returns how many partitions a WindowPoSt of n sectors has,
// at least one.
func WindowPartitions(registeredProof int, n uint64) (uint64, error) {
	if err := CheckPoStKind(registeredProof, filecoin.WindowPoSt.String()); err != nil {
		return 0, err
	}
	per := uint64(filecoin.PoStProof(registeredProof).Shape().Sectors)
	whole := n / per
	if n%per != 0 {
		whole++
	}
	return max(whole, 1), nil
}

// WindowSectors returns how many sectors a partition of a WindowPoSt holds.
func WindowSectors(registeredProof int) (int, error) {
	if err := CheckPoStKind(registeredProof, filecoin.WindowPoSt.String()); err != nil {
		return 0, err
	}
	return filecoin.PoStProof(registeredProof).Shape().Sectors, nil
}

// CheckPoStKind refuses a registered PoSt proof that is not of a kind.
func CheckPoStKind(registeredProof int, kind string) error {
	proof, err := filecoin.NewPoStProof(int64(registeredProof))
	if err == nil && proof.Kind().String() != kind {
		err = status.New(status.Argument, "registered_proof", "%s is of another kind than %s", proof.Name(), kind)
	}
	return err
}
