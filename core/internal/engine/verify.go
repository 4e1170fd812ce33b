package engine

import (
	"context"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// PoRepInfo is what the chain knows of a sealed sector.
type PoRepInfo struct {
	RegisteredProof int
	SectorNumber    uint64
	ProverID        [32]byte
	CommR, CommD    [32]byte
	Ticket, Seed    [32]byte
	CircuitProofs   bool // non-interactive: the proofs of all partitions, un-aggregated
}

// VerifyPoRep reports whether proof is a valid seal proof of the sector.
func (e *Engine) VerifyPoRep(ctx context.Context, info PoRepInfo, proof []byte) (bool, error) {
	registered, err := filecoin.NewSealProof(int64(info.RegisteredProof))
	if err != nil {
		return false, err
	}
	seal := filecoin.Seal{Proof: registered, ProverID: info.ProverID, SectorNumber: info.SectorNumber,
		CommD: info.CommD, CommR: info.CommR, Ticket: info.Ticket, Seed: info.Seed}
	if registered.Feature() == filecoin.NonInteractive && !info.CircuitProofs {
		return e.verifyNonInteractive(ctx, &seal, proof)
	}
	statement := seal.Statement()
	if err := statement.CheckVerifiable(); err != nil {
		return false, err
	}
	err = e.check(ctx, statement, proof)
	if status.CodeOf(err) == status.ProofInvalid {
		return false, nil
	}
	return err == nil, err
}

// check verifies the concatenated proofs of all partitions against what the
// chain knows. A proof that does not hold is an error of code ProofInvalid.
func (e *Engine) check(ctx context.Context, s filecoin.Statement, proof []byte) error {
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
	v, err := e.verifier(ctx, s.Shape())
	if err != nil {
		return err
	}
	return v.CheckBatch(proofs, inputs)
}
