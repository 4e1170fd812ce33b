package engine

import (
	"context"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/measure"
)

// measureOnDevice times a part on the first usable device, whose slots it takes
// all. Parameters of a circuit of that size are made there and let go again.
func (e *Engine) measureOnDevice(ctx context.Context, t *pipeline.Task, part measure.Part, repeats int) ([]time.Duration, error) {
	host := budget.Ask{Purpose: "measure", Amount: budget.Amount{Host: part.HostBytes()}, Task: t.Order(0)}
	lease, err := e.memory.Reserve(ctx, host)
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	t.Stage("make", 0)
	proof, err := part.Proof(ctx, e.config.Threads)
	if err != nil {
		return nil, err
	}
	w, free, err := e.pipeline.Device(ctx, t)
	if err != nil {
		return nil, err
	}
	defer free()
	amount, err := e.store.MeasureShare(proof.Circuit, proof.Plan, w.Place.Device)
	if err != nil {
		return nil, err
	}
	onCard, err := e.memory.Reserve(ctx, budget.Ask{Purpose: "measure", Amount: amount, Task: t.Order(0)})
	if err != nil {
		return nil, err
	}
	defer onCard.Release()
	backend, err := w.Device.Load(ctx, proof.Circuit, proof.Plan, device.Generated(proof.Scalars), device.Limits{Device: uint64(amount.Device)})
	if err != nil {
		return nil, err
	}
	defer backend.Close()
	t.Stage("measure", int64(repeats))
	return proof.Run(ctx, backend, repeats, func() { t.Step(1) })
}
