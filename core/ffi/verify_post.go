package ffi

import (
	"bytes"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// VerifyWinningPoSt reports whether a WinningPoSt holds.
func VerifyWinningPoSt(info WinningPoStVerifyInfo) (bool, error) {
	return with(func(f FFI) (bool, error) { return f.VerifyWinningPoSt(info) })
}

// VerifyWindowPoSt reports whether a WindowPoSt holds.
func VerifyWindowPoSt(info WindowPoStVerifyInfo) (bool, error) {
	return with(func(f FFI) (bool, error) { return f.VerifyWindowPoSt(info) })
}

// VerifyWinningPoSt is the package function of that name. The sector's seal
// proof says which WinningPoSt it is, as in filecoin-ffi; the numbers of the
// proofs must be known and are otherwise not looked at.
func (f FFI) VerifyWinningPoSt(info WinningPoStVerifyInfo) (bool, error) {
	if len(info.ChallengedSectors) == 0 {
		return false, argument("ChallengedSectors", "no sectors to verify")
	}
	var proofs [][]byte
	for i, p := range info.Proofs {
		if p.PoStProof < 0 || p.PoStProof >= postProofs {
			return false, argument("Proofs", "Proofs[%d]: unknown registered PoSt proof %d", i, p.PoStProof)
		}
		proofs = append(proofs, p.ProofBytes)
	}
	winning, err := winningProof(info.ChallengedSectors)
	if err != nil {
		return false, err
	}
	return f.verifyPoSt(cuzk.KindWinningPoSt, winning, WindowPoStVerifyInfo(info), bytes.Join(proofs, nil))
}

// VerifyWindowPoSt is the package function of that name. The proof says which
// WindowPoSt it is.
func (f FFI) VerifyWindowPoSt(info WindowPoStVerifyInfo) (bool, error) {
	if len(info.Proofs) != 1 {
		return false, argument("Proofs", "%d proofs, want one: that of all partitions", len(info.Proofs))
	}
	return f.verifyPoSt(cuzk.KindWindowPoSt, info.Proofs[0].PoStProof, info, info.Proofs[0].ProofBytes)
}

func (f FFI) verifyPoSt(kind cuzk.Kind, proofType RegisteredPoStProof, info WindowPoStVerifyInfo, proof []byte) (bool, error) {
	known := cuzk.PoStInfo{RegisteredProof: int(proofType)}
	err := cuzk.CheckPoStKind(known.RegisteredProof, kind)
	if err != nil {
		return false, err
	}
	if known.ProverID, err = proverID(info.Prover); err != nil {
		return false, err
	}
	if known.Randomness, err = randomness32("Randomness", info.Randomness); err != nil {
		return false, err
	}
	for _, s := range info.ChallengedSectors {
		commR, err := CommR(s.SealedCID)
		if err != nil {
			return false, err
		}
		known.Sectors = append(known.Sectors, cuzk.PoStSector{Number: uint64(s.SectorNumber), CommR: commR})
	}
	return f.Engine.VerifyPoSt(background(), known, proof)
}

// How many registered proofs there are; winning proofs are numbered by size
// alone, seal proofs by version and then by size.
const (
	sizes      = 5
	sealProofs = 4 * sizes
	postProofs = 3 * sizes
)

// winningProof returns the WinningPoSt of the sectors' size. Of a sector that
// repeats the last entry counts.
func winningProof(sectors []SectorInfo) (RegisteredPoStProof, error) {
	size := map[SectorNumber]RegisteredSealProof{}
	for _, s := range sectors {
		if s.SealProof < 0 || s.SealProof >= sealProofs {
			return 0, argument("SealProof", "unknown registered seal proof %d", s.SealProof)
		}
		size[s.SectorNumber] = s.SealProof % sizes
	}
	if len(size) != 1 {
		return 0, argument("ChallengedSectors", "%d sectors for a WinningPoSt, want the one that won", len(size))
	}
	return RegisteredPoStProof(size[sectors[0].SectorNumber]), nil
}
