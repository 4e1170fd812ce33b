package jobs

import (
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Parts assembles the result of an attempt from its partitions. A partition may
// be tried again: only the last try that has begun can deliver it, and nothing
// can once the attempt is over. Safe for concurrent use.
type Parts struct {
	attempt *Attempt

	mu    sync.Mutex // guards parts
	parts []part
}

type part struct {
	tries int
	bytes []byte
}

// Try is the right to deliver one partition.
type Try struct {
	Number int // of the try, from 1
	parts  *Parts
	index  int
}

// Parts returns an empty result of n partitions.
func (a *Attempt) Parts(n int) *Parts {
	return &Parts{attempt: a, parts: make([]part, n)}
}

// Begin starts a try of partition k. What earlier tries of it deliver from now
// on, or have delivered, does not count.
func (p *Parts) Begin(k int) Try {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parts[k].tries++
	p.parts[k].bytes = nil
	return Try{p.parts[k].tries, p, k}
}

// Deliver hands in the partition. It fails with code status.Cancelled if that
// comes too late: a newer try has begun or the attempt is over; and with
// status.Internal the second time.
func (t Try) Deliver(bytes []byte) error {
	if !t.parts.attempt.live() {
		return status.New(status.Cancelled, "", "partition %d comes after the end of attempt %d", t.index, t.parts.attempt.ID)
	}
	t.parts.mu.Lock()
	defer t.parts.mu.Unlock()
	p := &t.parts.parts[t.index]
	switch {
	case p.tries != t.Number:
		return status.New(status.Cancelled, "", "partition %d is being tried again", t.index)
	case p.bytes != nil:
		return status.New(status.Internal, "", "partition %d was delivered twice", t.index)
	}
	p.bytes = append([]byte{}, bytes...)
	return nil
}

// Join returns the partitions, concatenated in order; an error of code
// status.Internal names the first one that is missing.
func (p *Parts) Join() (out []byte, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k := range p.parts {
		if p.parts[k].bytes == nil {
			return nil, status.New(status.Internal, "", "partition %d of %d is missing", k, len(p.parts))
		}
		out = append(out, p.parts[k].bytes...)
	}
	return out, nil
}
