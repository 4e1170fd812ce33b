package engine

import (
	"context"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/measure"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// measureOnDevice times a part on the first usable device, whose slots it takes
// all. Parameters of a circuit of that size are made there and let go again.
func (e *Engine) measureOnDevice(ctx context.Context, t *task, part measure.Part, repeats int) ([]time.Duration, error) {
	s, err := e.firstDevice()
	if err != nil {
		return nil, err
	}
	host := budget.Ask{Purpose: "measure", Amount: budget.Amount{Host: part.HostBytes()}, Task: t.order(0)}
	lease, err := e.memory.Reserve(ctx, host)
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	t.stage("make", 0)
	proof, err := part.Proof(ctx, e.config.Threads)
	if err != nil {
		return nil, err
	}
	amount, err := e.measureShare(proof, s.place.Device)
	if err != nil {
		return nil, err
	}
	onCard, err := e.memory.Reserve(ctx, budget.Ask{Purpose: "measure", Amount: amount, Task: t.order(0)})
	if err != nil {
		return nil, err
	}
	defer onCard.Release()
	free, err := t.slot(ctx, s.slots, s.need(1, t.priority), s.queue(), 0, 0)
	if err != nil {
		return nil, err
	}
	defer free()
	backend, err := s.device.Load(ctx, proof.Circuit, proof.Plan, device.Generated(proof.Scalars), device.Limits{Device: uint64(amount.Device)})
	if err != nil {
		return nil, err
	}
	defer backend.Close()
	t.stage("measure", int64(repeats))
	return proof.Run(ctx, backend, repeats, func() { t.step(1) })
}

// firstDevice is the first usable one.
func (e *Engine) firstDevice() (*site, error) {
	for _, s := range e.sites.all {
		if s.usable() == nil {
			return s, nil
		}
	}
	return nil, e.sites.lost()
}

// measureShare is what the measurement may take of the i-th device: parameters
// that come in pieces would measure something else.
func (e *Engine) measureShare(p *measure.Proof, i int) (budget.Amount, error) {
	n := need{Need: device.NeedOf(p.Circuit, p.Plan)}
	amount := n.of(e.limits.Device[i], 0, i)
	if amount.Device < int64(n.Resident) {
		return amount, status.New(status.Budget, "device_memory_limit", "measuring takes %d bytes of a device, the limit is %d", n.Resident, e.limits.Device[i])
	}
	return amount, nil
}
