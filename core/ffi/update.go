package ffi

import cuzk "github.com/libcuzk/libcuzk/core"

// FunctionsSectorUpdate has the calls for sector updates, on the engine that
// the package functions share. P is the caller's type of registered proofs.
type FunctionsSectorUpdate[P ~int64] struct{}

// SectorUpdate is filecoin-ffi's variable of that name. Methods cannot be
// generic, so a caller with go-state-types' numbers declares its own:
//
//	var sectorUpdate ffi.FunctionsSectorUpdate[abi.RegisteredUpdateProof]
var SectorUpdate FunctionsSectorUpdate[RegisteredUpdateProof]

// GenerateUpdateProofWithVanilla returns the proof of a sector update, 192 bytes
// per partition, from the vanilla proofs of all partitions in order.
func (FunctionsSectorUpdate[P]) GenerateUpdateProofWithVanilla(
	proofType P, oldSealedCID, newSealedCID, unsealedCID CID, vanillaProofs [][]byte,
) ([]byte, error) {
	return with(func(f FFI) ([]byte, error) {
		return f.GenerateUpdateProofWithVanilla(RegisteredUpdateProof(proofType), oldSealedCID, newSealedCID, unsealedCID, vanillaProofs)
	})
}

// VerifyVanillaProofs reports whether the vanilla proofs of all partitions of a
// sector update hold. It needs no parameters.
func (FunctionsSectorUpdate[P]) VerifyVanillaProofs(
	proofType P, oldSealedCID, newSealedCID, unsealedCID CID, vanillaProofs [][]byte,
) (bool, error) {
	return with(func(f FFI) (bool, error) {
		return f.VerifyVanillaProofs(RegisteredUpdateProof(proofType), oldSealedCID, newSealedCID, unsealedCID, vanillaProofs)
	})
}

// VerifyUpdateProof reports whether the proof of a sector update holds.
func (FunctionsSectorUpdate[P]) VerifyUpdateProof(info ReplicaUpdateInfo) (bool, error) {
	return with(func(f FFI) (bool, error) { return f.VerifyUpdateProof(info) })
}

// GenerateUpdateProofWithVanilla is the method of [FunctionsSectorUpdate].
func (f FFI) GenerateUpdateProofWithVanilla(
	proofType RegisteredUpdateProof, oldSealedCID, newSealedCID, unsealedCID CID, vanillaProofs [][]byte,
) ([]byte, error) {
	known, err := updateInfo(ReplicaUpdateInfo{proofType, oldSealedCID, newSealedCID, unsealedCID, nil})
	if err != nil {
		return nil, err
	}
	return f.Engine.ProveUpdate(background(), cuzk.Update{
		RegisteredProof: known.RegisteredProof,
		CommROld:        known.CommROld, CommRNew: known.CommRNew, CommDNew: known.CommDNew,
		Vanilla: vanillaProofs,
	})
}

// VerifyVanillaProofs is the method of [FunctionsSectorUpdate].
func (f FFI) VerifyVanillaProofs(
	proofType RegisteredUpdateProof, oldSealedCID, newSealedCID, unsealedCID CID, vanillaProofs [][]byte,
) (bool, error) {
	known, err := updateInfo(ReplicaUpdateInfo{proofType, oldSealedCID, newSealedCID, unsealedCID, nil})
	if err != nil {
		return false, err
	}
	return f.Engine.VerifyVanillaUpdate(background(), known, vanillaProofs)
}

// VerifyUpdateProof is the method of [FunctionsSectorUpdate].
func (f FFI) VerifyUpdateProof(info ReplicaUpdateInfo) (bool, error) {
	known, err := updateInfo(info)
	if err != nil {
		return false, err
	}
	return f.Engine.VerifyUpdate(background(), known, info.Proof)
}

// updateInfo turns CIDs into commitments.
func updateInfo(info ReplicaUpdateInfo) (known cuzk.UpdateInfo, err error) {
	known.RegisteredProof = int(info.UpdateProofType)
	if known.CommROld, err = CommR(info.OldSealedSectorCID); err != nil {
		return known, err
	}
	if known.CommRNew, err = CommR(info.NewSealedSectorCID); err != nil {
		return known, err
	}
	known.CommDNew, err = CommD(info.NewUnsealedSectorCID)
	return known, err
}
