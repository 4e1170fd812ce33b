package device

import (
	"context"
	"errors"

	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
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

// Load fills the parameters of a circuit on every usable device, one device
// beside the other, and returns a backend over them. Devices that fail are left
// out if at least one succeeds; otherwise the first failure is returned.
func (s *Set) Load(ctx context.Context, c *r1cs.Circuit, p *groth16.Plan, from Source, most Limits) (*Pool, error) {
	backends := make([]*Backend, len(s.Devices))
	failures := make([]error, len(s.Devices))
	err := spawn.Each(ctx, len(s.Devices), len(s.Devices), func(i int) error {
		backends[i], failures[i] = s.Devices[i].Load(ctx, c, p, from, most)
		return nil
	})
	var loaded []*Backend
	for _, b := range backends {
		if b != nil {
			loaded = append(loaded, b)
		}
	}
	pool := NewPool(loaded...)
	if err == nil && len(loaded) > 0 {
		return pool, nil
	}
	pool.Close()
	if err != nil {
		return nil, status.Classify(err)
	}
	for _, err := range failures {
		if err != nil {
			return nil, err
		}
	}
	return nil, status.New(status.NoDevice, "devices", "no device is open")
}

// Close closes all devices; close the pools first.
func (s *Set) Close() (err error) {
	for _, d := range s.Devices {
		err = errors.Join(err, d.Close())
	}
	return err
}
