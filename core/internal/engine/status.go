package engine

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"libcuzk/core/internal/engine/budget"
	"libcuzk/core/internal/engine/jobs"
	"libcuzk/core/internal/engine/sched"
	"libcuzk/core/internal/engine/srs"
	"libcuzk/core/internal/engine/timeline"
	"libcuzk/core/internal/filecoin"
)

// Status is a snapshot of an engine. Its parts are taken one after the other.
type Status struct {
	Version string // of libcuzk; package core knows it
	Backend string // where proofs are computed: "cpu" or "cuda"
	Devices []DeviceStatus
	Threads int
	Jobs    jobs.Counts
	Queues  []QueueStatus
	Memory  budget.Status
	Params  []srs.Status // of all parameters that were asked for
	Lost    uint64       // events that the timeline has no room for any more
}

// DeviceStatus is a device that the engine may use, or had to give up.
type DeviceStatus struct {
	Name, UUID   string
	Memory, Used int64 // bytes that the engine may use there, and those that it does
	Usable       bool  // false: it failed, and gets no work any more
}

// QueueStatus is a queue with its name.
type QueueStatus struct {
	Name string
	sched.Load
}

// Status returns a snapshot.
func (e *Engine) Status() Status {
	return Status{
		Backend: "cpu",
		Threads: e.config.Threads,
		Jobs:    e.table.Counts(),
		Queues:  []QueueStatus{{"solve", e.solves.Load()}, {"prove", e.proves.Load()}},
		Memory:  e.memory.Status(),
		Params:  e.params.Status(),
		Lost:    e.trace.Lost(),
	}
}

// Jobs returns reports of the remembered jobs and those under way.
func (e *Engine) Jobs() []Report { return e.table.Reports() }

// Job finds a job by the number in its report.
func (e *Engine) Job(id uint64) (*Job, bool) { return e.table.Get(id) }

// WriteTrace writes the timeline in the Chrome trace format.
func (e *Engine) WriteTrace(w io.Writer) error { return timeline.WriteTrace(w, e.trace.Events()) }

// Idle is how the prover spent the time between two moments: busy, or not busy
// although a solved partition was waiting.
func (e *Engine) Idle(from, to time.Time) timeline.Idle {
	return timeline.IdleOf(e.trace.Events(), "prove", "prove queue", from, to)
}

// Preload checks and maps the parameters of a circuit. progress may be nil; it is
// told bytes.
func (e *Engine) Preload(ctx context.Context, kind string, sectorSize uint64, progress func(stage string, done, total int64)) error {
	shape, err := shapeOf(kind, sectorSize)
	if err != nil {
		return err
	}
	w := srs.Want{Name: e.shapes.name(shape), Places: []srs.Place{{Tier: srs.Mapped}}, Task: sched.Task{Priority: sched.Low, Since: time.Now()}}
	if progress != nil {
		w.Progress = func(p srs.Progress) { progress(p.Stage, p.Done, p.Total) }
	}
	return e.params.Preload(ctx, w)
}

// Evict lets go of the parameters of a circuit, of all with kind "", and returns
// the bytes of memory that this freed. It is refused with code status.Busy while
// they are in use.
func (e *Engine) Evict(kind string, sectorSize uint64) (int64, error) {
	if kind == "" {
		return e.params.Evict("")
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

// JSON renders a status: {"version":…,"backend":…,"devices":[{"name":…,"uuid":…,
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
		devices = append(devices, map[string]any{"name": d.Name, "uuid": d.UUID, "memory": d.Memory, "used": d.Used, "usable": d.Usable})
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
		"devices": devices,
		"threads": s.Threads,
		"jobs":    map[string]any{"now": s.Jobs.Now, "ended": s.Jobs.Ended},
		"queues":  queues,
		"memory": map[string]any{"used": used, "waiting": s.Memory.Waiting,
			"limits": map[string]any{"host": limits.Host, "pinned": limits.Pinned, "backlog": limits.Backlog, "device": limits.Device}},
		"params":      params,
		"lost_events": s.Lost,
	}
}
