package verification

import (
	"cmp"
	"context"
	"slices"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// PoStInfo is what the chain knows of a PoSt.
type PoStInfo struct {
	RegisteredProof int
	Randomness      [32]byte
	ProverID        [32]byte // not part of the statement; must be canonical
	Sectors         []PoStSector
	Single          bool // WindowPoSt: the proof is of one partition, whose sectors these are …
	Partition       int  // … and this is its index
}

// PoStSector is a sector of a PoSt.
type PoStSector struct {
	Number uint64
	CommR  [32]byte
}

// PoSt reports whether proof is a valid PoSt of the sectors, in any
// order: like the published verifier it takes them by ascending number, and of
// one that is there several times the last.
func (v *Verifier) PoSt(ctx context.Context, info PoStInfo, proof []byte) (bool, error) {
	registered, err := filecoin.NewPoStProof(int64(info.RegisteredProof))
	if err != nil {
		return false, err
	}
	if err := CheckProverID(info.ProverID); err != nil {
		return false, err
	}
	randomness, err := CanonicalRandomness(info.Randomness)
	if err != nil {
		return false, err
	}
	public, err := sectorSet(info.Sectors)
	if err != nil {
		return false, err
	}
	s, err := NewPoSt(registered, randomness, public, info.Single, info.Partition)
	if err != nil {
		return false, err
	}
	return Holds(v.Check(ctx, s, proof))
}

// sectorSet sorts sectors by number. The chain hands in a good sector once more
// for each one that was skipped; the published verifier's map has it once, with
// what came last. A comm_r of zeros is an error (filecoin-proofs
// public_replica_info.rs:30).
func sectorSet(sectors []PoStSector) ([]filecoin.PoStSector, error) {
	set := make([]filecoin.PoStSector, len(sectors))
	for i, s := range sectors {
		set[i] = filecoin.PoStSector(s)
	}
	slices.SortStableFunc(set, func(a, b filecoin.PoStSector) int { return cmp.Compare(a.Number, b.Number) })
	last := set[:0]
	for i, s := range set {
		if i+1 < len(set) && set[i+1].Number == s.Number {
			continue
		}
		if s.CommR == (filecoin.Node{}) {
			return nil, status.New(status.InputValue, "sectors", "comm_r of sector %d is zero", s.Number)
		}
		last = append(last, s)
	}
	return last, nil
}

// Holds turns a failed check into false and leaves other errors alone.
func Holds(err error) (bool, error) {
	if status.CodeOf(err) == status.ProofInvalid {
		return false, nil
	}
	return err == nil, err
}

// MergePartitions concatenates the proofs of a WindowPoSt's partitions, in
// order, after checking that each is one proof (filecoin-proofs
// post_util.rs:342).
func MergePartitions(registeredProof int, parts [][]byte) ([]byte, error) {
	registered, err := filecoin.NewPoStProof(int64(registeredProof))
	if err != nil {
		return nil, err
	}
	if registered.Kind() != filecoin.WindowPoSt {
		return nil, status.New(status.Argument, "registered_proof", "%s has no partitions to merge", registered.Name())
	}
	if len(parts) == 0 {
		return nil, status.New(status.InputValue, "partitions", "no partition proofs to merge")
	}
	var out []byte
	for k, part := range parts {
		if len(part) != verify.ProofSize {
			return nil, status.New(status.ProofMalformed, "partitions", "partitions[%d]: %d bytes, want %d", k, len(part), verify.ProofSize)
		}
		if _, err := verify.DecodeProofs(part); err != nil {
			return nil, InPartition(k, err)
		}
		out = append(out, part...)
	}
	return out, nil
}
