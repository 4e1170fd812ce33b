package ffi

import (
	"github.com/filecoin-project/go-state-types/abi"
	"github.com/filecoin-project/go-state-types/proof"

	"github.com/libcuzk/libcuzk/core/ffi"
)

// PartitionProof is the proof of one partition of a WindowPoSt.
type PartitionProof proof.PoStProof

// FallbackChallenges are the challenged nodes of sectors, which are in ascending
// order without repetition.
type FallbackChallenges struct {
	Sectors    []abi.SectorNumber
	Challenges map[abi.SectorNumber][]uint64
}

// GenerateWinningPoStSectorChallenge returns the index of the sector that a
// WinningPoSt is about, below eligibleSectorsLen. It needs no engine.
func GenerateWinningPoStSectorChallenge(
	proofType abi.RegisteredPoStProof, minerID abi.ActorID, randomness abi.PoStRandomness, eligibleSectorsLen uint64,
) ([]uint64, error) {
	return ffi.GenerateWinningPoStSectorChallenge(proofType, minerID, randomness, eligibleSectorsLen)
}

// GeneratePoStFallbackSectorChallenges returns the challenged nodes of each
// sector. The order of sectorIds matters for the first version of WindowPoSt; of
// a sector that repeats the last place counts. It needs no engine.
func GeneratePoStFallbackSectorChallenges(
	proofType abi.RegisteredPoStProof, minerID abi.ActorID, randomness abi.PoStRandomness, sectorIds []abi.SectorNumber,
) (*FallbackChallenges, error) {
	found, err := ffi.GeneratePoStFallbackSectorChallenges(proofType, minerID, randomness, sectorIds)
	if err != nil {
		return nil, err
	}
	out := FallbackChallenges{
		Sectors:    make([]abi.SectorNumber, len(found.Sectors)),
		Challenges: make(map[abi.SectorNumber][]uint64, len(found.Sectors)),
	}
	for i, s := range found.Sectors {
		out.Sectors[i] = abi.SectorNumber(s)
		out.Challenges[abi.SectorNumber(s)] = found.Challenges[s]
	}
	return &out, nil
}

// GetNumPartitionForFallbackPost returns the number of partitions of a WindowPoSt
// of so many sectors, at least one. It needs no engine.
func GetNumPartitionForFallbackPost(proofType abi.RegisteredPoStProof, numSectors uint) (uint, error) {
	return ffi.GetNumPartitionForFallbackPost(proofType, numSectors)
}

// GenerateWinningPoStWithVanilla returns one WinningPoSt, of the one sector whose
// vanilla proof is in proofs.
func GenerateWinningPoStWithVanilla(
	proofType abi.RegisteredPoStProof, minerID abi.ActorID, randomness abi.PoStRandomness, proofs [][]byte,
) ([]proof.PoStProof, error) {
	return on(func(f ffi.FFI) ([]proof.PoStProof, error) {
		made, err := f.GenerateWinningPoStWithVanilla(ffi.RegisteredPoStProof(proofType), ffi.ActorID(minerID), randomness, proofs)
		if err != nil {
			return nil, err
		}
		return theirs(made), nil
	})
}

// GenerateWindowPoStWithVanilla returns one WindowPoSt of all sectors, whose
// vanilla proofs come in ascending sector number without repetition.
func GenerateWindowPoStWithVanilla(
	proofType abi.RegisteredPoStProof, minerID abi.ActorID, randomness abi.PoStRandomness, proofs [][]byte,
) ([]proof.PoStProof, error) {
	return on(func(f ffi.FFI) ([]proof.PoStProof, error) {
		made, err := f.GenerateWindowPoStWithVanilla(ffi.RegisteredPoStProof(proofType), ffi.ActorID(minerID), randomness, proofs)
		if err != nil {
			return nil, err
		}
		return theirs(made), nil
	})
}

// GenerateSinglePartitionWindowPoStWithVanilla proves one partition of a
// WindowPoSt; proofs are the vanilla proofs of its sectors only.
func GenerateSinglePartitionWindowPoStWithVanilla(
	proofType abi.RegisteredPoStProof, minerID abi.ActorID, randomness abi.PoStRandomness, proofs [][]byte, partitionIndex uint,
) (*PartitionProof, error) {
	return on(func(f ffi.FFI) (*PartitionProof, error) {
		made, err := f.GenerateSinglePartitionWindowPoStWithVanilla(
			ffi.RegisteredPoStProof(proofType), ffi.ActorID(minerID), randomness, proofs, partitionIndex)
		if err != nil {
			return nil, err
		}
		return &PartitionProof{PoStProof: abi.RegisteredPoStProof(made.PoStProof), ProofBytes: made.ProofBytes}, nil
	})
}

// MergeWindowPoStPartitionProofs joins the proofs of the partitions of a
// WindowPoSt, in order and without looking into them. It needs no engine.
func MergeWindowPoStPartitionProofs(proofType abi.RegisteredPoStProof, partitionProofs []PartitionProof) (*proof.PoStProof, error) {
	parts := make([]ffi.PartitionProof, len(partitionProofs))
	for i, p := range partitionProofs {
		parts[i] = ffi.PartitionProof{PoStProof: ffi.RegisteredPoStProof(p.PoStProof), ProofBytes: p.ProofBytes}
	}
	merged, err := ffi.MergeWindowPoStPartitionProofs(proofType, parts)
	if err != nil {
		return nil, err
	}
	return &proof.PoStProof{PoStProof: abi.RegisteredPoStProof(merged.PoStProof), ProofBytes: merged.ProofBytes}, nil
}

// VerifyWinningPoSt reports whether a WinningPoSt holds.
func VerifyWinningPoSt(info proof.WinningPoStVerifyInfo) (bool, error) {
	known, err := postInfo(info.Randomness, info.Proofs, info.ChallengedSectors, info.Prover)
	if err != nil {
		return false, err
	}
	return on(func(f ffi.FFI) (bool, error) { return f.VerifyWinningPoSt(ffi.WinningPoStVerifyInfo(known)) })
}

// VerifyWindowPoSt reports whether a WindowPoSt holds.
func VerifyWindowPoSt(info proof.WindowPoStVerifyInfo) (bool, error) {
	known, err := postInfo(info.Randomness, info.Proofs, info.ChallengedSectors, info.Prover)
	if err != nil {
		return false, err
	}
	return on(func(f ffi.FFI) (bool, error) { return f.VerifyWindowPoSt(known) })
}

func postInfo(
	randomness abi.PoStRandomness, proofs []proof.PoStProof, sectors []proof.SectorInfo, prover abi.ActorID,
) (known ffi.WindowPoStVerifyInfo, err error) {
	known = ffi.WindowPoStVerifyInfo{Randomness: randomness, Proofs: ours(proofs)}
	if known.Prover, err = toActorID(prover); err != nil {
		return known, err
	}
	known.ChallengedSectors = make([]ffi.SectorInfo, len(sectors))
	for i, s := range sectors {
		sealed, err := toCommR("SealedCID", s.SealedCID)
		if err != nil {
			return known, err
		}
		known.ChallengedSectors[i] = ffi.SectorInfo{
			SealProof: ffi.RegisteredSealProof(s.SealProof), SectorNumber: ffi.SectorNumber(s.SectorNumber), SealedCID: sealed,
		}
	}
	return known, nil
}
