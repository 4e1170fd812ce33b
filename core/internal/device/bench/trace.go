package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"sync"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/gpu"
)

// trace collects what host and device did, for a Chrome trace.
type trace struct {
	start time.Time // the device's clock starts about here

	mu     sync.Mutex
	events []event
	busy   map[int][]gpu.Span // when kernels ran, by device
}

// event is a complete event of the trace format; times in microseconds.
type event struct {
	Name string  `json:"name"`
	Ph   string  `json:"ph"`
	Ts   float64 `json:"ts"`
	Dur  float64 `json:"dur"`
	Pid  string  `json:"pid"`
	Tid  string  `json:"tid"`
}

func newTrace() *trace { return &trace{start: time.Now(), busy: map[int][]gpu.Span{}} }

func (t *trace) add(pid, tid, name string, from, to time.Duration) {
	t.events = append(t.events, event{name, "X", float64(from.Nanoseconds()) / 1e3, float64((to - from).Nanoseconds()) / 1e3, pid, tid})
}

// host records an activity that ends now and returns its time.
func (t *trace) host(name string, k int, from time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := time.Since(from)
	t.add("host", "partition "+string(rune('0'+k/10))+string(rune('0'+k%10)), name, from.Sub(t.start), from.Sub(t.start)+d)
	return d
}

// device returns an observer of a device's partitions.
func (t *trace) device(d *device.Device) func(*device.Device, *gpu.Sums) {
	return func(_ *device.Device, sums *gpu.Sums) {
		t.mu.Lock()
		defer t.mu.Unlock()
		for i, s := range sums.Spans {
			stage, tid := gpu.Stage(i), "compute"
			switch stage {
			case gpu.Upload:
				tid = "copy"
			case gpu.SumL, gpu.SumA, gpu.SumB1, gpu.SumB2:
				tid = "sums"
			}
			if stage != gpu.Upload {
				t.busy[d.Info.Index] = append(t.busy[d.Info.Index], sums.Working(stage)...)
			}
			t.add(fmt.Sprintf("device %d (%s)", d.Info.Index, d.Info.Name), tid, stage.String(), s.Start, s.End)
		}
	}
}

func (t *trace) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events, t.busy = nil, map[int][]gpu.Span{}
}

// idle is the greatest share, among the devices, of the time between the first
// and the last partition in which a device had nothing to run.
func (t *trace) idle() (most float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, busy := range t.busy {
		sort.Slice(busy, func(i, j int) bool { return busy[i].Start < busy[j].Start })
		first, last, gaps := busy[0].Start, busy[0].End, time.Duration(0)
		for _, b := range busy[1:] {
			gaps += max(0, b.Start-last)
			last = max(last, b.End)
		}
		most = max(most, float64(gaps)/float64(last-first))
	}
	return most
}

// write saves the trace.
func (t *trace) write(path string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	data, err := json.Marshal(t.events)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
