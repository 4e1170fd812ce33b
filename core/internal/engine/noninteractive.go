package engine

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack"
)

// A non-interactive seal proof is the aggregate, always of version 2, of the circuit
// proofs of its one sector (filecoin-proofs api/seal.rs, seal_commit_phase2 and
// verify_seal).

// oneSeal makes the sector of such an aggregate.
func oneSeal(seal *filecoin.Seal) (*seals, error) {
	return newSeals(AggregateInfo{
		RegisteredProof: int(seal.Proof), Version: int(snarkpack.V2), ProverID: seal.ProverID,
		Sectors: []AggregateSector{{SectorNumber: seal.SectorNumber, CommR: seal.CommR, CommD: seal.CommD, Ticket: seal.Ticket, Seed: seal.Seed}},
	})
}

// proveNonInteractive makes the circuit proofs of a sector and aggregates them.
func (e *Engine) proveNonInteractive(ctx context.Context, t *pipeline.Task, seal *filecoin.Seal, statement filecoin.Statement, solve pipeline.Solver) ([]byte, error) {
	s, err := oneSeal(seal)
	if err != nil {
		return nil, err
	}
	n := snarkpack.Padded(s.count())
	t.Sized(snarkpack.Size(n))
	if !t.WitnessOnly {
		if err := e.canAggregate(ctx, n); err != nil { // before hours of proving
			return nil, err
		}
	}
	circuitProofs, err := e.pipeline.Prove(ctx, t, statement, solve)
	if err != nil || t.WitnessOnly {
		return nil, err
	}
	proofs, err := s.decode(ctx, [][]byte{circuitProofs}, e.config.Threads)
	if err != nil {
		return nil, err
	}
	return e.aggregate(ctx, t, s, proofs)
}

// verifyNonInteractive reports whether a non-interactive seal proof holds.
func (e *Engine) verifyNonInteractive(ctx context.Context, seal *filecoin.Seal, proof []byte) (bool, error) {
	s, err := oneSeal(seal)
	if err != nil {
		return false, err
	}
	return e.VerifyAggregate(ctx, AggregateClaim{AggregateInfo: s.AggregateInfo, Aggregate: proof})
}
