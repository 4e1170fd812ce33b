package engine

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/circuit/porep"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/vanilla"
)

// PoRep asks for a seal proof (commit phase 2).
type PoRep struct {
	C1            []byte // commit-phase-1 output, JSON
	SectorNumber  uint64
	ProverID      [32]byte
	CircuitProofs bool // non-interactive: the proofs of all partitions, un-aggregated
	Options       JobOptions
}

// SubmitPoRep starts a job that proves; C1 must not change until it has ended.
func (e *Engine) SubmitPoRep(ctx context.Context, r PoRep) (*Job, error) {
	q := request{kind: filecoin.PoRep.String(), options: r.Options, input: [][]byte{r.C1},
		rest: []any{r.SectorNumber, r.ProverID, r.CircuitProofs}}
	return e.submit(ctx, q, func(ctx context.Context, j *pipeline.Task) ([]byte, error) {
		c1, err := e.readC1(ctx, j, r)
		if err != nil {
			return nil, err
		}
		solve := func(c *r1cs.Circuit, k int, _ bool) (*r1cs.Witness, error) {
			w, err := porep.Solve(ctx, c, c1, k)
			return w, status.Annotate(err, "vanilla_proofs[%d]", k)
		}
		if c1.Proof.Feature() == filecoin.NonInteractive && !r.CircuitProofs {
			return e.proveNonInteractive(ctx, j, c1.Seal(r.ProverID, r.SectorNumber), c1.Statement(), solve)
		}
		return e.pipeline.Prove(ctx, j, c1.Statement(), solve)
	})
}

// readC1 parses the input and checks it against the request and itself.
func (e *Engine) readC1(ctx context.Context, j *pipeline.Task, r PoRep) (*vanilla.C1, error) {
	j.Stage("parse", 0)
	c1, err := vanilla.ParseC1(r.C1)
	if err != nil {
		return nil, err
	}
	j.Stage("check", 0)
	return c1, c1.Check(ctx, r.seal(c1), e.config.Threads)
}

// seal is the sector that the input must belong to, nil if that is not known:
// seal_commit_phase2_circuit_proofs is not told the prover (filecoin-proofs-api
// seal.rs), and no miner has the number 0.
func (r PoRep) seal(c1 *vanilla.C1) *filecoin.Seal {
	if r.CircuitProofs && r.ProverID == [32]byte{} {
		return nil
	}
	return c1.Seal(r.ProverID, r.SectorNumber)
}
