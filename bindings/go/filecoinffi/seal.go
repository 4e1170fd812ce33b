package ffi

import (
	"github.com/filecoin-project/go-state-types/abi"
	"github.com/filecoin-project/go-state-types/proof"

	"github.com/libcuzk/libcuzk/core/ffi"
)

// SealCommitPhase2 returns the seal proof of a commit-phase-1 output, 192 bytes
// per partition.
func SealCommitPhase2(phase1Output []byte, sectorNum abi.SectorNumber, minerID abi.ActorID) ([]byte, error) {
	return on(func(f ffi.FFI) ([]byte, error) {
		return f.SealCommitPhase2(phase1Output, ffi.SectorNumber(sectorNum), ffi.ActorID(minerID))
	})
}

// SealCommitPhase2CircuitProofs returns the proofs of all partitions without
// aggregating them, as a non-interactive PoRep needs before aggregation.
func SealCommitPhase2CircuitProofs(phase1Output []byte, sectorNum abi.SectorNumber) ([]byte, error) {
	return on(func(f ffi.FFI) ([]byte, error) {
		return f.SealCommitPhase2CircuitProofs(phase1Output, ffi.SectorNumber(sectorNum))
	})
}

// VerifySeal reports whether a seal proof holds.
func VerifySeal(info proof.SealVerifyInfo) (bool, error) {
	known := ffi.SealVerifyInfo{
		SealProof:             ffi.RegisteredSealProof(info.SealProof),
		SectorID:              ffi.SectorID{Number: ffi.SectorNumber(info.Number)},
		Randomness:            info.Randomness,
		InteractiveRandomness: info.InteractiveRandomness,
		Proof:                 info.Proof,
	}
	var err error
	if known.Miner, err = toActorID(info.Miner); err != nil {
		return false, err
	}
	if known.SealedCID, err = toCommR("SealedCID", info.SealedCID); err != nil {
		return false, err
	}
	if known.UnsealedCID, err = toCommD("UnsealedCID", info.UnsealedCID); err != nil {
		return false, err
	}
	return on(func(f ffi.FFI) (bool, error) { return f.VerifySeal(known) })
}
