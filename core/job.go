package cuzk

import (
	"context"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine"
)

// JobOptions are what every request may say of its job. The zero value asks for
// nothing special.
type JobOptions struct {
	// Priority is "critical", "high", "normal" or "low"; "": critical for
	// WinningPoSt, high for WindowPoSt, low for parameters, fixtures and
	// measurements, else normal.
	Priority string

	// Key is an idempotency key: as long as a job with it is under way or
	// remembered as done, a request with the same input gives that job, and one
	// with other input fails with code Conflict.
	Key string

	// Deadline is when the result is of no use any more. A job that cannot be
	// done by then fails with code Deadline as soon as that is known.
	Deadline time.Time

	// Wait makes Submit wait, in the order of priorities, while the inputs of
	// waiting jobs leave no room for this one; without it Submit fails then with
	// code Busy. Run always waits.
	Wait bool

	// WitnessOnly ends a proof once its input has been checked and every
	// partition solved, with an empty result. It needs no parameters.
	WitnessOnly bool
}

// options returns the options of a job as the engine takes them; wait as in Wait.
func (o JobOptions) options(wait bool) engine.JobOptions {
	return engine.JobOptions{Priority: o.Priority, Key: o.Key, Deadline: o.Deadline, Wait: o.Wait || wait, WitnessOnly: o.WitnessOnly}
}

// Request is what a job does: PoRep, PoSt, Update, Aggregate, Params, Load, Fixture
// or Measure.
type Request interface {
	submit(ctx context.Context, e *engine.Engine, wait bool) (*Job, error)
}

// Job is work that an engine does. Its methods are
//
//	Size(ctx) (int, error)      // bytes of the result, as soon as they are known; or failure
//	Wait(ctx) ([]byte, error)   // result or failure; code Timeout if ctx ends first: the job goes on
//	Result() ([]byte, error)    // the same at once; code Busy while the job runs
//	Done() <-chan struct{}      // closed when the job has ended
//	Stopped() <-chan struct{}   // closed when nothing of it runs any more, right after that
//	Cancel() bool               // asks it to stop, and returns at once; false: it had ended
//	Report() Report             // a snapshot: state, progress, times of stages
//
// all safe for concurrent use.
type Job = engine.Job

// Report is a snapshot of a job: Kind, State, Progress, Stages, Err. Its JSON
// method renders it.
type Report = engine.Report

// Progress is how far the current stage of a job is: Stage, Done, Total (0:
// unknown), in units of the stage.
type Progress = engine.Progress
