// Package verification answers whether Groth16 proofs of the four kinds hold, and
// what a PoSt challenges. It needs verifying keys, and neither parameters to prove
// with nor a queue: the engine uses it for proofs of callers and for its own.
package verification

import (
	"context"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/singleflight"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// Options say where verifying keys are and how they are checked.
type Options struct {
	ParamsDir   string // folder of .vk files
	CheckDigest bool   // compare each with its published digest
	Threads     int    // that check vanilla proofs, at least 1

	// NonInteractive verifies a non-interactive seal proof, which is an aggregate.
	NonInteractive func(ctx context.Context, seal *filecoin.Seal, proof []byte) (bool, error)
}

// Verifier verifies proofs. Use New; safe for concurrent use.
type Verifier struct {
	options Options
	keys    singleflight.Cache[keyFile, *key]
	files   keyFiles
}

// New returns a verifier. Nothing is read until a proof needs it.
func New(o Options) *Verifier { return &Verifier{options: o} }

// PoRepInfo is what the chain knows of a sealed sector.
type PoRepInfo struct {
	RegisteredProof int
	SectorNumber    uint64
	ProverID        [32]byte
	CommR, CommD    [32]byte
	Ticket, Seed    [32]byte
	CircuitProofs   bool // non-interactive: the proofs of all partitions, un-aggregated
}

// PoRep reports whether proof is a valid seal proof of the sector.
func (v *Verifier) PoRep(ctx context.Context, info PoRepInfo, proof []byte) (bool, error) {
	registered, err := filecoin.NewSealProof(int64(info.RegisteredProof))
	if err != nil {
		return false, err
	}
	seal := filecoin.Seal{Proof: registered, ProverID: info.ProverID, SectorNumber: info.SectorNumber,
		CommD: info.CommD, CommR: info.CommR, Ticket: info.Ticket, Seed: info.Seed}
	if registered.Feature() == filecoin.NonInteractive && !info.CircuitProofs {
		return v.options.NonInteractive(ctx, &seal, proof)
	}
	statement := seal.Statement()
	if err := statement.CheckVerifiable(); err != nil {
		return false, err
	}
	return Holds(v.Check(ctx, statement, proof))
}

// Check verifies the concatenated proofs of all partitions against what the
// chain knows. A proof that does not hold is an error of code ProofInvalid.
func (v *Verifier) Check(ctx context.Context, s filecoin.Statement, proof []byte) error {
	if want := s.Partitions() * verify.ProofSize; len(proof) != want {
		return status.New(status.ProofMalformed, "proof", "proof of %s has %d bytes, want %d", s.Shape(), len(proof), want)
	}
	proofs, err := verify.DecodeProofs(proof)
	if err != nil {
		return err
	}
	inputs := make([][]fr.Element, s.Partitions())
	for k := range inputs {
		if inputs[k], err = s.PublicInputs(k); err != nil {
			return err
		}
	}
	key, err := v.Key(ctx, s.Shape())
	if err != nil {
		return err
	}
	return key.CheckBatch(proofs, inputs)
}

// Failing returns which partitions of a proof do not hold, each by itself.
func (v *Verifier) Failing(ctx context.Context, s filecoin.Statement, proof []byte) (bad []int, err error) {
	key, err := v.Key(ctx, s.Shape())
	if err != nil {
		return nil, err
	}
	for k := range s.Partitions() {
		inputs, err := s.PublicInputs(k)
		if err != nil {
			return nil, err
		}
		proofs, err := verify.DecodeProofs(proof[k*verify.ProofSize : (k+1)*verify.ProofSize])
		if err == nil {
			err = key.Check(&proofs[0], inputs)
		}
		if err != nil {
			bad = append(bad, k)
		}
	}
	return bad, nil
}
