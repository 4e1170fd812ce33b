package pipeline

import (
	"slices"
	"strings"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Worker is where partitions are proved: the CPU, or one device.
//
// Both its queues let the most urgent partition go first. A device takes up the
// witnesses of as many partitions as it has slots while it computes; which of them
// starts next is decided when the one before has been started, so that an urgent one
// overtakes even what is on the device already.
type Worker struct {
	Name   string // its track in the timeline: "prove" for the CPU, "gpu 0"
	Place  srs.Place
	Device *device.Device // nil: the CPU

	slots     *sched.Queue // in shares of the worker: see wholeWorker
	starts    *sched.Queue // of kernels on the device, one at a time; nil for the CPU
	urgent    *sched.Queue // the same for small circuits, which run at the same time as large ones
	abandoned sync.Once    // the device is given up once
	assigned  int          // partitions that were placed here and have not ended; guarded by Workers.mu
}

// wholeWorker is all slots of a worker. A partition takes one share of so many as the
// worker has slots with its parameters.
const wholeWorker = 1 << 20

// newCPUWorker returns the worker of an engine without devices: one partition at a
// time, which uses all threads.
func newCPUWorker(q *sched.Queue) *Worker {
	return &Worker{Name: "prove", Place: srs.Place{Tier: srs.Mapped}, slots: q}
}

// newDeviceWorker returns the worker of the i-th device that the engine uses.
// Critical partitions find one slot more there than all others.
func newDeviceWorker(i int, d *device.Device, policy sched.Policy) *Worker {
	name := d.Track()
	return &Worker{
		Name: name, Device: d, Place: srs.Place{Tier: srs.Device, Device: i},
		slots: sched.NewQueue(policy, []sched.Resource{
			{Name: "shares of " + name, Capacity: wholeWorker + wholeWorker/int64(d.Slots())},
			{Name: "shares of " + name + " for work that is not critical", Capacity: wholeWorker}}, nil),
		starts: sched.NewQueue(policy, []sched.Resource{{Name: "starts on " + name, Capacity: 1}}, nil),
		urgent: sched.NewQueue(policy, []sched.Resource{{Name: "starts of small circuits on " + name, Capacity: 1}}, nil),
	}
}

// need is what a partition holds of the worker while it is proved with parameters
// that leave so many slots.
func (w *Worker) need(slots int, p sched.Priority) sched.Need {
	share := int64(wholeWorker / max(slots, 1))
	switch {
	case w.Device == nil:
		return sched.Need{1}
	case p == sched.Critical:
		return sched.Need{share}
	}
	return sched.Need{share, share}
}

// Usable returns nil, or why the device is quarantined.
func (w *Worker) Usable() error {
	if w.Device == nil {
		return nil
	}
	return w.Device.Usable()
}

// close makes all that wait there, and all that come, fail with err.
func (w *Worker) close(err error) {
	w.slots.Close(err)
	if w.starts != nil {
		w.starts.Close(err)
		w.urgent.Close(err)
	}
}

// queueTrack is the timeline's track of partitions that wait for a slot, QueueTrack
// is for those who compute idle times.
func (w *Worker) queueTrack() string { return w.Name + " queue" }

// QueueTrack is the timeline's track of partitions that wait for the worker.
func (w *Worker) QueueTrack() string { return w.queueTrack() }

// slotTrack is the track of partitions that have a slot.
func (w *Worker) slotTrack() string {
	if w.Device == nil {
		return w.Name
	}
	return w.Name + " slots"
}

// Workers are all of a pipeline.
type Workers struct {
	All []*Worker

	mu     sync.Mutex // guards assigned of the workers, and solved
	solved []*solved  // partitions that wait at a worker or are proved there
}

// loadCost is how many partitions may be ahead at a worker that has the parameters
// before it pays to load them at another one: 44 GiB take as long to load as some
// sixteen partitions of a PoRep to prove.
const loadCost = 16

// place returns the usable worker, none of those to avoid, with the least work ahead
// of one more partition, and assigns it there; nil if there is none. Call release
// when the partition has ended.
func (s *Workers) place(ready func(*Worker) bool, avoid []*Worker) (best *Worker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	least := 0
	for _, w := range s.All {
		if w.Usable() != nil || slices.Contains(avoid, w) {
			continue
		}
		ahead := w.assigned
		if !ready(w) {
			ahead += loadCost
		}
		if best == nil || ahead < least {
			best, least = w, ahead
		}
	}
	if best != nil {
		best.assigned++
	}
	return best
}

// release ends what place began, and reports whether the worker is idle now.
func (s *Workers) release(w *Worker) (idle bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.assigned--
	return w.assigned == 0
}

// release ends the assignment of a partition to a worker. If that leaves the worker
// idle, batches that wait for more jobs start at once.
func (p *Pipeline) release(w *Worker) {
	if p.Workers.release(w) {
		p.batches.Flush()
	}
}

// anyIdle reports whether a usable worker has no partition assigned.
func (s *Workers) anyIdle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.All, func(w *Worker) bool { return w.assigned == 0 && w.Usable() == nil })
}

// Assigned returns how many partitions are at a worker or on their way there.
func (s *Workers) Assigned(w *Worker) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return w.assigned
}

// first returns the first usable worker.
func (s *Workers) first() (*Worker, error) {
	for _, w := range s.All {
		if w.Usable() == nil {
			return w, nil
		}
	}
	return nil, s.lost()
}

// others reports whether another worker than one is usable.
func (s *Workers) others(than *Worker) bool {
	return slices.ContainsFunc(s.All, func(w *Worker) bool { return w != than && w.Usable() == nil })
}

// lost says why no worker is left.
func (s *Workers) lost() error {
	var why []string
	for _, w := range s.All {
		if err := w.Usable(); err != nil {
			why = append(why, err.Error())
		}
	}
	return status.New(status.Device, "devices", "no device is left: %s", strings.Join(why, "; "))
}

// startsOf is the queue in which partitions with certain parameters start.
func (w *Worker) startsOf(params Copy) *sched.Queue {
	if params.Urgent() {
		return w.urgent
	}
	return w.starts
}

// Slots is the queue of those who want a slot, for tests that hold it.
func (w *Worker) Slots() *sched.Queue { return w.slots }

// SmallStarts is the queue of starts of small circuits, nil for the CPU, for tests
// that hold it.
func (w *Worker) SmallStarts() *sched.Queue { return w.urgent }
