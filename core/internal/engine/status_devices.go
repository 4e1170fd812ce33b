package engine

import (
	"fmt"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/timeline"
)

// DeviceStatus is a device that the engine may use, or had to give up.
type DeviceStatus struct {
	Index        int // as CUDA numbers it
	Name, UUID   string
	Memory, Used int64         // bytes that the engine may use there, and those that it does
	Usable       bool          // false: it failed, and gets no work any more
	Why          string        // it is not usable; ""
	Slots        int           // partitions that it takes up at once
	Busy, Wanted time.Duration // computing, and not computing although a partition waited, since the oldest event of the timeline
}

// devices returns the state of all devices.
func (e *Engine) devices(events []timeline.Event) (out []DeviceStatus) {
	if len(e.config.Devices.all()) == 0 {
		return nil
	}
	for i, w := range e.pipeline.Workers.All {
		d := DeviceStatus{Index: w.Device.Info.Index, Name: w.Device.Info.Name, UUID: w.Device.Info.UUID.String(), Memory: e.limits.Device[i], Usable: true, Slots: w.Device.Slots()}
		if err := w.Usable(); err != nil {
			d.Usable, d.Why = false, err.Error()
		} else if u, err := w.Device.Memory(); err == nil {
			d.Used = int64(u.Used)
		}
		if len(events) > 0 {
			idle := timeline.IdleOf(events, w.Name, w.QueueTrack(), events[0].Start, time.Now())
			d.Busy, d.Wanted = idle.Busy, idle.Wanted
		}
		out = append(out, d)
	}
	return out
}

// overlap is how far solving, proving and verifying ran side by side in the time
// that the timeline remembers: 1, one thing after the other.
func (e *Engine) overlap(events []timeline.Event) float64 {
	tracks := []string{"solve", "verify"}
	for _, w := range e.pipeline.Workers.All {
		tracks = append(tracks, w.Name)
	}
	return timeline.Overlap(events, tracks...)
}

// label is the device's name in metrics, and that of its track.
func (d DeviceStatus) label() string { return fmt.Sprintf("gpu %d", d.Index) }

// idleShare is the part of the time with something to do in which the device did
// nothing.
func (d DeviceStatus) idleShare() float64 {
	if d.Busy+d.Wanted == 0 {
		return 0
	}
	return float64(d.Wanted) / float64(d.Busy+d.Wanted)
}
