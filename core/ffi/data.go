package ffi

import cuzk "github.com/libcuzk/libcuzk/core"

// PieceInfo is a piece of a sector's data. Size is in bytes of the sector, after
// padding, as in go-state-types.
type PieceInfo struct {
	Size     uint64
	PieceCID CID
}

// GenerateUnsealedCID returns the CID of comm_d of a sector that holds the pieces
// in order. It needs no engine.
func GenerateUnsealedCID[P ~int64](proofType P, pieces []PieceInfo) (RawCID, error) {
	list := make([]cuzk.Piece, len(pieces))
	for i, p := range pieces {
		commP, err := CommD(p.PieceCID) // pieces and sectors of data have CIDs of one kind
		if err != nil {
			return nil, err
		}
		list[i] = cuzk.Piece{CommP: commP, Size: p.Size - p.Size/128}
	}
	commD, err := cuzk.DataCommitment(int(proofType), list)
	if err != nil {
		return nil, err
	}
	return UnsealedCID(commD), nil
}

// GetSealVersion returns the name of a registered seal proof. It needs no engine.
func GetSealVersion[P ~int64](proofType P) (string, error) {
	return cuzk.SealProofName(int(proofType))
}

// GetPoStVersion returns the name of a registered PoSt proof, which is that of
// filecoin-proofs-api: V1_2 for what Go calls V1_1. It needs no engine.
func GetPoStVersion[P ~int64](proofType P) (string, error) {
	return cuzk.PoStProofName(int(proofType))
}
