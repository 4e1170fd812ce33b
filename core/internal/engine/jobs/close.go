package jobs

import (
	"cmp"
	"context"
	"slices"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Drain accepts no more jobs and waits until all have ended, or ctx has; then
// its cause is returned and what still runs goes on.
func (t *Table) Drain(ctx context.Context) error {
	t.refuse()
	for _, j := range t.running() {
		select {
		case <-j.stopped:
		case <-ctx.Done():
			return status.Ended(ctx)
		}
	}
	return nil
}

// Close accepts no more jobs, cancels all and waits until they have stopped. Jobs
// that have not when ctx ends are given up: they end with code status.Closed,
// which wakes their waiters, and an error of code status.Busy says how many.
// Their goroutines may still use what they use, which must then not be freed.
func (t *Table) Close(ctx context.Context) error {
	t.refuse()
	jobs := t.running()
	for _, j := range jobs {
		j.stop(status.New(status.Closed, "", "engine closed while a %s job ran", j.request.Kind))
	}
	stuck := 0
	for _, j := range jobs {
		select {
		case <-j.stopped:
			continue
		case <-ctx.Done():
		}
		select { // both may be true: what has stopped is not stuck
		case <-j.stopped:
		default:
			stuck++
			j.finish(nil, status.New(status.Closed, "", "engine closed; the %s job did not stop in time", j.request.Kind))
		}
	}
	if stuck > 0 {
		return status.New(status.Busy, "", "%d jobs did not stop in time", stuck)
	}
	return nil
}

// Closed returns what Submit returns, once no more jobs are accepted; else nil.
func (t *Table) Closed() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}

func (t *Table) refuse() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed == nil {
		t.closed = status.New(status.Closed, "", "engine is closed")
	}
}

// running returns the jobs whose goroutines have not returned, oldest first.
func (t *Table) running() []*Job {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sorted()
}

// all returns the history and then the jobs that have not ended.
func (t *Table) all() []*Job {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := slices.Clone(t.ended)
	for _, j := range t.sorted() {
		if !j.state().Ended() {
			out = append(out, j)
		}
	}
	return out
}

// sorted returns the live jobs by id; t.mu is held.
func (t *Table) sorted() []*Job {
	out := make([]*Job, 0, len(t.live))
	for _, j := range t.live {
		out = append(out, j)
	}
	slices.SortFunc(out, func(a, b *Job) int { return cmp.Compare(a.ID, b.ID) })
	return out
}
