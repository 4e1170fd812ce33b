package ffi

import (
	"github.com/filecoin-project/go-state-types/abi"
	"github.com/ipfs/go-cid"

	"github.com/libcuzk/libcuzk/core/ffi"
)

// GenerateUnsealedCID returns the CID of comm_d of a sector that holds the pieces
// in order. It needs no engine.
func GenerateUnsealedCID(proofType abi.RegisteredSealProof, pieces []abi.PieceInfo) (cid.Cid, error) {
	list := make([]ffi.PieceInfo, len(pieces))
	for i, p := range pieces {
		piece, err := toCommD("PieceCID", p.PieceCID)
		if err != nil {
			return cid.Undef, err
		}
		list[i] = ffi.PieceInfo{Size: uint64(p.Size), PieceCID: piece}
	}
	made, err := ffi.GenerateUnsealedCID(proofType, list)
	if err != nil {
		return cid.Undef, err
	}
	return cid.Cast(made)
}

// GetSealVersion returns the name of a registered seal proof. It needs no engine.
func GetSealVersion(proofType abi.RegisteredSealProof) (string, error) {
	return ffi.GetSealVersion(proofType)
}

// GetPoStVersion returns the name of a registered PoSt proof, which is that of
// filecoin-proofs-api: V1_2 for what Go calls V1_1. It needs no engine.
func GetPoStVersion(proofType abi.RegisteredPoStProof) (string, error) {
	return ffi.GetPoStVersion(proofType)
}
