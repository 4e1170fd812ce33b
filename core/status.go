package cuzk

import (
	"io"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine"
)

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
