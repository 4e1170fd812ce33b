package engine

import (
	"context"
	"errors"

	"libcuzk/core/internal/device"
	"libcuzk/core/internal/engine/budget"
	"libcuzk/core/internal/engine/fault"
	"libcuzk/core/internal/params"
	"libcuzk/core/internal/r1cs"
	"libcuzk/core/internal/status"
)

// upload makes a prover whose points are on a device.
func (e *Engine) upload(ctx context.Context, from *prover, at int, progress func(done, total int64)) (*prover, error) {
	s := e.sites.all[at]
	if err := fault.At(e.config.Faults, fault.Device); err != nil {
		return nil, deviceFault(err)
	}
	file, err := params.Open(from.file.Path)
	if err != nil {
		return nil, err
	}
	p := &prover{circuit: from.circuit, plan: from.plan, layout: from.layout, file: file}
	progress(0, file.Bytes())
	if err := p.load(ctx, s.device); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.amount.On = at
	progress(file.Bytes(), file.Bytes())
	e.log(Info, "parameters of %s on %s: %d bytes", file.Path, s.name, p.amount.Device)
	return p, p.prove(file.SRS().Key, p.device)
}

// load fills the device and learns what that took.
func (p *prover) load(ctx context.Context, d *device.Device) error {
	before, err := d.Memory()
	if err != nil {
		return err
	}
	if p.device, err = d.Load(ctx, p.circuit, p.plan, device.File(p.file), device.Limits{}); err != nil {
		return err
	}
	after, err := d.Memory()
	p.amount = budget.Amount{Device: int64(after.Used - min(before.Used, after.Used))}
	return err
}

// deviceBytes is the most that a circuit's parameters and the work with them
// take on a device.
func deviceBytes(c *r1cs.Circuit) int64 {
	const staging, perPoint = 64 << 20, 256
	return params.LayoutOf(c).Size()*5/4 + perPoint*int64(c.Domain()) + staging
}

// deviceFault is an injected failure of a device.
func deviceFault(err error) error {
	return status.New(status.Device, "fault", "%w", err)
}
