package ffi

import (
	"github.com/filecoin-project/go-state-types/abi"
	"github.com/filecoin-project/go-state-types/proof"
	"github.com/ipfs/go-cid"

	"github.com/libcuzk/libcuzk/core/ffi"
)

// FunctionsSectorUpdate has the calls for sector updates.
type FunctionsSectorUpdate struct{}

// SectorUpdate is how hosts name them.
var SectorUpdate = FunctionsSectorUpdate{}

// GenerateUpdateProofWithVanilla returns the proof of a sector update, 192 bytes
// per partition, from the vanilla proofs of all partitions in order.
func (FunctionsSectorUpdate) GenerateUpdateProofWithVanilla(
	proofType abi.RegisteredUpdateProof, oldSealedCID, newSealedCID, unsealedCID cid.Cid, vanillaProofs [][]byte,
) ([]byte, error) {
	u, err := updateInfo(proofType, oldSealedCID, newSealedCID, unsealedCID)
	if err != nil {
		return nil, err
	}
	return on(func(f ffi.FFI) ([]byte, error) {
		return f.GenerateUpdateProofWithVanilla(u.UpdateProofType, u.OldSealedSectorCID, u.NewSealedSectorCID, u.NewUnsealedSectorCID, vanillaProofs)
	})
}

// VerifyVanillaProofs reports whether the vanilla proofs of all partitions of a
// sector update hold. It needs no parameters.
func (FunctionsSectorUpdate) VerifyVanillaProofs(
	proofType abi.RegisteredUpdateProof, oldSealedCID, newSealedCID, unsealedCID cid.Cid, vanillaProofs [][]byte,
) (bool, error) {
	u, err := updateInfo(proofType, oldSealedCID, newSealedCID, unsealedCID)
	if err != nil {
		return false, err
	}
	return on(func(f ffi.FFI) (bool, error) {
		return f.VerifyVanillaProofs(u.UpdateProofType, u.OldSealedSectorCID, u.NewSealedSectorCID, u.NewUnsealedSectorCID, vanillaProofs)
	})
}

// VerifyUpdateProof reports whether the proof of a sector update holds.
func (FunctionsSectorUpdate) VerifyUpdateProof(info proof.ReplicaUpdateInfo) (bool, error) {
	u, err := updateInfo(info.UpdateProofType, info.OldSealedSectorCID, info.NewSealedSectorCID, info.NewUnsealedSectorCID)
	if err != nil {
		return false, err
	}
	u.Proof = info.Proof
	return on(func(f ffi.FFI) (bool, error) { return f.VerifyUpdateProof(u) })
}

func updateInfo(proofType abi.RegisteredUpdateProof, oldSealed, newSealed, unsealed cid.Cid) (u ffi.ReplicaUpdateInfo, err error) {
	u.UpdateProofType = ffi.RegisteredUpdateProof(proofType)
	if u.OldSealedSectorCID, err = toCommR("OldSealedSectorCID", oldSealed); err != nil {
		return u, err
	}
	if u.NewSealedSectorCID, err = toCommR("NewSealedSectorCID", newSealed); err != nil {
		return u, err
	}
	u.NewUnsealedSectorCID, err = toCommD("NewUnsealedSectorCID", unsealed)
	return u, err
}
