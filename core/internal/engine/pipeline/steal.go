package pipeline

import (
	"context"
	"slices"

	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// solved is a solved partition in the queue of a worker. Until it starts there, an
// idle worker may steal it.
type solved struct {
	workers *Workers
	name    string     // of its parameters
	order   sched.Task // how urgent it is
	avoid   []*Worker  // where it failed before; these do not steal it
	ref     *srs.Ref   // the use of its parameters; the partition's goroutine owns it

	// guarded by workers.mu
	worker  *Worker
	wait    context.Context // of what it waits for at its worker
	cancel  context.CancelCauseFunc
	started bool
}

// errStolen ends the wait of a partition that another worker has stolen.
var errStolen = status.New(status.Busy, "", "another worker takes the partition")

// readiness reports whether the parameters of a name are at a worker.
type readiness func(name string, w *Worker) bool

// enqueue adds a solved partition to the queue of its worker. Call dequeue when it
// has been proved or has failed.
func (s *Workers) enqueue(ctx context.Context, x *solved, ready readiness) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.workers = s
	x.wait, x.cancel = context.WithCancelCause(ctx)
	s.solved = append(s.solved, x)
	s.steal(ready)
}

// dequeue removes a partition and returns the worker that it was assigned to last.
func (s *Workers) dequeue(x *solved, ready readiness) *Worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.cancel(nil)
	s.solved = slices.DeleteFunc(s.solved, func(y *solved) bool { return y == x })
	s.steal(ready)
	return x.worker
}

// steal gives each worker that has no solved partition the most urgent one that waits
// at another worker. A partition that is alone in its queue starts next anyway and is
// not stolen. s.mu is held.
func (s *Workers) steal(ready readiness) {
	for _, w := range s.All {
		if slices.ContainsFunc(s.solved, func(x *solved) bool { return x.worker == w }) || w.Usable() != nil {
			continue
		}
		var best *solved
		for _, x := range s.solved {
			if x.started || slices.Contains(x.avoid, w) || !ready(x.name, w) || s.alone(x) {
				continue
			}
			if best == nil || x.order.Before(&best.order) {
				best = x
			}
		}
		if best != nil {
			best.reassign(w)
			best.cancel(errStolen)
		}
	}
}

// alone reports whether no other solved partition is at the worker of x; s.mu is held.
func (s *Workers) alone(x *solved) bool {
	return !slices.ContainsFunc(s.solved, func(y *solved) bool { return y != x && y.worker == x.worker })
}

// reassign counts a partition at another worker; Workers.mu is held.
func (x *solved) reassign(to *Worker) {
	x.worker.assigned--
	to.assigned++
	x.worker = to
}

// start marks the partition as started; false if it has been stolen or stopped.
func (x *solved) start() bool {
	x.workers.mu.Lock()
	defer x.workers.mu.Unlock()
	x.started = x.wait.Err() == nil
	return x.started
}

// follow returns the worker that has stolen the partition and begins the wait there.
func (x *solved) follow(ctx context.Context) *Worker {
	x.workers.mu.Lock()
	defer x.workers.mu.Unlock()
	x.wait, x.cancel = context.WithCancelCause(ctx)
	return x.worker
}

// giveBack returns a stolen partition to a worker, because the thief cannot prove it;
// the thief does not steal it again.
func (x *solved) giveBack(to *Worker) {
	x.workers.mu.Lock()
	defer x.workers.mu.Unlock()
	x.avoid = append(slices.Clip(x.avoid), x.worker)
	x.reassign(to)
}

// waiting returns the context of what the partition waits for at its worker: it ends
// with errStolen.
func (x *solved) waiting() context.Context {
	x.workers.mu.Lock()
	defer x.workers.mu.Unlock()
	return x.wait
}
