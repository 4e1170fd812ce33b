package ffi

import (
	"encoding/binary"
	"fmt"
	"math"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// The numbers of go-state-types' abi package.
type (
	RegisteredSealProof int64

	RegisteredAggregationProof int64
	RegisteredPoStProof        int64
	RegisteredUpdateProof      int64
	SectorNumber               uint64
	ActorID                    uint64
)

// SectorID names a sector of the network.
type SectorID struct {
	Miner  ActorID
	Number SectorNumber
}

// SectorInfo is a sector of a PoSt that is verified.
type SectorInfo struct {
	SealProof    RegisteredSealProof
	SectorNumber SectorNumber
	SealedCID    CID
}

// PoStProof is a PoSt: the proofs of all partitions, 192 bytes each.
type PoStProof struct {
	PoStProof  RegisteredPoStProof
	ProofBytes []byte
}

// PartitionProof is the proof of one partition of a WindowPoSt.
type PartitionProof PoStProof

// FallbackChallenges are the challenged nodes of sectors, which are in
// ascending order without repetition.
type FallbackChallenges struct {
	Sectors    []SectorNumber
	Challenges map[SectorNumber][]uint64
}

// SealVerifyInfo is a seal proof and what the chain knows of the sector.
type SealVerifyInfo struct {
	SealProof RegisteredSealProof
	SectorID
	Randomness            []byte // ticket, at most 32 bytes
	InteractiveRandomness []byte // seed, at most 32 bytes
	Proof                 []byte
	SealedCID             CID
	UnsealedCID           CID
}

// AggregateSealVerifyInfo is what the chain knows of one sector of an aggregate.
type AggregateSealVerifyInfo struct {
	Number                SectorNumber
	Randomness            []byte // ticket, at most 32 bytes
	InteractiveRandomness []byte // seed, at most 32 bytes
	SealedCID             CID
	UnsealedCID           CID
}

// AggregateSealVerifyProofAndInfos is an aggregate and what the chain knows of its
// sectors.
type AggregateSealVerifyProofAndInfos struct {
	Miner          ActorID
	SealProof      RegisteredSealProof
	AggregateProof RegisteredAggregationProof
	Proof          []byte
	Infos          []AggregateSealVerifyInfo
}

// WinningPoStVerifyInfo is a WinningPoSt and what the chain knows of it.
type WinningPoStVerifyInfo struct {
	Randomness        []byte // at most 32 bytes
	Proofs            []PoStProof
	ChallengedSectors []SectorInfo
	Prover            ActorID
}

// WindowPoStVerifyInfo is a WindowPoSt and what the chain knows of it. Sectors
// may come in any order, and repeat: then the last counts.
type WindowPoStVerifyInfo struct {
	Randomness        []byte // at most 32 bytes
	Proofs            []PoStProof
	ChallengedSectors []SectorInfo
	Prover            ActorID
}

// ReplicaUpdateInfo is a proof of a sector update and what the chain knows.
type ReplicaUpdateInfo struct {
	UpdateProofType      RegisteredUpdateProof
	OldSealedSectorCID   CID
	NewSealedSectorCID   CID
	NewUnsealedSectorCID CID
	Proof                []byte
}

// proverID is the payload of an actor's ID address: its number as unsigned
// LEB128, then zeros (filecoin-ffi proofs.go:918-925). Addresses hold 63 bits.
func proverID(miner ActorID) (id [32]byte, err error) {
	if miner > math.MaxInt64 {
		return id, argument("minerID", "miner %d: an actor's number has at most 63 bits", miner)
	}
	binary.PutUvarint(id[:], uint64(miner))
	return id, nil
}

// randomness32 copies randomness. Less than 32 bytes are followed by zeros, as
// filecoin-ffi does (cgo/helpers.go AsByteArray32); more are an error, where
// filecoin-ffi panics.
func randomness32(what string, b []byte) (r [32]byte, err error) {
	if len(b) > len(r) {
		return r, argument(what, "%s has %d bytes, want at most 32", what, len(b))
	}
	copy(r[:], b)
	return r, nil
}

func argument(detail, format string, args ...any) error {
	return failed(cuzk.Argument, detail, format, args...)
}

func failed(code cuzk.Code, detail, format string, args ...any) error {
	return &cuzk.Error{Code: code, Detail: detail, Message: fmt.Sprintf(format, args...)}
}
