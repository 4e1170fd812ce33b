package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// site is where partitions are proved: the CPU, or one device.
//
// Both queues let the most urgent partition go first. A device takes up the
// witnesses of as many partitions as it has slots while it computes; which of
// those starts next is decided when the one before has been started, so that an
// urgent one overtakes even what is on the device already.
type site struct {
	name   string // its track in the timeline: "prove" on the CPU, "gpu 0"
	place  srs.Place
	device *device.Device // nil: the CPU
	slots  *sched.Queue   // in shares of the device
	turns  *sched.Queue   // starts on the device; nil on the CPU
	urgent *sched.Queue   // the same of small circuits, which run beside large ones

	left   sync.Once // when the device was given up
	chosen int       // partitions on their way there; guarded by sites.mu
}

// whole is all slots of a site: a partition takes the part of it that one of so
// many slots is.
const whole = 1 << 20

// onCPU is the site of an engine without devices: one partition at a time, which
// uses all threads.
func onCPU(q *sched.Queue) *site {
	return &site{name: "prove", place: srs.Place{Tier: srs.Mapped}, slots: q}
}

// onDevice is the site of a device, the i-th that the engine uses. Critical
// partitions find one slot more than all others.
func onDevice(i int, d *device.Device, policy sched.Policy) *site {
	name := fmt.Sprintf("gpu %d", d.Info.Index)
	return &site{
		name: name, device: d, place: srs.Place{Tier: srs.Device, Device: i},
		slots: sched.NewQueue(policy, []sched.Resource{
			{Name: "shares of " + name, Capacity: whole + whole/int64(d.Slots())},
			{Name: "shares of " + name + " for work that is not critical", Capacity: whole}}, nil),
		turns:  sched.NewQueue(policy, []sched.Resource{{Name: "turns of " + name, Capacity: 1}}, nil),
		urgent: sched.NewQueue(policy, []sched.Resource{{Name: "turns of small circuits of " + name, Capacity: 1}}, nil),
	}
}

// queue is the track whose events say that a partition waits for the site.
func (s *site) queue() string { return s.name + " queue" }

// need is what a partition holds of the site while it is proved.
func (s *site) need(slots int, p sched.Priority) sched.Need {
	share := int64(whole / max(slots, 1))
	switch {
	case s.device == nil:
		return sched.Need{1}
	case p == sched.Critical:
		return sched.Need{share}
	}
	return sched.Need{share, share}
}

// usable returns nil, or why the device is quarantined.
func (s *site) usable() error {
	if s.device == nil {
		return nil
	}
	return s.device.Usable()
}

// close makes all that wait there, and all that come, fail with err.
func (s *site) close(err error) {
	s.slots.Close(err)
	if s.turns != nil {
		s.turns.Close(err)
		s.urgent.Close(err)
	}
}

// sites are all of an engine.
type sites struct {
	all []*site

	mu    sync.Mutex // guards the sites' chosen, and stays
	stays []*stay    // of solved partitions
}

// loadCost is how many partitions may be ahead where the parameters are before
// it pays to load them elsewhere: 44 GiB take as long as some sixteen partitions
// of a PoRep.
const loadCost = 16

// choose returns the usable site, none of those to avoid, where a partition will
// soon be done, and counts it there; nil if there is none. Call leave after.
func (s *sites) choose(ready func(*site) bool, avoid []*site) (best *site) {
	s.mu.Lock()
	defer s.mu.Unlock()
	least := 0
	for _, x := range s.all {
		if x.usable() != nil || slices.Contains(avoid, x) {
			continue
		}
		ahead := x.chosen
		if !ready(x) {
			ahead += loadCost
		}
		if best == nil || ahead < least {
			best, least = x, ahead
		}
	}
	if best != nil {
		best.chosen++
	}
	return best
}

// leave ends what choose began, and reports whether nothing is under way any
// more at a site.
func (s *sites) leave(x *site) (idle bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.chosen--
	return x.chosen == 0
}

// idle reports whether a usable site has nothing under way.
func (s *sites) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.all, func(x *site) bool { return x.chosen == 0 && x.usable() == nil })
}

// others reports whether a usable site is left beside one.
func (s *sites) others(than *site) bool {
	return slices.ContainsFunc(s.all, func(x *site) bool { return x != than && x.usable() == nil })
}

// lost says why no site is left.
func (s *sites) lost() error {
	var why []string
	for _, x := range s.all {
		if err := x.usable(); err != nil {
			why = append(why, err.Error())
		}
	}
	return status.New(status.Device, "devices", "no device is left: %s", strings.Join(why, "; "))
}
