package cuzk

import (
	"context"
	"io"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// Terms are what a request may ask for beside its result: Priority ("critical",
// "high", "normal", "low"; "": by kind), Key (idempotency), Deadline, Wait (for
// room for the input, as Run does), and WitnessOnly, which checks and solves the
// input and proves nothing: a trial that needs no parameters, with an empty
// result. The zero value asks for nothing special.
type Terms = engine.Terms

// Status is a snapshot of an engine: version, backend, devices, jobs in each
// state, queues, memory by purpose, parameters by tier. Its JSON method renders
// it.
type Status = engine.Status

// Status returns a snapshot.
func (e *Engine) Status() Status {
	s := e.engine.Status()
	s.Version = Version
	return s
}

// Jobs returns snapshots of the last jobs that ended and of those under way.
func (e *Engine) Jobs() []Report { return e.engine.Jobs() }

// Job finds a job by the ID in its report, while it is under way or remembered.
func (e *Engine) Job(id uint64) (*Job, bool) { return e.engine.Job(id) }

// WriteMetrics writes all metrics in the Prometheus text format.
func (e *Engine) WriteMetrics(w io.Writer) error { return e.engine.WriteMetrics(w) }

// WriteTrace writes the last events of all jobs in the Chrome trace format, for
// chrome://tracing and Perfetto.
func (e *Engine) WriteTrace(w io.Writer) error { return e.engine.WriteTrace(w) }

// Idle returns how long the prover was busy between two moments, and how long it
// was not although a solved partition waited for it.
func (e *Engine) Idle(from, to time.Time) (busy, wanted time.Duration) {
	idle := e.engine.Idle(from, to)
	return idle.Busy, idle.Wanted
}

// Preload brings the parameters of a kind of proof to where they are used, so that
// the first job need not: checked and mapped, and onto every device. progress may be nil; it is told a stage ("verify", "load") and
// bytes.
func (e *Engine) Preload(ctx context.Context, kind Kind, sectorSize uint64, progress func(stage string, done, total int64)) error {
	return spawn.Guard(func() error { return e.engine.Preload(ctx, string(kind), sectorSize, progress) })
}

// Evict lets go of the parameters of a kind, of all with "", and returns the
// bytes of memory that this freed. It is refused with code Busy while they are
// in use.
func (e *Engine) Evict(kind Kind, sectorSize uint64) (int64, error) {
	return guarded(func() (int64, error) { return e.engine.Evict(string(kind), sectorSize) })
}

// Drain accepts no more jobs and waits until those under way have ended, or ctx
// has. Close ends the engine afterwards.
func (e *Engine) Drain(ctx context.Context) error {
	return spawn.Guard(func() error { return e.engine.Drain(ctx) })
}

// Load is a request that does what Preload does, as a job; its result is empty.
type Load struct {
	Kind       Kind
	SectorSize uint64 // bytes
	Terms      Terms
}

func (r Load) submit(ctx context.Context, e *engine.Engine, wait bool) (*Job, error) {
	r.Terms.Wait = r.Terms.Wait || wait
	return e.SubmitLoad(ctx, engine.Load{Kind: string(r.Kind), SectorSize: r.SectorSize, Terms: r.Terms})
}
