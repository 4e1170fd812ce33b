package engine

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/engine/batch"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
)

// gatherer lets jobs of one circuit go on together. Its batches have no result of
// their own: from where they leave, the partitions of all members are in flight
// at the same time, and one pass of the parameters serves them all.
type gatherer = batch.Collector[uint64, struct{}]

func (e *Engine) newGatherer() *gatherer {
	o := batch.Options{MaxSize: max(e.config.BatchSize, 1), MaxWait: e.config.BatchWait}
	return batch.New(o, func(_ context.Context, circuit string, jobs []uint64) []batch.Outcome[struct{}] {
		e.meters.batches.Add(1)
		e.meters.batched.Add(float64(len(jobs)))
		if len(jobs) > 1 {
			e.log(Debug, "jobs %v of %s go together", jobs, circuit)
		}
		return make([]batch.Outcome[struct{}], len(jobs))
	})
}

// gather lets a job wait for others of its circuit while that pays.
func (r *run) gather(ctx context.Context) error {
	defer r.Time("gather")()
	_, err := r.engine.gatherer.Do(ctx, r.name, r.Job(), func() bool { return r.engine.facts(r).Pays() })
	return err
}

// facts are what waiting depends on. Where parameters have never been loaded,
// nothing is known that would make it pay.
func (e *Engine) facts(r *run) batch.Facts {
	f := batch.Facts{Resident: true, Idle: e.sites.idle()}
	f.PoSt = r.Kind() == filecoin.WinningPoSt.String() || r.Kind() == filecoin.WindowPoSt.String()
	for _, s := range e.sites.all {
		if c, ok := e.params.Peek(r.name, s.place); ok && s.usable() == nil && c.(*prover).streams() {
			f.Resident = false
		}
	}
	return f
}
