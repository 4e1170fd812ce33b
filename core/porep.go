package cuzk

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/engine"
	"github.com/libcuzk/libcuzk/core/internal/verification"
)

// PoRep is a request for a seal proof (commit phase 2).
type PoRep struct {
	// C1 is the commit-phase-1 output: the JSON of seal_commit_phase1, raw or
	// in the wrapper {"SectorNum":…,"Phase1Out":…,"SectorSize":…}.
	C1 []byte

	SectorNumber uint64
	ProverID     [32]byte // the miner's actor id as unsigned LEB128, then zeros

	// CircuitProofs asks for the concatenated proofs of all partitions, which is
	// what every interactive proof is. A non-interactive one is otherwise their
	// SnarkPack aggregate, which the network takes. With it, a ProverID
	// of zeros says that the prover is not known: then C1 is checked against
	// itself alone, and SectorNumber is not looked at.
	CircuitProofs bool

	// Job says how urgent the job is, and until when it is of use.
	Job JobOptions
}

func (r PoRep) submit(ctx context.Context, e *engine.Engine, wait bool) (*Job, error) {
	return e.SubmitPoRep(ctx, engine.PoRep{
		C1: r.C1, SectorNumber: r.SectorNumber, ProverID: r.ProverID, CircuitProofs: r.CircuitProofs, Options: r.Job.options(wait)})
}

// ProvePoRep returns the seal proof of a commit-phase-1 output: 192 bytes per
// partition, or of a non-interactive sector the aggregate of its partitions, for which
// the SRS of aggregation is needed too. Everything in c1 is checked against sectorNumber, proverID and
// itself before proving starts: codes InputSyntax, InputValue, InputMismatch,
// Unsupported. Missing or damaged parameters have the codes SRS….
func (e *Engine) ProvePoRep(ctx context.Context, c1 []byte, sectorNumber uint64, proverID [32]byte) ([]byte, error) {
	return e.Run(ctx, PoRep{C1: c1, SectorNumber: sectorNumber, ProverID: proverID})
}

// PoRepInfo is what the chain knows of a sealed sector.
type PoRepInfo struct {
	RegisteredProof int // the network's number of the seal proof, 0 to 19
	SectorNumber    uint64
	ProverID        [32]byte
	CommR, CommD    [32]byte
	Ticket, Seed    [32]byte
	CircuitProofs   bool // of a non-interactive proof: the concatenated proofs of all partitions
}

// VerifyPoRep reports whether proof holds, with the verifying key in
// ParamsDir. Bytes that are no proof at all are an error of code
// ProofMalformed, commitments that are no field elements one of InputValue.
func (e *Engine) VerifyPoRep(ctx context.Context, info PoRepInfo, proof []byte) (bool, error) {
	return guarded(func() (bool, error) { return e.engine.Verifier().PoRep(ctx, verification.PoRepInfo(info), proof) })
}
