package engine

import (
	"bytes"
	"io"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
	"github.com/libcuzk/libcuzk/core/internal/engine/metrics"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
)

// meters are the engine's metrics. What changes with jobs is counted when it
// happens, the state of the rooms is read when it is asked for.
type meters struct {
	registry metrics.Registry
	jobs     *metrics.Counter   // by kind and end
	seconds  *metrics.Histogram // of whole jobs, by kind
	stages   *metrics.Counter   // wall seconds, by kind and stage
	work     *metrics.Counter   // summed seconds, by kind and stage
	pipeline pipeline.Counters

	scrape sync.Mutex // held while gauges are set and written, so that no scrape sees those of another half set

	under   *metrics.Gauge // jobs, by state
	waiting *metrics.Gauge // partitions, by queue and priority
	memory  *metrics.Gauge // bytes, by purpose and kind of memory
	limit   *metrics.Gauge // bytes, by kind of memory
	params  *metrics.Gauge // bytes, by tier
	usable  *metrics.Gauge // 1 or 0, by device
}

// buckets in seconds, from a WinningPoSt on a device to a PoRep on a CPU.
var buckets = []float64{0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 900, 3600}

func newMeters() *meters {
	m := &meters{}
	r := &m.registry
	m.jobs = r.Counter("cuzk_jobs_total", "Jobs that have ended.", "kind", "state")
	m.seconds = r.Histogram("cuzk_job_seconds", "Time of jobs that were done, from submit to result.", buckets, "kind")
	m.stages = r.Counter("cuzk_stage_wall_seconds_total", "Time during which a stage of a job was under way.", "kind", "stage")
	m.work = r.Counter("cuzk_stage_sum_seconds_total", "Times of all pieces of a stage, added up.", "kind", "stage")
	m.pipeline.Retries = r.Counter("cuzk_partition_retries_total", "Partitions that were made again because their proof did not hold.")
	m.pipeline.Batches = r.Counter("cuzk_batches_total", "Groups of jobs that were let on together, also those of one.")
	m.pipeline.Batched = r.Counter("cuzk_batched_jobs_total", "Jobs in those groups.")
	m.pipeline.Failures = r.Counter("cuzk_device_failures_total", "Partitions that failed on a device and were tried again.", "device", "code")
	m.pipeline.Wrong = r.Counter("cuzk_device_wrong_total", "Jobs for which a device gave a wrong answer.", "device")
	m.pipeline.Paused = r.Counter("cuzk_device_pause_seconds_total", "Time within stages in which a device had nothing to run of them, waiting for the host.", "device")
	m.under = r.Gauge("cuzk_jobs", "Jobs under way.", "state")
	m.waiting = r.Gauge("cuzk_waiting_partitions", "Partitions that wait for a slot.", "queue", "priority")
	m.memory = r.Gauge("cuzk_memory_bytes", "Memory that is reserved.", "purpose", "memory")
	m.limit = r.Gauge("cuzk_memory_limit_bytes", "Memory that may be reserved.", "memory")
	m.params = r.Gauge("cuzk_params_bytes", "Parameters that are loaded, by tier.", "tier")
	m.usable = r.Gauge("cuzk_device_usable", "1 while a device gets work, 0 once it has failed.", "device")
	return m
}

// ended counts a job. It is called once for each.
func (m *meters) ended(r Report) {
	m.jobs.Add(1, r.Kind, string(r.State))
	if r.State == jobs.Done {
		m.seconds.Observe(r.Ended.Sub(r.Submitted).Seconds(), r.Kind)
	}
	for _, s := range r.Stages {
		m.stages.Add(s.Wall.Seconds(), r.Kind, s.Name)
		m.work.Add(s.Sum.Seconds(), r.Kind, s.Name)
	}
}

// WriteMetrics writes all metrics in the Prometheus text format. Scrapes at the same
// time follow one another.
func (e *Engine) WriteMetrics(w io.Writer) error {
	text, err := e.meters.text(e.Status())
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// text renders all metrics with the gauges of a status.
func (m *meters) text(s Status) ([]byte, error) {
	m.scrape.Lock()
	defer m.scrape.Unlock()
	m.read(s)
	var text bytes.Buffer
	_, err := m.registry.WriteTo(&text)
	return text.Bytes(), err
}

// devices sets the gauges of devices.
func (m *meters) devices(all []DeviceStatus) {
	for _, d := range all {
		usable := 0.0
		if d.Usable {
			usable = 1
		}
		m.usable.Set(usable, d.label())
		m.limit.Set(float64(d.Memory), d.label())
	}
}

// read sets the gauges.
func (m *meters) read(s Status) {
	for _, g := range []*metrics.Gauge{m.under, m.waiting, m.memory, m.params, m.usable} {
		g.Reset()
	}
	for _, state := range []jobs.State{jobs.Queued, jobs.Running} {
		m.under.Set(float64(s.Jobs.Now[state]), string(state))
	}
	for _, q := range s.Queues {
		for _, p := range sched.Priorities() {
			m.waiting.Set(float64(q.Waiting[p]), q.Name, p.String())
		}
	}
	for _, u := range s.Memory.Used {
		m.memory.Set(float64(u.Host), u.Purpose, "host")
		m.memory.Set(float64(u.Pinned), u.Purpose, "pinned")
		m.memory.Set(float64(u.Backlog), u.Purpose, "backlog")
		for i, d := range s.Devices {
			m.memory.Set(float64(u.Device[i]), u.Purpose, d.label())
		}
	}
	m.devices(s.Devices)
	m.limit.Set(float64(s.Memory.Limits.Host), "host")
	m.limit.Set(float64(s.Memory.Limits.Backlog), "backlog")
	bytes := map[srs.Tier]int64{}
	for _, p := range s.Params {
		for _, c := range p.Copies {
			bytes[c.Place.Tier] += p.Bytes(c)
		}
	}
	for tier := srs.Mapped; tier <= srs.Device; tier++ {
		m.params.Set(float64(bytes[tier]), tier.String())
	}
}
