package device

import (
	"context"
	"sync"
	"time"

	"libcuzk/core/internal/groth16"
	"libcuzk/core/internal/r1cs"
	"libcuzk/core/internal/status"
	"libcuzk/gpu"
)

// Backend proves partitions of one circuit on one device, with the parameters
// resident there. It implements groth16.Backend; up to the device's slots of
// calls are in flight, further ones wait.
type Backend struct {
	device  *Device
	circuit *gpu.Circuit
	params  *gpu.Params
	slots   chan struct{} // holds one token per partition in flight

	// Observe, if set before use, is told the stages of every finished
	// partition.
	Observe func(d *Device, spans [gpu.Stages]gpu.Span)

	inFlight sync.WaitGroup
}

// Device returns where the backend computes.
func (b *Backend) Device() *Device { return b.device }

// Load copies a circuit to the device and fills its parameters from a source.
// When ctx ends, it stops between pieces of some megabytes.
func (d *Device) Load(ctx context.Context, c *r1cs.Circuit, p *groth16.Plan, from Source) (*Backend, error) {
	if err := d.Usable(); err != nil {
		return nil, err
	}
	b := &Backend{device: d, slots: make(chan struct{}, d.slots)}
	if err := b.load(ctx, c, p, from); err != nil {
		b.Close()
		return nil, d.note(err)
	}
	return b, nil
}

func (b *Backend) load(ctx context.Context, c *r1cs.Circuit, p *groth16.Plan, from Source) (err error) {
	if b.circuit, err = b.device.gpu.NewCircuit(matrices(c, p)); err != nil {
		return err
	}
	if b.params, err = b.circuit.NewParams(); err != nil {
		return err
	}
	if err = from.fill(ctx, b.params); err != nil {
		return err
	}
	return b.params.Finish()
}

// Close waits for the partitions in flight and frees what the backend has on
// the device.
func (b *Backend) Close() {
	b.inFlight.Wait()
	if b.params != nil {
		b.params.Close()
	}
	if b.circuit != nil {
		b.circuit.Close()
	}
}

// Sums proves one partition. If ctx ends, Sums returns at once, while the device
// finishes what was queued.
func (b *Backend) Sums(ctx context.Context, _ *r1cs.Circuit, _ *groth16.Plan, w *r1cs.Witness, t *groth16.Timings) (sums groth16.Sums, err error) {
	if err := b.device.Usable(); err != nil {
		return sums, err
	}
	select {
	case b.slots <- struct{}{}:
	case <-ctx.Done():
		return sums, status.Ended(ctx)
	}
	job, err := b.submit(ctx, w)
	if err != nil {
		<-b.slots
		return sums, b.device.note(err)
	}
	done := make(chan outcome, 1)
	b.inFlight.Add(1)
	b.device.waits.Go(func() error {
		defer func() {
			job.Release()
			<-b.slots
			b.inFlight.Done()
		}()
		s, err := job.Wait()
		done <- outcome{s, err, time.Now()}
		return nil
	})
	select {
	case o := <-done:
		return b.finish(ctx, o, t)
	case <-ctx.Done():
		return sums, status.Ended(ctx)
	}
}

// submit hands a witness to the device when it is its turn.
func (b *Backend) submit(ctx context.Context, w *r1cs.Witness) (*gpu.Job, error) {
	release, err := turn(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return b.params.Submit(&gpu.Witness{Inputs: w.Inputs, Bits: w.Bits, Scalars: w.Scalars})
}

type outcome struct {
	sums *gpu.Sums
	err  error
	back time.Time // when the host learned of it
}

func (b *Backend) finish(ctx context.Context, o outcome, t *groth16.Timings) (groth16.Sums, error) {
	if o.err != nil {
		return groth16.Sums{}, b.device.note(o.err)
	}
	s := o.sums
	for stage, to := range map[gpu.Stage]*groth16.Stage{
		gpu.Upload: &t.Eval, gpu.Rows: &t.Eval, gpu.NTT: &t.NTT, gpu.SumH: &t.H, gpu.SumL: &t.L,
		gpu.SumA: &t.A, gpu.SumB1: &t.B1, gpu.SumB2: &t.B2, gpu.Download: &t.B2,
	} {
		*to += groth16.Stage(s.Spans[stage].End - s.Spans[stage].Start)
	}
	b.device.record(ctx, &s.Spans, o.back)
	if b.Observe != nil {
		b.Observe(b.device, s.Spans)
	}
	return groth16.Sums{H: s.H, L: s.L, A: s.A, B1: s.B1, B2: s.B2}, nil
}

// matrices converts a circuit and its plan into the device's form.
func matrices(c *r1cs.Circuit, p *groth16.Plan) *gpu.Matrices {
	f := c.Flat()
	m := &gpu.Matrices{
		Rows: f.NumRows, Inputs: f.NumInputs, Aux: f.NumAux, Scalars: f.NumScalars,
		Coefs: f.Coefs, Wires: f.Wires, Starts: f.Starts, Bits: c.BitMask(),
		L: query(&p.L), A: query(&p.A), B: query(&p.B),
	}
	for _, t := range f.Templates {
		m.Templates = append(m.Templates, gpu.Template(t))
	}
	for _, i := range f.Instances {
		m.Instances = append(m.Instances, gpu.Instance(i))
	}
	for _, t := range f.Terms {
		m.Terms = append(m.Terms, gpu.Term(t))
	}
	return m
}

func query(q *groth16.Query) gpu.Query {
	out := gpu.Query{Dense: q.Dense(), Which: q.Which()}
	for _, i := range q.Inputs() {
		out.Inputs = append(out.Inputs, uint32(i))
	}
	return out
}

// String names the device and what a stage took, for logs.
func (b *Backend) String() string {
	return b.device.String()
}

// Busy returns the time of the union of the stages that compute.
func Busy(spans [gpu.Stages]gpu.Span) time.Duration {
	return spans[gpu.SumB2].End - spans[gpu.Rows].Start
}
