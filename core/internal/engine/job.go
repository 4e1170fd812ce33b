package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"libcuzk/core/internal/engine/stop"
	"libcuzk/core/internal/spawn"
	"libcuzk/core/internal/status"
)

// Job is work that an engine does. It is made by the Submit functions and
// safe for concurrent use.
type Job struct {
	kind   string
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the job has ended

	mu       sync.Mutex // guards everything below
	state    State
	progress Progress
	began    time.Time // of the current stage
	stages   []StageTime
	parts    []StageTime
	result   []byte
	err      error
}

// State is where a job is on its way.
type State string

// A job goes from queued to running to one of the last two.
const (
	Queued  State = "queued"
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
)

// Progress is how far the current stage of a job is.
type Progress struct {
	Stage string // "queued", "parse", "solve", …
	Done  int64  // of Total, in units of the stage
	Total int64  // 0: unknown
}

// StageTime is a stage and its time.
type StageTime struct {
	Name string
	Wall time.Duration
}

// Report is a snapshot of a job.
type Report struct {
	Kind     string
	State    State
	Progress Progress
	Stages   []StageTime // wall times of finished stages, in order
	Parts    []StageTime // of the prove stage: sums over all partitions
	Err      error       // of a failed job
}

// submit starts a job that runs work on a goroutine of its own. The context
// that work gets ends with the engine, with Cancel, or when deadline of ctx's
// is over; its cause is a typed error. After Close, submit refuses.
func (e *Engine) submit(ctx context.Context, kind string, work func(context.Context, *Job) ([]byte, error)) (*Job, error) {
	jobCtx, cancel := context.WithCancelCause(ctx)
	j := &Job{kind: kind, cancel: cancel, done: make(chan struct{}), state: Queued,
		progress: Progress{Stage: string(Queued)}, began: time.Now()}
	err := e.start(j, func() {
		defer cancel(nil)
		j.run(jobCtx, work)
	})
	if err != nil {
		cancel(err)
		return nil, err
	}
	return j, nil
}

// run does the work and ends the job with its outcome.
func (j *Job) run(ctx context.Context, work func(context.Context, *Job) ([]byte, error)) {
	var result []byte
	err := spawn.Guard(func() (err error) {
		result, err = work(ctx, j)
		return err
	})
	if err != nil && ctx.Err() != nil {
		err = stop.Cause(ctx)
	}
	j.finish(result, err)
}

// stage ends the current stage and begins the next, of total units.
func (j *Job) stage(name string, total int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closeStage()
	j.state = Running
	j.progress = Progress{Stage: name, Total: total}
}

// advance reports done units of the current stage. It may be called from many
// goroutines; a smaller figure than before is ignored.
func (j *Job) advance(done, total int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if done > j.progress.Done {
		j.progress.Done, j.progress.Total = done, total
	}
}

// step adds n done units to the current stage.
func (j *Job) step(n int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.progress.Done += n
}

// addParts adds the times of one partition to the parts of the prove stage;
// every call has the same names in the same order.
func (j *Job) addParts(parts []StageTime) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.parts == nil {
		j.parts = make([]StageTime, len(parts))
	}
	for i, p := range parts {
		j.parts[i] = StageTime{p.Name, j.parts[i].Wall + p.Wall}
	}
}

// closeStage books the time of the current stage; j.mu is held.
func (j *Job) closeStage() {
	now := time.Now()
	j.stages = append(j.stages, StageTime{j.progress.Stage, now.Sub(j.began)})
	j.began = now
}

// finish ends the job and wakes its waiters. The result of a failed job is
// dropped: no byte of a proof leaves with an error.
func (j *Job) finish(result []byte, err error) {
	j.mu.Lock()
	j.closeStage()
	if err != nil {
		j.state, j.err = Failed, err
	} else {
		j.state, j.result = Done, result
	}
	j.mu.Unlock()
	close(j.done)
}

// Wait returns the job's result or failure. If ctx ends first, the job goes on
// and the error has code status.Timeout.
func (j *Job) Wait(ctx context.Context) ([]byte, error) {
	select {
	case <-j.done:
		return j.Result()
	default:
	}
	select {
	case <-j.done:
		return j.Result()
	case <-ctx.Done():
		return nil, status.New(status.Timeout, "", "job still runs (%s): %w", j.Report().Progress.Stage, ctx.Err())
	}
}

// Result returns the job's result or failure; while it runs, an error of code
// status.Busy. The bytes are the job's: callers do not change them.
func (j *Job) Result() ([]byte, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state != Done && j.state != Failed {
		return nil, status.New(status.Busy, "", "job still runs (%s)", j.progress.Stage)
	}
	return j.result, j.err
}

// Done returns a channel that is closed when the job has ended.
func (j *Job) Done() <-chan struct{} { return j.done }

// Cancel asks the job to stop. It returns at once; the job ends with an error
// of code status.Cancelled, or as it would have if it was nearly done.
func (j *Job) Cancel() {
	j.cancel(status.New(status.Cancelled, "", "%s job cancelled", j.kind))
}

// Report returns a snapshot.
func (j *Job) Report() Report {
	j.mu.Lock()
	defer j.mu.Unlock()
	return Report{Kind: j.kind, State: j.state, Progress: j.progress,
		Stages: slices.Clone(j.stages), Parts: slices.Clone(j.parts), Err: j.err}
}
