package jobs

import (
	"time"

	"libcuzk/core/internal/engine/sched"
)

// Report is a snapshot of a job.
type Report struct {
	ID        uint64
	Kind      string
	Key       string // "": none
	State     State
	Priority  sched.Priority
	Attempts  int // executions that have begun
	Progress  Progress
	Stages    []StageTime // in the order of their beginning
	Submitted time.Time
	Started   time.Time // zero: not yet, or never
	Ended     time.Time // zero: not yet
	Deadline  time.Time // zero: none
	Err       error     // of a failed or cancelled job
}

// Progress is how far the current stage of a job is.
type Progress struct {
	Stage string // "queued", "parse", "solve", …
	Done  int64  // of Total, in units of the stage
	Total int64  // 0: unknown
}

// Report returns a snapshot.
func (j *Job) Report() Report {
	j.mu.Lock()
	defer j.mu.Unlock()
	return Report{ID: j.ID, Kind: j.request.Kind, Key: j.request.Key, State: j.is, Priority: j.request.Priority,
		Attempts: j.tries, Progress: j.progress, Stages: j.stages.times(time.Now()),
		Submitted: j.times[0], Started: j.times[1], Ended: j.times[2], Deadline: j.request.Deadline, Err: j.err}
}
