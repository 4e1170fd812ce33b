package engine

import (
	"encoding/json"
	"io"
	"strconv"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
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
	Lost    uint64       // events that the timeline has no room for any more
}

// QueueStatus is a queue with its name.
type QueueStatus struct {
	Name string
	sched.Load
}

// Status returns a snapshot.
func (e *Engine) Status() Status {
	events := e.trace.Events()
	return Status{
		Backend: e.config.Devices.backend(),
		Why:     e.config.Devices.Why,
		Devices: e.devices(events),
		Threads: e.config.Threads,
		Jobs:    e.table.Counts(),
		Queues:  e.queues(),
		Memory:  e.memory.Status(),
		Params:  e.params.Status(),
		Overlap: e.overlap(events),
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
	for _, s := range e.sites.all {
		all = all.Plus(timeline.IdleOf(events, s.name, s.queue(), from, to))
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
		freed, err := e.params.Evict("")
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
	return e.params.Evict(shape.ParamsName())
}

func shapeOf(kind string, sectorSize uint64) (filecoin.Shape, error) {
	k, err := filecoin.ParseKind(kind)
	if err != nil {
		return filecoin.Shape{}, err
	}
	return filecoin.NewShape(k, sectorSize)
}

// JSON renders a status: {"version":…,"backend":…,"why":…,"devices":[{"name":…,"uuid":…,
// "memory":…,"used":…,"usable":…}],"threads":…,"jobs":{"now":{…},"ended":{…}},"queues":
// [{"name":…,"waiting":{…},"running":…}],"memory":{"limits":{…},"used":[…],
// "waiting":…},"params":[{"name":…,"file_bytes":…,"tier":…,"copies":[…]}]}. All
// sizes are bytes.
func (s Status) JSON() []byte {
	text, err := json.Marshal(s.view())
	if err != nil {
		panic(err) // plain fields: cannot happen
	}
	return text
}

// view is the status as plain maps and lists with the names of the JSON.
func (s Status) view() map[string]any {
	queues, used, params, devices := []any{}, []any{}, []any{}, []any{}
	for _, d := range s.Devices {
		devices = append(devices, d.view())
	}
	for _, q := range s.Queues {
		waiting := map[string]int{}
		for _, p := range sched.Priorities() {
			waiting[p.String()] = q.Waiting[p]
		}
		queues = append(queues, map[string]any{"name": q.Name, "waiting": waiting, "running": q.Running, "oldest_ms": q.Oldest.Milliseconds()})
	}
	for _, u := range s.Memory.Used {
		used = append(used, map[string]any{"purpose": u.Purpose, "host": u.Host, "pinned": u.Pinned, "backlog": u.Backlog,
			"device": u.Device, "idle": u.Idle, "leases": u.Leases})
	}
	for _, p := range s.Params {
		copies := []any{}
		for _, c := range p.Copies {
			copies = append(copies, map[string]any{"tier": c.Place.Tier.String(), "device": c.Place.Device, "bytes": p.Bytes(c),
				"refs": c.Refs, "loading": c.Loading, "stage": c.Progress.Stage, "done": c.Progress.Done, "total": c.Progress.Total})
		}
		params = append(params, map[string]any{"name": p.Name, "path": p.File.Path, "file_bytes": p.File.Size,
			"checked": p.Checked, "tier": p.Tier.String(), "copies": copies})
	}
	limits := s.Memory.Limits
	return map[string]any{
		"version": s.Version,
		"backend": s.Backend,
		"why":     s.Why,
		"devices": devices,
		"threads": s.Threads,
		"jobs":    map[string]any{"now": s.Jobs.Now, "ended": s.Jobs.Ended},
		"queues":  queues,
		"memory": map[string]any{"used": used, "waiting": s.Memory.Waiting,
			"limits": map[string]any{"host": limits.Host, "pinned": limits.Pinned, "backlog": limits.Backlog, "device": limits.Device}},
		"params":      params,
		"overlap":     s.Overlap,
		"lost_events": s.Lost,
	}
}
