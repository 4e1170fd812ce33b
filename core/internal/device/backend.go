package device

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/gpu"
)

// Backend proves partitions of one circuit on one device. It implements
// groth16.Backend; up to Slots calls are in flight, further ones wait. The
// parameters are resident, or those sections that do not fit come in pieces.
type Backend struct {
	device    *Device
	circuit   *gpu.Circuit
	params    *gpu.Params
	source    Source
	placement gpu.Placement
	slots     chan struct{} // holds one token per partition in flight
	group     group         // of partitions whose parameters come in pieces

	inFlight sync.WaitGroup
}

// Limits are what the parameters of one circuit may take, in bytes.
type Limits struct {
	Device  uint64 // of the device, work area and slots included; 0: what is free
	Host    uint64 // of host memory, for sections that do not fit on the device
	Stay    uint64 // of bases that may stay on the device; 0: as many as fit
	Witness uint64 // of a witness that waits on the device, where not all stays; 0: a thirty-second
	Piece   int    // not bytes: points in a piece of what does not stay, at most; 0: as many as are useful

	OneStream bool // sums never run beside each other
}

// options: again says that points can be given again.
func (l Limits) options(again bool) gpu.ParamsOptions {
	return gpu.ParamsOptions{
		DeviceLimit: l.Device, HostLimit: l.Host, StayLimit: l.Stay, WitnessLimit: l.Witness, Piece: l.Piece, Again: again,
		OneStream: l.OneStream,
	}
}

// Device returns where the backend computes.
func (b *Backend) Device() *Device { return b.device }

// Bytes is what the backend holds of the device, its share of the work area
// included.
func (b *Backend) Bytes() uint64 { return b.placement.DeviceBytes }

// HostBytes is what it holds of host memory for parameters.
func (b *Backend) HostBytes() uint64 { return b.placement.HostBytes }

// Resident reports whether all parameters are on the device.
func (b *Backend) Resident() bool { return !b.placement.Streams }

// Sketches reports whether the device completes witnesses that are sketched
// (r1cs.Circuit.SketchParts).
func (b *Backend) Sketches() bool { return b.placement.Sketches }

// Slots is how many partitions can be in flight.
func (b *Backend) Slots() int { return b.placement.Slots }

// Urgent reports whether partitions of these parameters run beside those of large
// circuits, and before them where both wait.
func (b *Backend) Urgent() bool { return b.placement.Urgent }

// Placement says where the sections of the parameters are.
func (b *Backend) Placement() gpu.Placement { return b.placement }

// Load copies a circuit to the device and fills its parameters from a source,
// which must stay open while the backend is used. When ctx ends, it stops between
// pieces of some megabytes.
func (d *Device) Load(ctx context.Context, c *r1cs.Circuit, p *groth16.Plan, from Source, most Limits) (*Backend, error) {
	if err := d.Usable(); err != nil {
		return nil, err
	}
	b := &Backend{device: d, source: from}
	b.group.b = b
	if err := b.load(ctx, c, p, most); err != nil {
		b.Close()
		return nil, d.note(err)
	}
	return b, nil
}

func (b *Backend) load(ctx context.Context, c *r1cs.Circuit, p *groth16.Plan, most Limits) (err error) {
	if b.circuit, err = b.device.gpu.NewCircuit(matrices(c, p)); err != nil {
		return err
	}
	if b.params, err = b.circuit.NewParams(most.options(b.source.again())); err != nil {
		return err
	}
	if err = b.source.fill(ctx, b.params); err != nil {
		return err
	}
	if err = b.source.blame(pointError(b.params.Finish())); err != nil {
		return err
	}
	if b.placement, err = b.params.Placement(); err != nil {
		return err
	}
	if !slices.Contains(b.placement.Home[:], gpu.InFile) {
		b.source = nil // is not read again, and may be large
	}
	b.slots = make(chan struct{}, b.placement.Slots)
	return nil
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
func (b *Backend) Sums(ctx context.Context, _ *r1cs.Circuit, _ *groth16.Plan, w *r1cs.Witness, t *groth16.Timings, hooks groth16.Hooks) (sums groth16.Sums, err error) {
	if err := b.device.Usable(); err != nil {
		return sums, err
	}
	select {
	case b.slots <- struct{}{}:
	case <-ctx.Done():
		return sums, status.Ended(ctx)
	}
	job, err := b.params.NewJob()
	if err != nil {
		<-b.slots
		return sums, b.device.note(err)
	}
	m := &member{ctx: ctx, job: job, done: make(chan outcome, 1)}
	if err = b.upload(ctx, job, w); err == nil {
		err = b.start(m, hooks)
	}
	if err != nil {
		job.Release()
		<-b.slots
		return sums, b.device.note(err)
	}
	result := make(chan outcome, 1)
	b.inFlight.Add(1)
	b.device.waits.Go(func() error {
		defer func() {
			job.Release()
			<-b.slots
			b.inFlight.Done()
		}()
		result <- b.outcome(m)
		return nil
	})
	select {
	case o := <-result:
		return b.finish(o, t, hooks)
	case <-ctx.Done():
		return sums, status.Ended(ctx)
	}
}

// upload fills a job on several goroutines: the bus is faster than any of them
// copies.
func (b *Backend) upload(ctx context.Context, job *gpu.Job, w *r1cs.Witness) error {
	witness := &gpu.Witness{Inputs: w.Inputs, Bits: w.Bits, Scalars: w.Scalars, Sketch: w.Sketch}
	err := spawn.Each(ctx, gpu.Fillers, witness.Pieces(), func(i int) error { return job.Fill(witness, i) })
	if err != nil && ctx.Err() != nil {
		return status.Ended(ctx)
	}
	return err
}

// start queues the kernels of a partition when its hook lets it: on the device, or
// with the partitions that wait for a pass of the parameters.
func (b *Backend) start(m *member, hooks groth16.Hooks) error {
	if hooks.Start != nil {
		release, err := hooks.Start()
		if err != nil {
			return err
		}
		defer release()
	}
	if !b.placement.Streams {
		return m.job.Start()
	}
	b.group.join(m)
	return nil
}

// outcome waits for a partition that was started.
func (b *Backend) outcome(m *member) outcome {
	if b.placement.Streams {
		return <-m.done
	}
	s, err := m.job.Wait()
	return outcome{s, err, time.Now()}
}

type outcome struct {
	sums *gpu.Sums
	err  error
	back time.Time // when the host learned of it
}

func (b *Backend) finish(o outcome, t *groth16.Timings, hooks groth16.Hooks) (groth16.Sums, error) {
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
	if trace := b.device.trace(s, o.back); hooks.Trace != nil {
		hooks.Trace(trace)
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
	if c.Sketches() {
		m.Program = program(c.Program())
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
