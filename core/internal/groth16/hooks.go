package groth16

import "time"

// Hooks are what the caller of a backend may want to know or decide while the sums
// of one partition are computed. The zero value wants nothing. A backend calls only
// the hooks that concern it: the CPU has none.
type Hooks struct {
	// Start is called after the witness was uploaded and before kernels are queued,
	// which run in the order of their starts. It waits until this partition may start;
	// release lets the next one start. An error ends the call with that error.
	Start func() (release func(), err error)

	// Trace receives when the stages ran, once and only if the call succeeds.
	Trace func(Trace)
}

// Trace says when the stages of one partition ran on a device, by the host's clock.
type Trace struct {
	Stages []Span // in the order in which the device lists its stages; kernels may overlap
	Pauses []Span // parts of a stage during which the device had nothing of it to run
}

// Span is the time of one stage, or a part of it.
type Span struct {
	Stage      string // "upload", "rows", "ntt", "h", …
	Copy       bool   // the stage copies between host and device; otherwise it computes
	Start, End time.Time
}

// Computing returns when kernels ran, from the first to the last; ok is false if
// there is no stage that computes.
func (t Trace) Computing() (start, end time.Time, ok bool) {
	for _, s := range t.Stages {
		if s.Copy {
			continue
		}
		if !ok || s.Start.Before(start) {
			start = s.Start
		}
		if !ok || s.End.After(end) {
			end = s.End
		}
		ok = true
	}
	return start, end, ok
}
