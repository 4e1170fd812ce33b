package jobs

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Job is one piece of work, shared by all who submitted it under one key.
// Safe for concurrent use.
type Job struct {
	ID      uint64
	table   *Table
	request Request
	ctx     context.Context
	cancel  context.CancelCauseFunc
	sized   chan struct{} // closed when the size of the result is known, or done is
	done    chan struct{} // closed when the job has ended
	stopped chan struct{} // closed when its goroutine has returned, not before done

	mu       sync.Mutex // guards everything below
	is       State
	stopping bool // cancelled, though its goroutine may not know yet
	holders  int
	unhook   []func() bool // of the holders' contexts
	attempt  *Attempt
	tries    int
	times    [3]time.Time // submitted, started, ended
	progress Progress
	stages   stages
	parts    []StageTime
	phase    func() // ends the stage that progress names
	size     int    // of the result, once sized is closed; -1: the job failed before
	result   []byte
	err      error
}

// State is where a job is on its way.
type State string

// A job goes from queued to running to one of the last three; it may skip
// running.
const (
	Queued    State = "queued"
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled" // stopped: by Cancel, Close, or a deadline
)

// States returns all of them.
func States() []State { return []State{Queued, Running, Done, Failed, Cancelled} }

// Ended reports whether a job in this state is over.
func (s State) Ended() bool { return s == Done || s == Failed || s == Cancelled }

func newJob(t *Table, id uint64, r Request) *Job {
	ctx, cancel := context.WithCancelCause(context.Background())
	j := &Job{ID: id, table: t, request: r, ctx: ctx, cancel: cancel, is: Queued,
		sized: make(chan struct{}), done: make(chan struct{}), stopped: make(chan struct{})}
	j.times[0] = time.Now()
	j.progress.Stage = string(Queued)
	j.phase = j.stages.begin(string(Queued), j.times[0], true)
	return j
}

// hold adds one who wants the job, until ctx ends: the job is cancelled when
// nobody wants it any more. It returns false if it is cancelled already.
func (j *Job) hold(ctx context.Context) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.stopping || j.is == Failed || j.is == Cancelled {
		return false
	}
	if j.is == Done {
		return true
	}
	j.holders++
	j.unhook = append(j.unhook, spawn.AfterFunc(ctx, func() { j.unhold(status.Ended(ctx)) }))
	return true
}

func (j *Job) unhold(cause error) {
	j.mu.Lock()
	j.holders--
	last := j.holders == 0
	if last && !j.is.Ended() {
		j.stopping = true // at once: nobody may join between here and stop
	}
	j.mu.Unlock()
	if last {
		j.stop(cause)
	}
}

// stop cancels the job unless it has ended, and reports whether it was under way.
func (j *Job) stop(cause error) bool {
	j.mu.Lock()
	under := !j.is.Ended()
	j.stopping = j.stopping || under
	j.mu.Unlock()
	if under {
		j.table.forget(j)
		j.cancel(cause)
	}
	return under
}

// run is the goroutine of the job.
func (j *Job) run() {
	defer close(j.stopped)
	defer j.table.leave(j)
	defer j.cancel(nil)
	ctx := j.ctx
	if d := j.request.Deadline; !d.IsZero() {
		late := status.New(status.Deadline, "deadline", "deadline of the %s job passed", j.request.Kind)
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, d, late)
		defer cancel()
	}
	j.mu.Lock()
	work := j.request.Run
	j.mu.Unlock()
	j.finish(j.try(ctx, work))
}

// try makes one attempt. A job that was cancelled before it began never runs.
func (j *Job) try(ctx context.Context, work func(context.Context, *Attempt) ([]byte, error)) (result []byte, err error) {
	if ctx.Err() != nil {
		return nil, status.Ended(ctx)
	}
	a := &Attempt{job: j, ID: j.table.attempt()}
	j.mu.Lock()
	j.attempt = a
	j.tries++
	j.mu.Unlock()
	err = spawn.Guard(func() (err error) {
		result, err = work(ctx, a)
		return err
	})
	a.end()
	if err != nil && ctx.Err() != nil {
		err = status.Ended(ctx)
	}
	return result, err
}

// finish ends the job, once, and wakes its waiters. The result of a failed job
// is dropped: no byte of a proof leaves with an error.
func (j *Job) finish(result []byte, err error) {
	j.mu.Lock()
	if j.is.Ended() {
		j.mu.Unlock()
		return
	}
	switch {
	case err == nil:
		j.is, j.result = Done, result
	case status.Stopped(err):
		j.is, j.err = Cancelled, err
	default:
		j.is, j.err = Failed, err
	}
	end, hooks := j.is, j.unhook
	j.unhook = nil
	j.times[2] = time.Now()
	j.phase()
	j.stages.close(j.times[2])
	j.attempt = nil
	if err == nil {
		j.learn(len(result))
	} else {
		j.learn(-1)
	}
	ended := j.request.Ended
	j.request.Run, j.request.Accepted, j.request.Ended = nil, nil, nil // and the input that they hold
	j.mu.Unlock()
	for _, unhook := range hooks {
		unhook()
	}
	if ended != nil {
		ended(j.Report())
	}
	j.table.book(j, end)
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

// Result returns the job's result or failure; while it is under way, an error of
// code status.Busy. The bytes are the job's: callers do not change them.
func (j *Job) Result() ([]byte, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.is.Ended() {
		return nil, status.New(status.Busy, "", "job still runs (%s)", j.progress.Stage)
	}
	return bytes.Clone(j.result), j.err
}

// learn notes the size of the result, the first time; j.mu is held.
func (j *Job) learn(size int) {
	select {
	case <-j.sized:
	default:
		j.size = size
		close(j.sized)
	}
}

// Size waits until the size of the result in bytes is known, which is before the
// work that takes long, and returns it, whatever becomes of the job; or its failure
// if that comes before. If ctx ends first, the error has code status.Timeout.
func (j *Job) Size(ctx context.Context) (int, error) {
	select {
	case <-j.sized:
	case <-ctx.Done():
		return 0, status.New(status.Timeout, "", "job has not checked its input: %w", ctx.Err())
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.size < 0 {
		return 0, j.err
	}
	return j.size, nil
}

// Done returns a channel that is closed when the job has ended.
func (j *Job) Done() <-chan struct{} { return j.done }

// Stopped returns a channel that is closed when nothing of the job runs any more,
// so that what it was given is not read any more. That is right after its end,
// unless Close gave it up.
func (j *Job) Stopped() <-chan struct{} { return j.stopped }

// Cancel asks the job to stop, for all who wait for it. It returns at once, with
// false if the job had ended before. A queued job never runs; a running one ends
// with code status.Cancelled, or as it would have if it was nearly done.
func (j *Job) Cancel() bool {
	return j.stop(status.New(status.Cancelled, "", "%s job cancelled", j.request.Kind))
}

func (j *Job) state() State {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.is
}
