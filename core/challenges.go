package cuzk

import "github.com/libcuzk/libcuzk/core/internal/verification"

// PoStChallenges returns the challenged nodes of each sector of a PoSt, in the
// order of sectors: what vanilla proofs must open. To be proved, sectors are
// ascending and without repetition, but that is not asked here. Randomness
// is a canonical field element, else an error of code InputValue.
func PoStChallenges(registeredProof int, randomness [32]byte, sectors []uint64) ([][]uint64, error) {
	return guarded(func() ([][]uint64, error) { return verification.PoStChallenges(registeredProof, randomness, sectors) })
}

// WinningPoStSector returns the index, below eligible, of the sector that a
// WinningPoSt is about. Randomness is a canonical field element, else an error
// of code InputValue.
func WinningPoStSector(registeredProof int, randomness, proverID [32]byte, eligible uint64) (uint64, error) {
	return guarded(func() (uint64, error) {
		return verification.WinningSector(registeredProof, randomness, proverID, eligible)
	})
}

// WindowPoStPartitions returns the number of partitions of a WindowPoSt of so
// many sectors, at least one.
func WindowPoStPartitions(registeredProof int, sectors uint64) (uint64, error) {
	return guarded(func() (uint64, error) { return verification.WindowPartitions(registeredProof, sectors) })
}

// WindowPoStSectors returns how many sectors a partition of a WindowPoSt holds.
func WindowPoStSectors(registeredProof int) (int, error) {
	return guarded(func() (int, error) { return verification.WindowSectors(registeredProof) })
}

// CheckPoStKind returns an error of code Argument unless a registered PoSt
// proof is of a kind.
func CheckPoStKind(registeredProof int, kind Kind) error {
	return verification.CheckPoStKind(registeredProof, string(kind))
}
