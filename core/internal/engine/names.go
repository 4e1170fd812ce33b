package engine

import "github.com/libcuzk/libcuzk/core/internal/filecoin"

// Piece is a piece of a sector's data.
type Piece struct {
	CommP [32]byte
	Size  uint64 // bytes before padding
}

// DataCommitment returns comm_d of a sector of the registered proof's size that
// holds the pieces.
func DataCommitment(registeredProof int, pieces []Piece) ([32]byte, error) {
	p, err := filecoin.NewSealProof(int64(registeredProof))
	if err != nil {
		return [32]byte{}, err
	}
	list := make([]filecoin.Piece, len(pieces))
	for i, x := range pieces {
		list[i] = filecoin.Piece{CommP: x.CommP, Size: x.Size}
	}
	return filecoin.DataCommitment(p.SectorSize(), list)
}

// SealProofName returns the name of a registered seal proof in
// filecoin-proofs-api.
func SealProofName(registeredProof int) (string, error) {
	p, err := filecoin.NewSealProof(int64(registeredProof))
	if err != nil {
		return "", err
	}
	return p.Name(), nil
}

// PoStProofName is SealProofName of a registered PoSt proof.
func PoStProofName(registeredProof int) (string, error) {
	p, err := filecoin.NewPoStProof(int64(registeredProof))
	if err != nil {
		return "", err
	}
	return p.Name(), nil
}
