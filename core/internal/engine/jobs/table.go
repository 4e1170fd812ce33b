// Package jobs is the table of the engine's jobs: their identity, states, time
// and end, and nothing of how a proof is made.
//
// A [Job] runs the function it was submitted with on a goroutine of its own.
// What that function reports goes through an [Attempt], which is deaf once the
// attempt is over: whatever a late partition of a failed attempt delivers can
// never become part of a later one.
package jobs

import (
	"context"
	"sync"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Table holds jobs. Use New; safe for concurrent use.
type Table struct {
	history int
	group   spawn.Group

	mu       sync.Mutex // guards everything below; before Job.mu
	lastID   uint64
	attempts uint64
	live     map[uint64]*Job // accepted, and their goroutine has not returned
	ended    []*Job          // the last ones, in the order of their end
	keys     map[string]*Job // by idempotency key: under way, or done and in ended
	totals   map[State]uint64
	closed   error // what Submit returns once no more is accepted
}

// New returns an empty table that remembers the last history ended jobs.
func New(history int) *Table {
	return &Table{history: history, live: map[uint64]*Job{}, keys: map[string]*Job{}, totals: map[State]uint64{}}
}

// Request is what a job is made of.
type Request struct {
	Kind     string         // "porep", …: for people and metrics
	Key      string         // idempotency key; "": none
	Digest   [32]byte       // of everything that decides the result; compared under a key
	Priority sched.Priority // for the report: the work itself tells the scheduler
	Deadline time.Time      // zero: none; when it passes, the context of the work ends

	// Run does the work. The context ends with Cancel, Close, the deadline, or
	// when the contexts of all who submitted this job have; its cause is typed.
	Run func(context.Context, *Attempt) ([]byte, error)

	// Accepted, if set, is called before Submit returns if the request made a job
	// of its own, and Ended when that job has ended. Neither may call the table.
	Accepted func()
	Ended    func(Report)
}

// Submit accepts a job and starts it. Under a key that is known with the same
// digest it returns the job of that key, be it under way or done; with another
// digest, an error of code status.Conflict. A key is forgotten when its job
// fails or is cancelled, and when it leaves the history. After Close it refuses.
func (t *Table) Submit(ctx context.Context, r Request) (*Job, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if j, err := t.join(ctx, &r); j != nil || err != nil {
		return j, err
	}
	t.lastID++
	j := newJob(t, t.lastID, r)
	if r.Accepted != nil {
		r.Accepted()
	}
	t.live[j.ID] = j
	if r.Key != "" {
		t.keys[r.Key] = j
	}
	j.hold(ctx)
	t.group.Go(func() error { j.run(); return nil })
	return j, nil
}

// Join is Submit as far as it starts no job: without a job of the key it returns
// nil.
func (t *Table) Join(ctx context.Context, r Request) (*Job, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.join(ctx, &r)
}

func (t *Table) join(ctx context.Context, r *Request) (*Job, error) {
	if t.closed != nil {
		return nil, t.closed
	}
	j, ok := t.keys[r.Key]
	switch {
	case r.Key == "" || !ok:
		return nil, nil
	case j.request.Digest != r.Digest || j.request.Kind != r.Kind:
		return nil, status.New(status.Conflict, "key", "key %q belongs to job %d (%s) with other input", r.Key, j.ID, j.request.Kind)
	case !j.hold(ctx):
		return nil, nil
	}
	return j, nil
}

// Get finds a job that is under way or in the history.
func (t *Table) Get(id uint64) (*Job, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if j, ok := t.live[id]; ok {
		return j, true
	}
	for _, j := range t.ended {
		if j.ID == id {
			return j, true
		}
	}
	return nil, false
}

// attempt hands out a number that no attempt had before.
func (t *Table) attempt() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.attempts++
	return t.attempts
}

// forget lets a new submit with j's key run afresh.
func (t *Table) forget(j *Job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dropKey(j)
}

func (t *Table) dropKey(j *Job) {
	if j.request.Key != "" && t.keys[j.request.Key] == j {
		delete(t.keys, j.request.Key)
	}
}

// book counts the end of j and moves it to the history.
func (t *Table) book(j *Job, end State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.totals[end]++
	if end != Done {
		t.dropKey(j)
	}
	t.ended = append(t.ended, j)
	if len(t.ended) > t.history {
		t.dropKey(t.ended[0])
		t.ended[0] = nil
		t.ended = t.ended[1:]
	}
}

// leave notes that the goroutine of j has returned.
func (t *Table) leave(j *Job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.live, j.ID)
}

// Counts is how many jobs there are and were.
type Counts struct {
	Now   map[State]int    // under way, by state
	Ended map[State]uint64 // ever, by how they ended: never decreases
}

// Counts returns a snapshot.
func (t *Table) Counts() Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := Counts{Now: map[State]int{}, Ended: map[State]uint64{}}
	for _, j := range t.live {
		if s := j.state(); !s.Ended() {
			c.Now[s]++
		}
	}
	for s, n := range t.totals {
		c.Ended[s] = n
	}
	return c
}

// Reports returns snapshots of all jobs: those of the history in the order of
// their end, then those under way in the order of submission.
func (t *Table) Reports() (out []Report) {
	for _, j := range t.all() {
		out = append(out, j.Report())
	}
	return out
}
