package device

import (
	"errors"

	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/gpu"
)

// Set is the devices of one engine.
type Set struct {
	Devices  []*Device
	Rejected string // which visible devices are not used, and why; may be empty
}

// OpenSet opens the device library at path and the devices named (see
// [Choose]). If one that is named fails to open, none stays open; where none is
// named, those that fail are rejected. An error of code NoDevice says why nothing
// can be used: a caller that prefers a device but can do without one falls back
// and reports it, one that was asked for a device fails.
func OpenSet(path string, names []string, o Options) (*Set, error) {
	library, err := gpu.Load(path)
	if err != nil {
		return nil, classify(err)
	}
	all, err := library.Devices()
	if err != nil {
		return nil, status.New(status.NoDevice, "devices", "listing devices: %w", err)
	}
	chosen, err := Choose(all, names)
	if err != nil {
		return nil, err
	}
	s := &Set{}
	if len(chosen) < len(all) {
		s.Rejected = Rejections(all)
	}
	for _, info := range chosen {
		d, err := Open(library, info, o)
		switch {
		case err == nil:
			s.Devices = append(s.Devices, d)
		case len(names) > 0:
			return nil, errors.Join(err, s.Close())
		default:
			all[info.Index].Rejected = err.Error()
			s.Rejected = Rejections(all)
		}
	}
	if len(s.Devices) == 0 {
		return nil, status.New(status.NoDevice, "devices", "no usable device: %s", s.Rejected)
	}
	return s, nil
}

// Close closes all devices.
func (s *Set) Close() (err error) {
	for _, d := range s.Devices {
		err = errors.Join(err, d.Close())
	}
	return err
}
