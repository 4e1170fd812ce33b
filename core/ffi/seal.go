package ffi

import cuzk "github.com/libcuzk/libcuzk/core"

// SealCommitPhase2 returns the seal proof of a commit-phase-1 output, 192 bytes
// per partition.
func SealCommitPhase2[S, M ~uint64](phase1Output []byte, sectorNum S, minerID M) ([]byte, error) {
	return with(func(f FFI) ([]byte, error) {
		return f.SealCommitPhase2(phase1Output, SectorNumber(sectorNum), ActorID(minerID))
	})
}

// SealCommitPhase2CircuitProofs returns the proofs of all partitions without
// aggregating them, as a non-interactive PoRep needs before aggregation.
func SealCommitPhase2CircuitProofs[S ~uint64](phase1Output []byte, sectorNum S) ([]byte, error) {
	return with(func(f FFI) ([]byte, error) {
		return f.SealCommitPhase2CircuitProofs(phase1Output, SectorNumber(sectorNum))
	})
}

// VerifySeal reports whether a seal proof holds.
func VerifySeal(info SealVerifyInfo) (bool, error) {
	return with(func(f FFI) (bool, error) { return f.VerifySeal(info) })
}

// SealCommitPhase2 is the package function of that name.
func (f FFI) SealCommitPhase2(phase1Output []byte, sectorNum SectorNumber, minerID ActorID) ([]byte, error) {
	prover, err := proverID(minerID)
	if err != nil {
		return nil, err
	}
	return f.Engine.ProvePoRep(background(), phase1Output, uint64(sectorNum), prover)
}

// SealCommitPhase2CircuitProofs is the package function of that name.
func (f FFI) SealCommitPhase2CircuitProofs(phase1Output []byte, sectorNum SectorNumber) ([]byte, error) {
	return f.Engine.Run(background(), cuzk.PoRep{C1: phase1Output, SectorNumber: uint64(sectorNum), CircuitProofs: true})
}

// VerifySeal is the package function of that name.
func (f FFI) VerifySeal(info SealVerifyInfo) (bool, error) {
	known := cuzk.PoRepInfo{RegisteredProof: int(info.SealProof), SectorNumber: uint64(info.Number)}
	var err error
	if known.ProverID, err = proverID(info.Miner); err != nil {
		return false, err
	}
	if known.CommR, err = CommR(info.SealedCID); err != nil {
		return false, err
	}
	if known.CommD, err = CommD(info.UnsealedCID); err != nil {
		return false, err
	}
	if known.Ticket, err = randomness32("Randomness", info.Randomness); err != nil {
		return false, err
	}
	if known.Seed, err = randomness32("InteractiveRandomness", info.InteractiveRandomness); err != nil {
		return false, err
	}
	return f.Engine.VerifyPoRep(background(), known, info.Proof)
}
