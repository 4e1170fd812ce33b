package engine

import (
	"context"
	"time"

	"libcuzk/core/internal/engine/jobs"
	"libcuzk/core/internal/engine/sched"
	"libcuzk/core/internal/engine/timeline"
	"libcuzk/core/internal/filecoin"
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
}

// submit starts a job. The context that work gets ends with the engine, with
// Cancel, or when that of every submitter has; its cause is a typed error. After
// Close, submit refuses.
func (e *Engine) submit(ctx context.Context, kind string, work func(context.Context, *task) ([]byte, error)) (*Job, error) {
	priority := priorityOf(kind)
	deadline, _ := ctx.Deadline()
	return e.table.Submit(ctx, jobs.Request{Kind: kind, Priority: priority, Deadline: deadline,
		Run: func(ctx context.Context, a *jobs.Attempt) ([]byte, error) {
			return work(ctx, &task{Attempt: a, engine: e, priority: priority, deadline: deadline})
		}})
}

// priorityOf returns the priority of a kind of job whose submitter names none.
func priorityOf(kind string) sched.Priority {
	switch kind {
	case filecoin.WinningPoSt.String():
		return sched.Critical
	case filecoin.WindowPoSt.String():
		return sched.High
	case "params":
		return sched.Low
	}
	return sched.Normal
}

func (t *task) stage(name string, total int64) { t.Stage(name, total) }
func (t *task) step(n int64)                   { t.Step(n) }
func (t *task) advance(done, total int64)      { t.Advance(done, total) }

// order is how partition part of the task stands in a queue.
func (t *task) order(part int) sched.Task {
	return sched.Task{Job: t.Job(), Part: part, Priority: t.priority, Since: t.Since(), Deadline: t.deadline, Cost: t.cost}
}

// slot waits for a slot of a queue and returns what frees it. The wait is an
// event on the queue's track, from which idle time of its provers is computed.
func (t *task) slot(ctx context.Context, q *sched.Queue, track string, part int) (free func(), err error) {
	order := t.order(part)
	order.Need = sched.Need{1}
	defer t.measure("wait", track+" queue", part)()
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
