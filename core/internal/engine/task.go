package engine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/timeline"
)

// What hosts see of a job is the table's.
type (
	Job       = jobs.Job
	Report    = jobs.Report
	Progress  = jobs.Progress
	StageTime = jobs.StageTime
)

// task is one attempt at a job, as its work sees it.
type task struct {
	*jobs.Attempt
	engine   *Engine
	priority sched.Priority
	deadline time.Time
	cost     time.Duration // the least time that a partition takes; 0: unknown

	witnessOnly bool
	current     atomic.Pointer[func()] // ends the event of the job's stage
}

// submit starts a job, or joins the one that has the request's key. The context
// that work gets ends with the engine, with Cancel, with the deadline, or when
// that of every submitter has; its cause is a typed error. After Close, submit
// refuses.
func (e *Engine) submit(ctx context.Context, r request, work func(context.Context, *task) ([]byte, error)) (*Job, error) {
	priority, err := r.priority()
	if err != nil {
		return nil, err
	}
	if err := e.limitInput(r.input); err != nil {
		return nil, err
	}
	if d, ok := ctx.Deadline(); ok && (r.terms.Deadline.IsZero() || d.Before(r.terms.Deadline)) {
		r.terms.Deadline = d
	}
	job := jobs.Request{
		Kind: r.kind, Key: r.terms.Key, Digest: r.digest(), Priority: priority, Deadline: r.terms.Deadline,
		Run: func(ctx context.Context, a *jobs.Attempt) ([]byte, error) {
			t := &task{Attempt: a, engine: e, priority: priority, deadline: r.terms.Deadline, witnessOnly: r.terms.WitnessOnly}
			defer t.phase(nil)
			return work(ctx, t)
		},
	}
	if j, err := e.table.Join(ctx, job); j != nil || err != nil {
		return j, err
	}
	return e.start(ctx, &r, job)
}

// start submits a job whose input is accounted for from now to its end.
func (e *Engine) start(ctx context.Context, r *request, job jobs.Request) (*Job, error) {
	input, err := e.admit(ctx, r, job.Priority)
	if closed := e.table.Closed(); err != nil && closed != nil {
		return nil, closed
	}
	if err != nil {
		return nil, err
	}
	accepted := false
	job.Accepted = func() { accepted = true }
	job.Ended = func(report Report) {
		input.Release()
		e.ended(report)
	}
	j, err := e.table.Submit(ctx, job)
	if !accepted {
		input.Release()
	}
	return j, err
}

func (t *task) step(n int64)              { t.Step(n) }
func (t *task) advance(done, total int64) { t.Advance(done, total) }

// stage begins a stage of the job as a whole, which is an event too; the next
// stage ends it.
func (t *task) stage(name string, total int64) {
	t.Stage(name, total)
	end := t.engine.trace.Begin(timeline.Event{Track: "job", Name: name, Job: t.Job(), Part: -1})
	t.phase(&end)
}

// Show begins a stage that is measured in pieces.
func (t *task) Show(name string, total int64) {
	t.Attempt.Show(name, total)
	t.phase(nil)
}

// phase ends the event of the job's stage and keeps the next one's end.
func (t *task) phase(next *func()) {
	if end := t.current.Swap(next); end != nil {
		(*end)()
	}
}

// order is how partition part of the task stands in a queue.
func (t *task) order(part int) sched.Task {
	return sched.Task{Job: t.Job(), Part: part, Priority: t.priority, Since: t.Since(), Deadline: t.deadline, Cost: t.cost}
}

// slot waits for a slot of a queue and returns what frees it. spent is what has
// been done already of the partition's cost. The wait is an event on the queue's
// track, from which idle time of its provers is computed.
func (t *task) slot(ctx context.Context, q *sched.Queue, need sched.Need, track string, part int, spent time.Duration) (free func(), err error) {
	order := t.order(part)
	order.Need, order.Cost = need, max(0, order.Cost-spent)
	defer t.measure("wait", track, part)()
	g, err := q.Acquire(ctx, order)
	if err != nil {
		return nil, err
	}
	return g.Release, nil
}

// measure books a piece of a stage, and an event on a track.
func (t *task) measure(stage, track string, part int) (end func()) {
	piece := t.Time(stage)
	event := t.engine.trace.Begin(timeline.Event{Track: track, Name: stage, Job: t.Job(), Part: part})
	return func() {
		event()
		piece()
	}
}
