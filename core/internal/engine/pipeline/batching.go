package pipeline

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/engine/batch"
	"github.com/libcuzk/libcuzk/core/internal/engine/logging"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
)

// newCollector lets jobs of one circuit start together. Its batches have no result:
// when they start, the partitions of all members are in flight at the same time, and
// one pass of the parameters serves them all.
func (p *Pipeline) newCollector() *batch.Collector[uint64, struct{}] {
	return batch.New(p.Batch, func(_ context.Context, circuit string, jobs []uint64) []batch.Outcome[struct{}] {
		p.Counters.Batches.Add(1)
		p.Counters.Batched.Add(float64(len(jobs)))
		if len(jobs) > 1 {
			p.Logger.Log(logging.Debug, "jobs %v of %s go together", jobs, circuit)
		}
		return make([]batch.Outcome[struct{}], len(jobs))
	})
}

// joinBatch lets a job wait for others of its circuit while that pays.
func (r *proof) joinBatch(ctx context.Context) error {
	defer r.Time("gather")()
	_, err := r.batches.Do(ctx, r.name, r.Job(), func() bool { return r.facts().Pays() })
	return err
}

// facts are what decides whether waiting pays. Where parameters have never been
// loaded, nothing is known that would make it pay.
func (r *proof) facts() batch.Facts {
	f := batch.Facts{Loaded: true, Idle: r.Workers.anyIdle()}
	f.PoSt = r.Kind() == filecoin.WinningPoSt.String() || r.Kind() == filecoin.WindowPoSt.String()
	for _, w := range r.Workers.All {
		if c, ok := r.Params.Peek(r.name, w.Place); ok && w.Usable() == nil && c.(Copy).Streams() {
			f.Loaded = false
		}
	}
	return f
}
