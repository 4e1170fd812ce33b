package sched

import (
	"cmp"
	"slices"
	"time"
)

// Policy is how the order is made. Its methods are pure.
type Policy struct {
	Ageing time.Duration // a task below High that waited this long is aged; 0: none ever is
	Share  int           // starts below Critical that may pass over an aged task in a row
}

// Default is a policy for proofs that take seconds to minutes: work waits at
// most some ten minutes before it gets its share, one start in five.
func Default() Policy { return Policy{Ageing: 5 * time.Minute, Share: 4} }

// Task is what the scheduler knows of one unit of work.
type Task struct {
	Job      uint64        // breaks ties of Since
	Part     int           // partition in its job: lower ones go first
	Priority Priority      // of the job
	Since    time.Time     // when the job was submitted: order and age count from it
	Deadline time.Time     // when it must be done; zero: whenever
	Cost     time.Duration // the least time that it takes once started; 0: unknown
	Need     Need          // held from its start to its end
}

// Need is an amount of each resource of a queue, by index. A missing figure is 0.
type Need []int64

// Snapshot is everything that a decision depends on.
type Snapshot struct {
	Now     time.Time
	Waiting []Task
	Free    Need // what is not held now
	Passed  int  // Decision.Passed of the decision before
}

// Decision is which tasks start now.
type Decision struct {
	Start   []int // indices into Waiting, in the order of their start
	Blocked int   // the first in order that has to wait for a resource; −1: none
	Lack    Need  // what Blocked lacks of each resource after the starts; else nil
	Passed  int   // starts in a row that passed over an aged task
}

// Plan decides.
func (p Policy) Plan(s Snapshot) Decision {
	d := Decision{Passed: s.Passed}
	order := p.order(s)
	free := slices.Clone(s.Free)
	for {
		forced := p.due(s, order, d.Passed)
		at, blocked := startable(s.Waiting, order, forced, free)
		if at < 0 {
			if d.Blocked = blocked; blocked >= 0 {
				d.Lack = s.Waiting[blocked].Need.minus(free).positive()
			}
			return d
		}
		i := order[at]
		d.Passed = p.passed(s, order, i, d.Passed)
		d.Start = append(d.Start, i)
		free = free.minus(s.Waiting[i].Need)
		order = slices.Delete(order, at, at+1)
	}
}

// order sorts the tasks that can still be in time; the aged share aside.
func (p Policy) order(s Snapshot) []int {
	order := make([]int, 0, len(s.Waiting))
	for i := range s.Waiting {
		if !s.Waiting[i].Late(s.Now) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return rank(&s.Waiting[i], &s.Waiting[j]) })
	return order
}

// rank compares by priority, then by age.
func rank(a, b *Task) int { return cmp.Or(cmp.Compare(b.Priority, a.Priority), older(a, b)) }

// Before reports whether t goes before u, the share of aged tasks aside.
func (t *Task) Before(u *Task) bool { return rank(t, u) < 0 }

// older compares by age of the job, then by partition.
func older(a, b *Task) int {
	return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Job, b.Job), cmp.Compare(a.Part, b.Part))
}

// aged reports whether t has a claim to the share of old work.
func (p Policy) aged(t *Task, now time.Time) bool {
	return p.Ageing > 0 && t.Priority < High && now.Sub(t.Since) >= p.Ageing
}

// eldest returns the oldest aged task of order, −1 if there is none.
func (p Policy) eldest(s Snapshot, order []int) int {
	eldest := -1
	for _, i := range order {
		if p.aged(&s.Waiting[i], s.Now) && (eldest < 0 || older(&s.Waiting[i], &s.Waiting[eldest]) < 0) {
			eldest = i
		}
	}
	return eldest
}

// due returns the aged task that goes before all but critical ones now; else −1.
func (p Policy) due(s Snapshot, order []int, passed int) int {
	if passed < p.Share {
		return -1
	}
	return p.eldest(s, order)
}

// passed counts the start of task i: 0 when no aged task was passed over.
func (p Policy) passed(s Snapshot, order []int, i, passed int) int {
	eldest := p.eldest(s, order)
	switch {
	case eldest < 0 || eldest == i:
		return 0
	case s.Waiting[i].Priority == Critical:
		return passed
	}
	return passed + 1
}

// startable walks the order, with forced moved behind the critical tasks. It
// returns the position in order of the first that fits beside the claims of
// those before it, or −1 and the first one that is blocked.
func startable(waiting []Task, order []int, forced int, free Need) (at, blocked int) {
	blocked = -1
	left := slices.Clone(free)
	fits := func(i int) bool {
		if waiting[i].Need.within(left) {
			return true
		}
		if blocked < 0 {
			blocked = i
		}
		left = left.minus(waiting[i].Need)
		return false
	}
	for at, i := range order {
		if forced >= 0 && waiting[i].Priority < Critical {
			if fits(forced) {
				return slices.Index(order, forced), blocked
			}
			return firstOf(order, at, forced, fits), blocked
		}
		if fits(i) {
			return at, blocked
		}
	}
	return -1, blocked
}

// firstOf returns the first position from at on whose task is not skip and fits.
func firstOf(order []int, at, skip int, fits func(int) bool) int {
	for ; at < len(order); at++ {
		if order[at] != skip && fits(order[at]) {
			return at
		}
	}
	return -1
}

// Late reports whether t could not be done in time even if it started now.
func (t *Task) Late(now time.Time) bool {
	return !t.Deadline.IsZero() && now.Add(t.Cost).After(t.Deadline)
}

// within reports whether n can be taken from free. What a task does not need
// may be overdrawn by a claim.
func (n Need) within(free Need) bool {
	for r, want := range n {
		if want > 0 && (r >= len(free) || want > free[r]) {
			return false
		}
	}
	return true
}

// minus and plus return the figures of n changed by m; the longer decides.
func (n Need) minus(m Need) Need { return n.add(m, -1) }
func (n Need) plus(m Need) Need  { return n.add(m, 1) }

func (n Need) add(m Need, sign int64) Need {
	out := make(Need, max(len(n), len(m)))
	copy(out, n)
	for r := range m {
		out[r] += sign * m[r]
	}
	return out
}

// positive replaces negative figures by 0.
func (n Need) positive() Need {
	for r := range n {
		n[r] = max(n[r], 0)
	}
	return n
}
