package engine

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/circuit/update"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/vanilla"
	"github.com/libcuzk/libcuzk/core/internal/verification"
)

// Update asks for the proof of a sector update (SnapDeals).
type Update struct {
	RegisteredProof              int
	CommROld, CommRNew, CommDNew [32]byte
	Vanilla                      [][]byte // one for each partition
	Options                      JobOptions
}

// SubmitUpdate starts a job that proves; what r points to must not change until
// it has ended.
func (e *Engine) SubmitUpdate(ctx context.Context, r Update) (*Job, error) {
	proof, err := filecoin.NewUpdateProof(int64(r.RegisteredProof))
	if err != nil {
		return nil, err
	}
	q := request{kind: filecoin.Update.String(), options: r.Options, input: r.Vanilla,
		rest: []any{r.RegisteredProof, r.CommROld, r.CommRNew, r.CommDNew}}
	return e.submit(ctx, q, func(ctx context.Context, j *pipeline.Task) ([]byte, error) {
		s := &filecoin.UpdateStatement{Proof: proof, CommROld: r.CommROld, CommRNew: r.CommRNew, CommDNew: r.CommDNew}
		partitions, err := e.readUpdate(ctx, j, s, r.Vanilla)
		if err != nil {
			return nil, err
		}
		return e.pipeline.Prove(ctx, j, s, func(c *r1cs.Circuit, k int, _ bool) (*r1cs.Witness, error) {
			w, err := update.Solve(ctx, c, s, k, partitions[k])
			return w, unsolvable(err)
		})
	})
}

// readUpdate parses all partitions and checks them against the commitments.
func (e *Engine) readUpdate(ctx context.Context, j *pipeline.Task, s *filecoin.UpdateStatement, data [][]byte) ([]*vanilla.UpdatePartition, error) {
	j.Stage("parse", int64(len(data)))
	out, err := parseUpdate(s, data)
	if err != nil {
		return nil, err
	}
	j.Stage("check", int64(len(data)))
	return out, checkUpdate(ctx, s, out, e.config.Threads, j.Step)
}

// parseUpdate parses all partitions.
func parseUpdate(s *filecoin.UpdateStatement, data [][]byte) ([]*vanilla.UpdatePartition, error) {
	if len(data) != s.Partitions() {
		return nil, status.New(status.InputValue, "partitions", "%d partitions, %s has %d", len(data), s.Proof.Name(), s.Partitions())
	}
	out := make([]*vanilla.UpdatePartition, len(data))
	for k := range data {
		p, err := vanilla.ParseUpdatePartition(data[k], s.Proof)
		if err != nil {
			return nil, verification.InPartition(k, err)
		}
		out[k] = p
	}
	return out, nil
}

// checkUpdate checks all partitions against the commitments on so many threads;
// step is called with 1 after each.
func checkUpdate(ctx context.Context, s *filecoin.UpdateStatement, partitions []*vanilla.UpdatePartition, threads int, step func(int64)) error {
	return status.Classify(spawn.Each(ctx, threads, len(partitions), func(k int) error {
		if err := partitions[k].Check(s, k); err != nil {
			return verification.InPartition(k, err)
		}
		step(1)
		return nil
	}))
}
