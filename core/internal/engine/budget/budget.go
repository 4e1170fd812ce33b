// Package budget holds the one account of memory: host, pinned and device bytes.
//
// Whoever needs much memory reserves it first and waits until there is room, in
// the order of package sched. A [Lease] that nobody uses at the moment can be
// kept: its owner names a function that frees it, and under pressure the least
// recently used ones go first. Nothing is freed unless that lets the first
// waiter start, and a request that exceeds the limits fails at once, with both
// numbers, before anything is freed for it.
//
// No deadlock follows from waiting as long as nobody waits here while it holds
// a lease that another waiter needs: so one asks for all that a piece of work
// needs in one request and splits the lease afterwards. Inputs of waiting jobs,
// which are held by nature while their jobs wait, have an account of their own,
// with a queue of its own: one who waits for room there must not stand before
// those whose end makes that room.
package budget

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
)

// Budget accounts for bytes. Use New; safe for concurrent use.
type Budget struct {
	limits Limits
	queue  *sched.Queue
	inputs *sched.Queue // of backlog

	mu     sync.Mutex // guards what follows and the state of leases; before queue's lock
	leases map[*Lease]struct{}
	clock  uint64 // counts uses: orders idle leases by last use
}

// Limits are the most bytes of each kind. Unlimited lifts a limit, 0 forbids.
type Limits struct {
	Host    int64   // memory of the process, pinned memory included, backlog not
	Pinned  int64   // the part of Host that may be page-locked
	Backlog int64   // inputs of jobs that wait, beside Host
	Device  []int64 // memory of each device

	Jobs        int64  // inputs at the same time; 0: any number
	HostFrom    string // what sets Host, for messages
	BacklogFrom string // what sets Backlog
}

// Unlimited is more than any machine has, and small enough to be added up.
const Unlimited = math.MaxInt64 / 4

// Amount is a number of bytes of each kind.
type Amount struct {
	Host    int64 // pageable memory
	Pinned  int64 // page-locked memory, counted against Limits.Host too
	Backlog int64 // the input of one waiting job; stands alone: the other kinds are 0 then
	Device  int64 // memory of device On
	On      int   // index of the device
}

// Ask is a request.
type Ask struct {
	Purpose string // for the status: "srs", "partition", "input"
	Amount
	Task sched.Task // orders those that wait; its Need is set here
}

// New returns a budget of which nothing is used.
func New(limits Limits, policy sched.Policy) *Budget {
	b := &Budget{limits: limits, leases: map[*Lease]struct{}{}}
	resources := []sched.Resource{
		{Name: "bytes of host memory", Capacity: limits.Host},
		{Name: "bytes of pinned memory", Capacity: limits.Pinned},
	}
	for i, size := range limits.Device {
		resources = append(resources, sched.Resource{Name: fmt.Sprintf("bytes of device %d", i), Capacity: size})
	}
	b.queue = sched.NewQueue(policy, resources, b.Relieve)
	b.inputs = sched.NewQueue(policy, []sched.Resource{
		{Name: "bytes of waiting inputs", Capacity: limits.Backlog},
		{Name: "waiting jobs", Capacity: cmp.Or(limits.Jobs, Unlimited)},
	}, nil)
	if limits.HostFrom != "" {
		b.queue.Explain(limits.HostFrom, limits.HostFrom)
		b.inputs.Explain(cmp.Or(limits.BacklogFrom, limits.HostFrom), "max_waiting_jobs")
	}
	return b
}

// account returns the queue that accounts for the amount.
func (b *Budget) account(a Amount) *sched.Queue {
	if a.Backlog > 0 {
		return b.inputs
	}
	return b.queue
}

// firstDevice is the resource of device 0 in the queue.
const firstDevice = 2

// need translates to the resources of the amount's queue.
func (a Amount) need() sched.Need {
	if a.Backlog > 0 {
		return sched.Need{a.Backlog, 1}
	}
	n := sched.Need{a.Host + a.Pinned, a.Pinned}
	if a.Device > 0 {
		n = append(n, make(sched.Need, a.On+1)...)
		n[firstDevice+a.On] = a.Device
	}
	return n
}

// Plus adds two amounts. At most one of them names a device, or both the same.
func (a Amount) Plus(b Amount) Amount {
	if a.Device == 0 {
		a.On = b.On
	}
	return Amount{a.Host + b.Host, a.Pinned + b.Pinned, a.Backlog + b.Backlog, a.Device + b.Device, a.On}
}

// Never returns an error of code status.Budget if the amount exceeds the limits,
// so that no waiting and no eviction could make room for it.
func (b *Budget) Never(a Amount) error { return b.account(a).Never(a.need()) }

// Reserve waits until the amount is free, or has been freed by evicting what is
// idle. Its errors are those of sched.Queue.Acquire.
func (b *Budget) Reserve(ctx context.Context, ask Ask) (*Lease, error) {
	ask.Task.Need = ask.need()
	grant, err := b.account(ask.Amount).Acquire(ctx, ask.Task)
	if err != nil {
		return nil, err
	}
	return b.book(grant, ask), nil
}

// Try reserves the amount if it is free now; nothing is evicted for it.
func (b *Budget) Try(ask Ask) (*Lease, bool) {
	ask.Task.Need = ask.need()
	grant, ok := b.account(ask.Amount).Try(ask.Task)
	if !ok {
		return nil, false
	}
	return b.book(grant, ask), true
}

func (b *Budget) book(grant *sched.Grant, ask Ask) *Lease {
	l := &Lease{budget: b, grant: grant, purpose: ask.Purpose, amount: ask.Amount}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.leases[l] = struct{}{}
	return l
}

// Close makes all that wait, and all that come, fail with err.
func (b *Budget) Close(err error) {
	b.queue.Close(err)
	b.inputs.Close(err)
}

// Status is a snapshot.
type Status struct {
	Limits  Limits
	Used    []Use // by purpose, in alphabetical order
	Waiting int   // requests
}

// Use is what one purpose holds.
type Use struct {
	Purpose string
	Host    int64 // pageable bytes
	Pinned  int64
	Backlog int64
	Device  []int64 // by device
	Idle    int64   // bytes of all kinds that could be evicted now
	Leases  int
}
