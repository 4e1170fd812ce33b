// Package device proves on GPUs: it joins the device library (package gpu) to
// groth16.Backend. The plan of a proof stays groth16's; a device returns the
// five sums of a partition.
package device

import (
	"errors"
	"fmt"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/gpu"
)

// Device is one GPU in use. It is quarantined for good after a sticky error or
// when its results were found wrong. Safe for concurrent use.
type Device struct {
	Info  gpu.Info
	slots int
	gpu   *gpu.Device
	waits spawn.Group // jobs whose caller has gone
	clock clock

	use    sync.RWMutex // keeps the device while somebody looks at its memory
	closed bool         // guarded by use

	mu   sync.Mutex // guards what follows
	lost error      // why the device is quarantined
}

// Options say how devices are used.
type Options struct {
	Slots       int    // partitions in flight per circuit and device; 0: DefaultSlots
	MemoryLimit uint64 // bytes on each device; 0: what is free
	Part        int    // points that are loaded at a time; 0: gpu.DefaultPart
}

// DefaultSlots lets one partition be uploaded and one be read back while a
// third is computed.
const DefaultSlots = 3

// Open opens a device that the library lists.
func Open(l *gpu.Library, info gpu.Info, o Options) (*Device, error) {
	if info.Rejected != "" {
		return nil, status.New(status.NoDevice, "device", "device %d (%s): %s", info.Index, info.Name, info.Rejected)
	}
	if o.Slots == 0 {
		o.Slots = DefaultSlots
	}
	g, err := l.Open(gpu.Options{Index: info.Index, Slots: o.Slots, MemoryLimit: o.MemoryLimit, Part: o.Part})
	if err != nil {
		return nil, classify(err)
	}
	return &Device{Info: info, slots: o.Slots, gpu: g}, nil
}

// String names the device for people: "device 0 (NVIDIA H200)".
func (d *Device) String() string { return fmt.Sprintf("device %d (%s)", d.Info.Index, d.Info.Name) }

// Track names the device in metrics and in the timeline: "gpu 0".
func (d *Device) Track() string { return fmt.Sprintf("gpu %d", d.Info.Index) }

// Slots returns how many partitions may be in flight.
func (d *Device) Slots() int { return d.slots }

// Memory returns how much device memory is in use.
func (d *Device) Memory() (gpu.Usage, error) {
	d.use.RLock()
	defer d.use.RUnlock()
	if d.closed {
		return gpu.Usage{}, status.New(status.Closed, "device", "%s is closed", d)
	}
	u, err := d.gpu.Memory()
	return u, d.note(err)
}

// Quarantine takes the device out of use because its results are wrong. The
// first reason stays.
func (d *Device) Quarantine(reason error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost == nil {
		d.lost = reason
	}
}

// Usable returns nil, or an error of code Device that says why the device is
// quarantined.
func (d *Device) Usable() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost == nil {
		return nil
	}
	return status.New(status.Device, "quarantined", "%s is quarantined: %w", d, d.lost)
}

// note classifies a failure of the device and quarantines it after one that it
// does not survive.
func (d *Device) note(err error) error {
	err = classify(err)
	var g *gpu.Error
	if errors.As(err, &g) && g.Code == gpu.Lost {
		d.Quarantine(g)
	}
	return err
}

// Close waits for abandoned jobs and lets go of the device. Close its backends
// first.
func (d *Device) Close() error {
	err := d.waits.Wait()
	d.use.Lock()
	defer d.use.Unlock()
	if !d.closed {
		d.closed = true
		d.gpu.Close()
	}
	return err
}

// classify gives a failure of the device library its code.
func classify(err error) error {
	var g *gpu.Error
	if !errors.As(err, &g) {
		return err
	}
	code := status.Internal
	switch g.Code {
	case gpu.Missing:
		code = status.NoDevice
	case gpu.Memory:
		return status.New(status.Memory, "device", "device memory: %d bytes needed, %d available: %w", g.Needed, g.Available, err)
	case gpu.Stopped:
		code = status.Cancelled
	case gpu.Call, gpu.Lost:
		code = status.Device
	case gpu.Point:
		code = status.SRSPoint
	}
	return status.New(code, g.Stage, "%w", err)
}
