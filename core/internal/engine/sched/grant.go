package sched

import (
	"fmt"
	"slices"
	"time"
)

// Release gives everything back.
func (g *Grant) Release() {
	g.queue.change(func() { g.queue.giveBack(g) })
}

// Shrink gives back all but rest. A figure of rest that is larger than what is
// held leaves that resource as it is; after Release nothing happens.
func (g *Grant) Shrink(rest Need) {
	g.queue.change(func() {
		if g.gone {
			return
		}
		keep := slices.Clone(g.task.Need)
		for r := range keep {
			if r < len(rest) {
				keep[r] = min(keep[r], max(rest[r], 0))
			} else {
				keep[r] = 0
			}
		}
		g.queue.free = g.queue.free.plus(g.task.Need.minus(keep))
		g.task.Need = keep
	})
}

// Split makes a grant of its own of part, which g gives up. It panics if g does
// not hold that much: that is a mistake of the caller, not a state of the world.
func (g *Grant) Split(part Need) *Grant {
	q := g.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if g.gone || !part.within(g.task.Need) {
		panic(fmt.Sprintf("sched: split of %v from a grant of %v", part, g.task.Need))
	}
	out := &Grant{queue: q, task: g.task, until: g.until}
	out.task.Need = slices.Clone(part)
	g.task.Need = g.task.Need.minus(part)
	q.running[out] = struct{}{}
	return out
}

// giveBack ends a grant; q.mu is held.
func (q *Queue) giveBack(g *Grant) {
	if g.gone {
		return
	}
	g.gone = true
	delete(q.running, g)
	q.free = q.free.plus(g.task.Need)
}

// Lack returns what the first blocked task lacks of each resource, nil if none
// is blocked.
func (q *Queue) Lack() Need {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.lack)
}

// Close refuses all that wait and all that come with err. What runs goes on.
func (q *Queue) Close(err error) {
	q.change(func() {
		q.closed = err
		for _, w := range q.waiting {
			w.err = err
			close(w.done)
		}
		q.waiting = nil
	})
}

// Load is a snapshot of a queue.
type Load struct {
	Waiting  map[Priority]int // tasks
	Oldest   time.Duration    // age of the oldest job with a waiting task
	Running  int
	Capacity Need
	Free     Need
}

// Load returns a snapshot.
func (q *Queue) Load() Load {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := Load{Waiting: map[Priority]int{}, Running: len(q.running),
		Capacity: slices.Clone(q.capacity), Free: slices.Clone(q.free)}
	now := time.Now()
	for _, w := range q.waiting {
		l.Waiting[w.task.Priority]++
		l.Oldest = max(l.Oldest, now.Sub(w.task.Since))
	}
	return l
}
