package engine

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/measure"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Measure asks for the time of one part of proving, alone: see package measure.
// An engine with devices measures those parts that they can do on the first one.
type Measure struct {
	What    string // "ntt", "msm_g1", …: see measure.Names
	Log2    int    // logarithm of the number of elements
	Repeats int    // 0: one
	Options JobOptions
}

// Measures lists what can be measured.
func Measures() []string { return measure.Names() }

// maxRepeats bounds the result.
const maxRepeats = 1 << 16

// SubmitMeasure starts a job that takes a prover's slot, so that it is not
// measured beside a proof. Its result is Repeats times in nanoseconds, each 8
// bytes, little-endian.
func (e *Engine) SubmitMeasure(ctx context.Context, r Measure) (*Job, error) {
	part, err := measure.New(r.What, r.Log2)
	if err != nil {
		return nil, err
	}
	if r.Repeats < 0 || r.Repeats > maxRepeats {
		return nil, status.New(status.Argument, "repeats", "%d repeats, want 0 to %d", r.Repeats, maxRepeats)
	}
	amount := budget.Amount{Host: part.Bytes()}
	devices := len(e.config.Devices.all()) > 0
	if devices {
		amount.Host = part.HostBytes()
		if err := part.Provable(); err != nil {
			return nil, err
		}
	}
	if err := e.memory.Never(amount); err != nil {
		return nil, status.Annotate(err, "%s can never fit", part)
	}
	q := request{kind: "measure", options: r.Options, rest: []any{r.What, r.Log2, r.Repeats}}
	return e.submit(ctx, q, func(ctx context.Context, t *pipeline.Task) ([]byte, error) {
		run := e.measureOnCPU
		if devices {
			run = e.measureOnDevice
		}
		times, err := run(ctx, t, part, max(r.Repeats, 1))
		var out []byte
		for _, d := range times {
			out = binary.LittleEndian.AppendUint64(out, uint64(d.Nanoseconds()))
		}
		return out, err
	})
}

func (e *Engine) measureOnCPU(ctx context.Context, t *pipeline.Task, part measure.Part, repeats int) ([]time.Duration, error) {
	amount := budget.Amount{Host: part.Bytes()}
	lease, err := e.memory.Reserve(ctx, budget.Ask{Purpose: "measure", Amount: amount, Task: t.Order(0)})
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	free, err := e.pipeline.CPU(ctx, t)
	if err != nil {
		return nil, err
	}
	defer free()
	t.Stage("measure", int64(repeats))
	return part.Run(ctx, repeats, e.config.Threads, func() { t.Step(1) })
}
