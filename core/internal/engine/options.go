package engine

import "time"

// JobOptions are what a submitter wants of a job beside its result. The zero value
// asks for nothing special.
type JobOptions struct {
	// Priority is "critical", "high", "normal" or "low"; "": critical for
	// WinningPoSt, high for WindowPoSt, low for parameters, fixtures and measurements, else normal.
	Priority string

	// Key makes submits idempotent: as long as a job with this key is under way
	// or remembered as done, a submit with the same input returns that job, and
	// one with other input fails with code status.Conflict.
	Key string

	// Deadline is when the result is of no use any more. A job that cannot be
	// done by then fails as soon as that is known, with code status.Deadline.
	Deadline time.Time

	// Wait says that submit waits, in the order of priorities, while the inputs
	// of waiting jobs leave no memory for this one; otherwise it fails then with
	// code status.Busy. A submit that joins the job of a key needs no memory.
	Wait bool

	// WitnessOnly ends a job of proving once the input has been checked and every
	// partition solved, with an empty result. It needs no parameters.
	WitnessOnly bool
}
