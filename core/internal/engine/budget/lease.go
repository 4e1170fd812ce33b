package budget

import (
	"fmt"
	"slices"
	"strings"

	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
)

// Lease is reserved memory. It is in use until SetIdle makes it idle.
type Lease struct {
	budget  *Budget
	grant   *sched.Grant
	purpose string

	// guarded by budget.mu
	amount Amount
	state  state
	used   uint64 // Budget.clock of the last use
	evict  func() // of an idle lease
}

// state of a lease: in use, kept while nobody uses it, being evicted, given back.
type state int

const (
	busy state = iota
	idle
	leaving
	gone
)

// Release gives the bytes back, which the owner has freed. Again, or after the
// lease was evicted, it is quiet.
func (l *Lease) Release() {
	b := l.budget
	b.mu.Lock()
	held := l.state == busy || l.state == idle
	if held {
		l.state, l.evict = gone, nil
		delete(b.leases, l)
	}
	b.mu.Unlock()
	if held {
		l.grant.Release()
	}
}

// SetIdle says that nobody uses the memory now. Under pressure evict is called, at
// most once, on the goroutine of whoever needs memory: it frees the memory; the
// bytes are given back when it returns. evict must not call this lease.
//
// SetIdle itself calls nothing, so the owner may hold a lock that evict functions
// take. Budget.Relieve must follow once that lock is free.
func (l *Lease) SetIdle(evict func()) {
	b := l.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if l.state == busy {
		b.clock++
		l.state, l.used, l.evict = idle, b.clock, evict
	}
}

// Use takes an idle lease into use again. It returns false if its memory is
// gone, or on its way out.
func (l *Lease) Use() bool {
	l.budget.mu.Lock()
	defer l.budget.mu.Unlock()
	if l.state == idle {
		l.state, l.evict = busy, nil
	}
	return l.state == busy
}

// Evict frees the lease if it is idle, and reports whether it did.
func (l *Lease) Evict() bool {
	b := l.budget
	b.mu.Lock()
	evict := l.evict
	ok := l.state == idle
	if ok {
		l.state = leaving
	}
	b.mu.Unlock()
	if ok {
		l.leave(evict)
		b.Relieve()
	}
	return ok
}

// Shrink gives back all but rest, which the owner has freed.
func (l *Lease) Shrink(rest Amount) {
	b := l.budget
	b.mu.Lock()
	a := l.amount
	l.amount = Amount{min(a.Host, rest.Host), min(a.Pinned, rest.Pinned), min(a.Backlog, rest.Backlog), min(a.Device, rest.Device), a.On}
	keep := l.amount.need()
	b.mu.Unlock()
	l.grant.Shrink(keep)
}

// Split makes a lease of its own of part, for another purpose or another
// lifetime. It panics if l does not hold that much.
func (l *Lease) Split(purpose string, part Amount) *Lease {
	b := l.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	a := l.amount
	if part.Host > a.Host || part.Pinned > a.Pinned || part.Device > 0 && part.On != a.On {
		panic(fmt.Sprintf("budget: split of %+v from %+v", part, a))
	}
	out := &Lease{budget: b, grant: l.grant.Split(part.need()), purpose: purpose, amount: part}
	l.amount = Amount{a.Host - part.Host, a.Pinned - part.Pinned, a.Backlog - part.Backlog, a.Device - part.Device, a.On}
	b.leases[out] = struct{}{}
	return out
}

// Amount returns what the lease holds.
func (l *Lease) Amount() Amount {
	l.budget.mu.Lock()
	defer l.budget.mu.Unlock()
	return l.amount
}

// Status returns a snapshot.
func (b *Budget) Status() Status {
	s := Status{Limits: b.limits}
	for _, queue := range []*sched.Queue{b.queue, b.inputs} {
		for _, n := range queue.Load().Waiting {
			s.Waiting += n
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	uses := map[string]*Use{}
	for l := range b.leases {
		u := uses[l.purpose]
		if u == nil {
			u = &Use{Purpose: l.purpose, Device: make([]int64, len(b.limits.Device))}
			uses[l.purpose] = u
		}
		u.add(l)
	}
	for _, u := range uses {
		s.Used = append(s.Used, *u)
	}
	slices.SortFunc(s.Used, func(a, b Use) int { return strings.Compare(a.Purpose, b.Purpose) })
	return s
}

func (u *Use) add(l *Lease) {
	a := l.amount
	u.Leases++
	u.Host += a.Host
	u.Pinned += a.Pinned
	u.Backlog += a.Backlog
	if a.Device > 0 {
		u.Device[a.On] += a.Device
	}
	if l.state == idle {
		u.Idle += a.Host + a.Pinned + a.Backlog + a.Device
	}
}
