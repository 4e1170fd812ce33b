package budget

import (
	"cmp"
	"slices"

	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// Relieve evicts idle leases if that lets the first blocked request start. It
// runs on the goroutine that noticed the pressure, which must hold no lock that
// an evict function takes. Only SetIdle needs to be followed by it.
func (b *Budget) Relieve() {
	for {
		b.mu.Lock()
		victims := b.victims()
		calls := make([]func(), len(victims))
		for i, l := range victims {
			l.state, calls[i] = leaving, l.evict
		}
		b.mu.Unlock()
		if len(victims) == 0 {
			return
		}
		for i, l := range victims {
			l.leave(calls[i])
		}
	}
}

// leave frees the memory and gives the bytes back. They count as on their way
// out until both are done, so that nobody evicts more for the same lack; the
// caller looks at the lack again afterwards. A panic of the owner's code must
// not keep the bytes booked for ever: the account then errs to the bold side.
func (l *Lease) leave(evict func()) {
	_ = spawn.Guard(func() error { evict(); return nil })
	l.grant.Release()
	l.budget.mu.Lock()
	defer l.budget.mu.Unlock()
	l.state, l.evict = gone, nil
	delete(l.budget.leases, l)
}

// victims returns the idle leases to evict: the least recently used first, none
// that could stay, and none at all if together they are not enough. What is on
// its way out counts as free already. b.mu is held.
func (b *Budget) victims() (out []*Lease) {
	lack := b.queue.Lack()
	if lack == nil {
		return nil
	}
	var candidates []*Lease
	for l := range b.leases {
		switch l.state {
		case leaving:
			lack = subtract(lack, l.amount.need())
		case idle:
			candidates = append(candidates, l)
		}
	}
	slices.SortFunc(candidates, func(a, b *Lease) int { return cmp.Compare(a.used, b.used) })
	for _, l := range candidates {
		if helps(l.amount.need(), lack) {
			lack = subtract(lack, l.amount.need())
			out = append(out, l)
		}
	}
	if !covered(lack) {
		return nil
	}
	return spare(out, lack)
}

// spare takes back, from the most recently used on, what lack does not need;
// the figures of lack are negative by what is evicted beyond the need.
func spare(victims []*Lease, lack sched.Need) []*Lease {
	for i := len(victims) - 1; i >= 0; i-- {
		without := subtract(lack, negative(victims[i].amount.need()))
		if covered(without) {
			lack = without
			victims = slices.Delete(victims, i, i+1)
		}
	}
	return victims
}

func subtract(a, b sched.Need) sched.Need {
	out := make(sched.Need, max(len(a), len(b)))
	copy(out, a)
	for r := range b {
		out[r] -= b[r]
	}
	return out
}

func negative(a sched.Need) sched.Need { return subtract(nil, a) }

// covered reports whether nothing lacks any more.
func covered(lack sched.Need) bool {
	return !slices.ContainsFunc(lack, func(n int64) bool { return n > 0 })
}

// helps reports whether freeing need gives some of what still lacks.
func helps(need, lack sched.Need) bool {
	for r := range min(len(need), len(lack)) {
		if need[r] > 0 && lack[r] > 0 {
			return true
		}
	}
	return false
}
