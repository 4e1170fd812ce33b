package engine

import (
	"io"
	"strconv"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/engine/timeline"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
)

// Status is a snapshot of an engine. Its parts are taken one after the other.
type Status struct {
	Version string // of libcuzk; package core knows it
	Backend string // where proofs are computed: "cpu" or "cuda"
	Why     string // the backend was chosen, and what was rejected
	Devices []DeviceStatus
	Threads int
	Jobs    jobs.Counts
	Queues  []QueueStatus
	Memory  budget.Status
	Params  []srs.Status // of all parameters that were asked for
	Overlap float64      // work of all jobs, added up, in relation to the time in which it was done
	Unknown []string     // limits of memory that could not be found out
	Lost    uint64       // events that the timeline has no room for any more
}

// QueueStatus is a queue with its name.
type QueueStatus = pipeline.Queue

// Status returns a snapshot.
func (e *Engine) Status() Status {
	events := e.trace.Events()
	return Status{
		Backend: e.config.Devices.backend(),
		Why:     e.config.Devices.Why,
		Devices: e.devices(events),
		Threads: e.config.Threads,
		Jobs:    e.table.Counts(),
		Queues:  e.pipeline.Queues(),
		Memory:  e.memory.Status(),
		Params:  e.store.Status(),
		Overlap: e.overlap(events),
		Unknown: e.unknown,
		Lost:    e.trace.Lost(),
	}
}

// Jobs returns reports of the remembered jobs and those under way.
func (e *Engine) Jobs() []Report { return e.table.Reports() }

// Job finds a job by the number in its report.
func (e *Engine) Job(id uint64) (*Job, bool) { return e.table.Get(id) }

// WriteTrace writes the timeline in the Chrome trace format, with each device's
// share of idle time while work waited.
func (e *Engine) WriteTrace(w io.Writer) error {
	events := e.trace.Events()
	notes := map[string]string{}
	for _, d := range e.devices(events) {
		notes[d.label()+" idle_share"] = strconv.FormatFloat(d.idleShare(), 'g', 4, 64)
	}
	return timeline.WriteTrace(w, events, notes)
}

// Idle is how the provers together spent the time between two moments: busy, or
// not busy although a solved partition was waiting.
func (e *Engine) Idle(from, to time.Time) (all timeline.Idle) {
	events := e.trace.Events()
	for _, w := range e.pipeline.Workers.All {
		all = all.Plus(timeline.IdleOf(events, w.Name, w.QueueTrack(), from, to))
	}
	return all
}

// Evict lets go of the parameters of a circuit, of all with kind "", and returns
// the bytes of memory that this freed. It is refused with code status.Busy while
// they are in use.
func (e *Engine) Evict(kind string, sectorSize uint64) (int64, error) {
	switch kind {
	case aggregateKind:
		return e.packKeys.evict()
	case "":
		freed, err := e.store.Evict("")
		if err != nil {
			return freed, err
		}
		more, err := e.packKeys.evict()
		return freed + more, err
	}
	shape, err := shapeOf(kind, sectorSize)
	if err != nil {
		return 0, err
	}
	return e.store.Evict(shape.ParamsName())
}

func shapeOf(kind string, sectorSize uint64) (filecoin.Shape, error) {
	k, err := filecoin.ParseKind(kind)
	if err != nil {
		return filecoin.Shape{}, err
	}
	return filecoin.NewShape(k, sectorSize)
}
