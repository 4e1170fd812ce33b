// Package timeline records what ran when, shows it as a Chrome trace, and
// computes from it how idle the devices were.
package timeline

import (
	"slices"
	"sync"
	"time"
)

// Recorder keeps the last events. Use New; safe for concurrent use. A nil
// Recorder records nothing.
type Recorder struct {
	mu     sync.Mutex // guards everything below
	most   int
	ended  []Event // a ring: next is the oldest once it is full
	next   int
	open   map[uint64]Event // begun, not ended
	lastID uint64
	lost   uint64 // events that made room for newer ones
}

// Event is something that took time on a track.
type Event struct {
	Track string // "cpu", "gpu 0", "gpu 0 queue", …
	Name  string // "solve", "ntt", …
	Job   uint64
	Part  int // partition in its job; −1: the job as a whole
	Start time.Time
	End   time.Time
}

// New returns a recorder for so many events.
func New(most int) *Recorder {
	return &Recorder{most: max(most, 1), open: map[uint64]Event{}}
}

// Begin starts an event, of which Start and End are set here, and returns what
// ends it; more often than once is quiet.
func (r *Recorder) Begin(e Event) (end func()) {
	if r == nil {
		return func() {}
	}
	e.Start = time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastID++
	id := r.lastID
	r.open[id] = e
	return func() { r.end(id) }
}

func (r *Recorder) end(id uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.open[id]
	if !ok {
		return
	}
	delete(r.open, id)
	e.End = time.Now()
	r.keep(e)
}

// Add records an event that has ended, with the times that a device reported.
func (r *Recorder) Add(e Event) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep(e)
}

// keep puts an event into the ring; r.mu is held.
func (r *Recorder) keep(e Event) {
	if len(r.ended) < r.most {
		r.ended = append(r.ended, e)
		return
	}
	r.ended[r.next] = e
	r.next = (r.next + 1) % r.most
	r.lost++
}

// Events returns all events by start. Those that have not ended, end now.
func (r *Recorder) Events() []Event {
	if r == nil {
		return nil
	}
	now := time.Now()
	r.mu.Lock()
	out := slices.Clone(r.ended)
	for _, e := range r.open {
		e.End = now
		out = append(out, e)
	}
	r.mu.Unlock()
	slices.SortStableFunc(out, func(a, b Event) int { return a.Start.Compare(b.Start) })
	return out
}

// Lost returns how many events made room for newer ones.
func (r *Recorder) Lost() uint64 {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}
