package engine

import (
	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// DeviceOptions say on which devices an engine proves.
type DeviceOptions struct {
	Must        bool     // without a device, fail; otherwise use the CPU then
	Library     string   // path of the device library, or a name for the loader
	Names       []string // by index or UUID; none: all that can be used
	Slots       int      // partitions on a device at once; 0: the default
	MemoryLimit int64    // bytes on each device; 0: what is free
}

// Devices are those of an engine. The zero value is none: the CPU.
type Devices struct {
	Why string // for people: what was chosen, why, and what was rejected

	set *device.Set
}

// FindDevices opens devices. An error has code NoDevice, names each device that
// was rejected, and is only returned if a device is a must.
func FindDevices(o DeviceOptions) (Devices, error) {
	set, err := device.OpenSet(o.Library, o.Names, device.Options{Slots: o.Slots, MemoryLimit: uint64(o.MemoryLimit)})
	switch {
	case err != nil && (o.Must || status.CodeOf(err) != status.NoDevice):
		return Devices{}, err
	case err != nil:
		return Devices{Why: "the CPU: " + err.Error()}, nil
	}
	why := ""
	for i, d := range set.Devices {
		if i > 0 {
			why += ", "
		}
		why += d.String()
	}
	if set.Rejected != "" {
		why += "; not " + set.Rejected
	}
	return Devices{Why: why, set: set}, nil
}

func (d Devices) all() []*device.Device {
	if d.set == nil {
		return nil
	}
	return d.set.Devices
}

func (d Devices) backend() string {
	if d.set == nil {
		return "cpu"
	}
	return "cuda"
}

func (d Devices) close() error {
	if d.set == nil {
		return nil
	}
	return d.set.Close()
}
