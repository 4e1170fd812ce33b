package pipeline

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/timeline"
)

// Task is the execution of a job, as its work sees it: what it reports, and how it
// stands in queues. Use NewTask.
type Task struct {
	*jobs.Attempt
	Priority    sched.Priority
	Deadline    time.Time // zero: none
	WitnessOnly bool      // the job ends when every partition is solved

	trace *timeline.Recorder
	cost  time.Duration          // the least time that a partition takes; 0: unknown
	end   atomic.Pointer[func()] // ends the event of the job's stage
}

// NewTask returns the task of an attempt, whose events go to trace. Close it when
// the work has ended.
func NewTask(a *jobs.Attempt, priority sched.Priority, deadline time.Time, trace *timeline.Recorder) *Task {
	return &Task{Attempt: a, Priority: priority, Deadline: deadline, trace: trace}
}

// Close ends the event of the last stage.
func (t *Task) Close() { t.swap(nil) }

// Stage begins a stage of the job as a whole, which is an event too; the next
// stage ends it.
func (t *Task) Stage(name string, total int64) {
	t.Attempt.Stage(name, total)
	end := t.trace.Begin(timeline.Event{Track: "job", Name: name, Job: t.Job(), Part: -1})
	t.swap(&end)
}

// Show begins a stage that is measured in pieces.
func (t *Task) Show(name string, total int64) {
	t.Attempt.Show(name, total)
	t.swap(nil)
}

// swap ends the event of the stage before and keeps what ends the next one.
func (t *Task) swap(next *func()) {
	if end := t.end.Swap(next); end != nil {
		(*end)()
	}
}

// Order is how partition part of the task stands in a queue.
func (t *Task) Order(part int) sched.Task {
	return sched.Task{Job: t.Job(), Part: part, Priority: t.Priority, Since: t.Since(), Deadline: t.Deadline, Cost: t.cost}
}

// slot waits for a slot of a queue and returns what frees it. spent is how much of
// the partition's cost has been spent before. The wait is an event on a track, from
// which the idle time of provers is computed.
func (t *Task) slot(ctx context.Context, q *sched.Queue, need sched.Need, track string, part int, spent time.Duration) (free func(), err error) {
	order := t.Order(part)
	order.Need, order.Cost = need, max(0, order.Cost-spent)
	defer t.measure("wait", track, part)()
	g, err := q.Acquire(ctx, order)
	if err != nil {
		return nil, err
	}
	return g.Release, nil
}

// measure times one piece of a stage, and an event on a track, until end is called.
func (t *Task) measure(stage, track string, part int) (end func()) {
	piece := t.Time(stage)
	event := t.trace.Begin(timeline.Event{Track: track, Name: stage, Job: t.Job(), Part: part})
	return func() {
		event()
		piece()
	}
}
