package cuzk

import "github.com/libcuzk/libcuzk/core/internal/engine"

// Piece is a piece of a sector's data: its commitment, and its length in bytes
// before padding.
type Piece struct {
	CommP [32]byte
	Size  uint64
}

// DataCommitment returns comm_d of a sector of a registered seal proof's size that
// holds the pieces in order, as the published compute_comm_d does; without pieces
// that of a sector of zeros. Sizes that no sector has are errors of code
// InputValue.
func DataCommitment(registeredProof int, pieces []Piece) ([32]byte, error) {
	list := make([]engine.Piece, len(pieces))
	for i, p := range pieces {
		list[i] = engine.Piece(p)
	}
	return guarded(func() ([32]byte, error) { return engine.DataCommitment(registeredProof, list) })
}

// SealProofName returns the name of a registered seal proof in
// filecoin-proofs-api, for instance StackedDrg32GiBV1_1.
func SealProofName(registeredProof int) (string, error) {
	return engine.SealProofName(registeredProof)
}

// PoStProofName returns the name of a registered PoSt proof in
// filecoin-proofs-api, which for the second WindowPoSt is not that of filecoin-ffi.
func PoStProofName(registeredProof int) (string, error) {
	return engine.PoStProofName(registeredProof)
}
