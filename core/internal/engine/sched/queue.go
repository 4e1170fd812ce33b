package sched

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Queue lets tasks in as the policy decides, within a capacity. Use NewQueue;
// safe for concurrent use. It has no goroutine of its own: whoever changes
// something decides for all.
type Queue struct {
	policy   Policy
	capacity Need
	names    []string // of the resources, for messages
	limits   []string // what sets each capacity, for messages; may be shorter
	short    func()   // called without locks when a task lacks something; may be nil

	mu      sync.Mutex // guards everything below
	free    Need
	waiting []*waiter
	running map[*Grant]struct{}
	passed  int
	lack    Need  // of the first blocked task; nil: none is
	closed  error // what Acquire returns after Close
}

// waiter is a task and the goroutine that waits for it. grant or err is set
// before done is closed.
type waiter struct {
	task  Task
	done  chan struct{}
	grant *Grant
	err   error
}

// Grant is a started task. Release it exactly when it ends; more often is quiet.
type Grant struct {
	queue *Queue
	task  Task
	until time.Time
	gone  bool // guarded by queue.mu
}

// Resource is one thing that tasks need an amount of.
type Resource struct {
	Name     string // for messages: "slots", "host bytes"
	Capacity int64
}

// NewQueue returns an empty queue. short, if not nil, is called on the
// goroutine that noticed, without locks, each time a task is left waiting for a
// resource; Lack then says for what.
func NewQueue(policy Policy, resources []Resource, short func()) *Queue {
	q := &Queue{policy: policy, short: short, running: map[*Grant]struct{}{}}
	for _, r := range resources {
		q.capacity = append(q.capacity, r.Capacity)
		q.names = append(q.names, r.Name)
	}
	q.free = slices.Clone(q.capacity)
	return q
}

// Explain says what sets the capacity of each resource, such as an option, for the
// errors of tasks that need more. Before first use.
func (q *Queue) Explain(limits ...string) { q.limits = limits }

// Acquire waits until the task may start. It fails at once with code
// status.Budget if the task does not fit an empty queue, and with
// status.Deadline if its deadline cannot be met by the forecast; while waiting,
// with the cause of ctx, of Close, or status.Deadline as soon as it is too late.
func (q *Queue) Acquire(ctx context.Context, task Task) (*Grant, error) {
	if err := q.Never(task.Need); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, status.Ended(ctx)
	}
	w := &waiter{task: task, done: make(chan struct{})}
	q.change(func() { q.enter(w, time.Now()) })
	var late <-chan time.Time
	if !task.Deadline.IsZero() {
		timer := time.NewTimer(time.Until(task.Deadline.Add(-task.Cost)) + time.Nanosecond)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		q.refuse(w, status.Ended(ctx))
	case <-late:
		q.refuse(w, tooLate(&task))
	}
	return w.grant, w.err
}

// Try starts the task if that is possible at once, past those that wait only
// where they leave enough.
func (q *Queue) Try(task Task) (*Grant, bool) {
	w := &waiter{task: task, done: make(chan struct{})}
	q.change(func() {
		q.enter(w, time.Now())
		q.decide(time.Now())
		q.drop(w, errNotNow)
	})
	return w.grant, w.err == nil
}

var errNotNow = status.New(status.Busy, "", "not now")

// Never returns an error of code status.Budget with both numbers if need
// exceeds the capacity, which no waiting could change.
func (q *Queue) Never(need Need) error {
	for r, want := range need {
		name, most := "units of resource "+strconv.Itoa(r), int64(0)
		if r < len(q.capacity) {
			name, most = q.names[r], q.capacity[r]
		}
		switch {
		case want < 0:
			return status.New(status.Argument, name, "negative need of %d %s", want, name)
		case want > most:
			detail, why := name, ""
			if r < len(q.limits) {
				detail, why = q.limits[r], ", limited by "+q.limits[r]
			}
			return status.New(status.Budget, detail, "needs %d %s, there are never more than %d%s", want, name, most, why)
		}
	}
	return nil
}

// forecastMost bounds the forecast, which takes about a millisecond for so many
// waiting tasks and grows with their square. Behind more of them a task is only
// refused when it is too late.
const forecastMost = 64

// enter books a waiter, unless the queue is closed or the task cannot be in
// time; q.mu is held.
func (q *Queue) enter(w *waiter, now time.Time) {
	q.waiting = append(q.waiting, w)
	if q.closed != nil {
		q.drop(w, q.closed)
		return
	}
	if w.task.Deadline.IsZero() || len(q.waiting) > forecastMost {
		return
	}
	start, ok := q.policy.Forecast(q.snapshot(now), q.started(), len(q.waiting)-1)
	if !ok || w.task.Late(start) {
		q.drop(w, tooLate(&w.task))
	}
}

// refuse ends a wait with err, unless it was decided meanwhile: a grant that
// nobody takes any more is given back.
func (q *Queue) refuse(w *waiter, err error) {
	q.change(func() {
		q.drop(w, err)
		if w.grant != nil {
			q.giveBack(w.grant)
			w.grant, w.err = nil, err
		}
	})
}

// drop removes a waiter that still waits; q.mu is held.
func (q *Queue) drop(w *waiter, err error) {
	if i := slices.Index(q.waiting, w); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		w.err = err
		close(w.done)
	}
}

// change does something under the lock and decides anew. Every change goes
// through here, also one that only removes a waiter: its claim may have been
// all that held up another.
func (q *Queue) change(fn func()) {
	q.mu.Lock()
	fn()
	q.decide(time.Now())
	blocked := q.lack != nil
	q.mu.Unlock()
	if blocked && q.short != nil {
		q.short()
	}
}

// decide starts what can start; q.mu is held.
func (q *Queue) decide(now time.Time) {
	if len(q.waiting) == 0 {
		q.lack = nil
		return
	}
	d := q.policy.Plan(q.snapshot(now))
	q.passed, q.lack = d.Passed, d.Lack
	for _, i := range d.Start {
		w := q.waiting[i]
		w.grant = &Grant{queue: q, task: w.task, until: now.Add(w.task.Cost)}
		q.running[w.grant] = struct{}{}
		q.free = q.free.minus(w.task.Need)
		close(w.done)
	}
	if len(d.Start) > 0 {
		q.waiting = slices.DeleteFunc(q.waiting, func(w *waiter) bool { return w.grant != nil })
	}
}

// snapshot and started copy what a decision depends on; q.mu is held.
func (q *Queue) snapshot(now time.Time) Snapshot {
	s := Snapshot{Now: now, Free: q.free, Passed: q.passed, Waiting: make([]Task, len(q.waiting))}
	for i, w := range q.waiting {
		s.Waiting[i] = w.task
	}
	return s
}

func (q *Queue) started() []Running {
	out := make([]Running, 0, len(q.running))
	for g := range q.running {
		out = append(out, Running{g.task.Need, g.until})
	}
	return out
}

func tooLate(t *Task) error {
	return status.New(status.Deadline, "deadline", "cannot be done by %s: it takes at least %s and others come first",
		t.Deadline.UTC().Format(time.RFC3339Nano), t.Cost)
}
