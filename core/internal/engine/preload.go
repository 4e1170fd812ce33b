package engine

import (
	"context"
	"sync"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Preload brings the parameters of a circuit to where they will be used: checked
// and mapped for the CPU, or onto every device that can be used, side by side. It
// fails if no site can have them; a site that cannot is logged. progress may be
// nil; it is told bytes.
func (e *Engine) Preload(ctx context.Context, kind string, sectorSize uint64, progress func(stage string, done, total int64)) error {
	if kind == aggregateKind {
		return e.preloadPack(ctx, sectorSize, progress)
	}
	shape, err := shapeOf(kind, sectorSize)
	if err != nil {
		return err
	}
	return e.preload(ctx, e.store.Name(shape), progress)
}

func (e *Engine) preload(ctx context.Context, name string, progress func(stage string, done, total int64)) error {
	w := srs.Want{Name: name, Task: sched.Task{Priority: sched.Low, Since: time.Now()}}
	if progress != nil {
		var mu sync.Mutex // the host's function is called one at a time
		w.Progress = func(p srs.Progress) {
			mu.Lock()
			defer mu.Unlock()
			progress(p.Stage, p.Done, p.Total)
		}
	}
	if _, err := e.store.Identify(ctx, name); err != nil {
		return err
	}
	failures := make([]error, len(e.pipeline.Workers.All))
	err := spawn.Each(ctx, len(failures), len(failures), func(i int) error {
		worker, w := e.pipeline.Workers.All[i], w
		w.Places = []srs.Place{worker.Place}
		if failures[i] = worker.Usable(); failures[i] == nil {
			failures[i] = e.store.Preload(ctx, w)
		}
		return nil
	})
	if err != nil {
		return status.Classify(err)
	}
	return e.preloaded(name, failures)
}

// preloaded returns nil if a site has the parameters, else the first failure.
func (e *Engine) preloaded(name string, failures []error) (first error) {
	good := false
	for i, err := range failures {
		switch {
		case err == nil:
			good = true
		case first == nil:
			first = err
			fallthrough
		default:
			e.logger().Log(Warn, "%s: parameters %s are not preloaded: %v", e.pipeline.Workers.All[i].Name, name, err)
		}
	}
	if good {
		return nil
	}
	return first
}

// Load asks for the parameters of a kind of proof to be preloaded.
type Load struct {
	Kind       string
	SectorSize uint64
	Options    JobOptions
}

// SubmitLoad starts a job that does what Preload does; its result is empty.
func (e *Engine) SubmitLoad(ctx context.Context, r Load) (*Job, error) {
	if r.Kind != aggregateKind {
		if _, err := shapeOf(r.Kind, r.SectorSize); err != nil {
			return nil, err
		}
	}
	q := request{kind: "load", options: r.Options, rest: []any{r.Kind, r.SectorSize}}
	return e.submit(ctx, q, func(ctx context.Context, j *pipeline.Task) ([]byte, error) {
		stage := ""
		return nil, e.Preload(ctx, r.Kind, r.SectorSize, func(now string, done, total int64) {
			if now != stage {
				stage = now
				j.Stage(stage, total)
			}
			j.Advance(done, total)
		})
	})
}
