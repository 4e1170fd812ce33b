package engine

import (
	"context"
	"sync"

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
		wrong := sync.OnceValue(func() error {
			return eachPartition(ctx, e.config.Threads, len(partitions), func(k int) error { return partitions[k].CheckPaths() })
		})
		return e.pipeline.Prove(ctx, j, s, func(c *r1cs.Circuit, k int, _ bool) (*r1cs.Witness, error) {
			w, err := update.Solve(ctx, c, s, k, partitions[k])
			return w, unsolvable(k, err, wrong)
		})
	})
}

// readUpdate parses all partitions and checks them against the commitments. Its error
// names every partition that is wrong.
func (e *Engine) readUpdate(ctx context.Context, j *pipeline.Task, s *filecoin.UpdateStatement, data [][]byte) ([]*vanilla.UpdatePartition, error) {
	j.Stage("parse", int64(len(data)))
	if len(data) != s.Partitions() {
		return nil, status.New(status.InputValue, "partitions", "%d partitions, %s has %d", len(data), s.Proof.Name(), s.Partitions())
	}
	out := make([]*vanilla.UpdatePartition, len(data))
	err := eachPartition(ctx, e.config.Threads, len(data), func(k int) (err error) {
		out[k], err = vanilla.ParseUpdatePartition(data[k], s.Proof)
		return err
	})
	if err != nil {
		return nil, err
	}
	j.Stage("check", int64(len(data)))
	return out, eachPartition(ctx, e.config.Threads, len(data), func(k int) error {
		defer j.Step(1)
		return out[k].Check(s, k)
	})
}

// eachPartition calls fn for all partitions and returns what is wrong with any of them.
func eachPartition(ctx context.Context, threads, n int, fn func(k int) error) error {
	errs := make([]error, n)
	err := spawn.Each(ctx, threads, n, func(k int) error {
		errs[k] = verification.InPartition(k, fn(k))
		return nil
	})
	if err != nil {
		return status.Classify(err)
	}
	return status.Several("partitions", n, errs)
}
