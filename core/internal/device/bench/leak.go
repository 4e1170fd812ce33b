package main

import (
	"context"
	"fmt"

	"github.com/libcuzk/libcuzk/core/internal/device"
)

// leaks proves all cases by turns with the parameters of all of them loaded, and
// compares the free memory of the first device after the fifth round and at the
// end.
func (o *options) leaks(ctx context.Context, r *report, names, cases []string) error {
	set, err := device.OpenSet(o.library, names, device.Options{Slots: o.slots, MemoryLimit: uint64(o.limit)})
	if err != nil {
		return err
	}
	defer set.Close()
	var all []*benchCase
	for _, name := range cases {
		c := &benchCase{options: o, report: r, set: set, trace: newTrace()}
		defer c.closeParams()
		backend, err := c.prepare(ctx, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		defer backend.Close()
		all = append(all, c)
	}
	var early uint64
	for i := range o.leak {
		c := all[i%len(all)]
		if _, err := c.prove(ctx, new(stages)); err != nil {
			return fmt.Errorf("proof %d, %s: %w", i, c.name, err)
		}
		if i == min(5*len(all), o.leak)-1 {
			u, err := set.Devices[0].Memory()
			if err != nil {
				return err
			}
			early = u.Available
		}
	}
	u, err := set.Devices[0].Memory()
	if err != nil {
		return err
	}
	r.value(fmt.Sprintf("device_memory_lost_after_%d_proofs%s", o.leak, o.label), float64(int64(early)-int64(u.Available)), "B")
	return nil
}
