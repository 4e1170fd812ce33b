package jobs

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/status"
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
	Parts     []StageTime // of the prove stage: sums over all partitions
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
		Attempts: j.tries, Progress: j.progress, Stages: j.stages.times(time.Now()), Parts: slices.Clone(j.parts),
		Submitted: j.times[0], Started: j.times[1], Ended: j.times[2], Deadline: j.request.Deadline, Err: j.err}
}

// Overlap is the work of all stages, added up, in relation to the job's time:
// above 1, pieces ran side by side. Time in queues is no work.
func (r Report) Overlap() float64 {
	var work time.Duration
	for _, s := range r.Stages {
		if s.Name != string(Queued) && s.Name != "wait" && s.Name != "gather" {
			work += s.Sum
		}
	}
	wall := r.wall()
	if wall <= 0 {
		return 0
	}
	return float64(work) / float64(wall)
}

// wall is the time from the job's submission to its end, or to now.
func (r Report) wall() time.Duration {
	if r.Ended.IsZero() {
		return time.Since(r.Submitted)
	}
	return r.Ended.Sub(r.Submitted)
}

// JSON renders a report: {"id":7,"kind":"porep","key":"","state":"done",
// "priority":"normal","attempts":1,"stage":"verify","done":1,"total":1,
// "wall_ms":2100.5,"overlap":1.8,"stages":[{"name":"parse","wall_ms":0.4,"sum_ms":0.4},…],
// "parts":[…]}, and for a job that failed or was cancelled
// "error":{"code":-60,"name":…,"message":…,"detail":…}. The job's wall_ms counts
// from its submission to its end, or to now.
func (r Report) JSON() []byte {
	text, err := json.Marshal(struct {
		ID       uint64   `json:"id"`
		Kind     string   `json:"kind"`
		Key      string   `json:"key"`
		State    State    `json:"state"`
		Priority string   `json:"priority"`
		Attempts int      `json:"attempts"`
		Stage    string   `json:"stage"`
		Done     int64    `json:"done"`
		Total    int64    `json:"total"`
		WallMs   float64  `json:"wall_ms"`
		Overlap  float64  `json:"overlap"`
		Stages   []timing `json:"stages"`
		Parts    []timing `json:"parts"`
		Error    *failure `json:"error,omitempty"`
	}{r.ID, r.Kind, r.Key, r.State, r.Priority.String(), r.Attempts, r.Progress.Stage, r.Progress.Done, r.Progress.Total,
		millis(r.wall()), r.Overlap(), timings(r.Stages), timings(r.Parts), failureOf(r.Err)})
	if err != nil {
		panic(err) // plain fields: cannot happen
	}
	return text
}

// timing is a StageTime of a report.
type timing struct {
	Name   string  `json:"name"`
	WallMs float64 `json:"wall_ms"`
	SumMs  float64 `json:"sum_ms"`
}

func timings(list []StageTime) []timing {
	out := []timing{}
	for _, s := range list {
		out = append(out, timing{s.Name, millis(s.Wall), millis(s.Sum)})
	}
	return out
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// failure is the error of a report.
type failure struct {
	Code    status.Code `json:"code"`
	Name    string      `json:"name"`
	Message string      `json:"message"`
	Detail  string      `json:"detail"`
}

// failureOf describes err; nil for nil.
func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Code: status.CodeOf(err), Message: err.Error()}
	var e *status.Error
	if errors.As(err, &e) {
		f.Message, f.Detail = e.Message, e.Detail
	}
	f.Name = f.Code.String()
	return f
}
