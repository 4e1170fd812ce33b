package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/engine/logging"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// This file is the life of a partition, in the order in which it happens:
//
//	partition    begins a try, and delivers its proof to the job
//	proveAnywhere  chooses a worker, and another one when that fails
//	proveAt      reserves memory and parameters at the worker, solves, joins its queue
//	proveSolved  waits for a slot; goes along if an idle worker steals it meanwhile
//	proveInSlot  computes the proof from the witness
//	compute      runs the worker; on a device it waits once more for its start

// partition makes and delivers the proof of partition k.
func (r *proof) partition(ctx context.Context, k int) error {
	try := r.parts.Begin(k)
	if try.Number > 1 {
		r.Counters.Retries.Add(1)
		r.Logger.Log(logging.Error, "%s job %d: partition %d did not hold and is made again", r.statement.Shape(), r.Job(), k)
	}
	bytes, err := r.proveAnywhere(ctx, k)
	if err != nil {
		return err
	}
	r.Step(1)
	return try.Deliver(bytes)
}

// proveAnywhere proves partition k at the worker where it will be done soonest. A
// device that fails is no reason for the job to fail as long as another one can take
// the partition; see failures.
func (r *proof) proveAnywhere(ctx context.Context, k int) ([]byte, error) {
	var f failures
	for {
		w, err := r.nextWorker(r.name, &f)
		if err != nil {
			return nil, err
		}
		bytes, last, err := r.proveAt(ctx, w, k, f.workers)
		if err == nil {
			r.made[k].worker = last
			return bytes, nil
		}
		if ctx.Err() != nil || !r.retry(last, err, &f) {
			return nil, err
		}
	}
}

// proveAt solves partition k for worker w and proves it there, or at the worker that
// steals it; avoid are workers that must not. It returns the worker that proved it,
// or that failed.
//
// Memory of the partition and the use of the parameters are reserved in one request.
// On the CPU the parameters are mapped: decoded points in memory would gain nothing
// (a 2 KiB WinningPoSt takes 4.5 s of CPU time either way).
func (r *proof) proveAt(ctx context.Context, w *Worker, k int, avoid []*Worker) (bytes []byte, last *Worker, err error) {
	assigned := w
	defer func() { r.release(assigned) }()
	loaded := r.measure("load", "load", k)
	ref, err := r.Params.Acquire(ctx, srs.Want{
		Name:   r.name,
		Places: []srs.Place{w.Place},
		Beside: func(at srs.Place) budget.Ask {
			return budget.Ask{Purpose: "partition", Amount: r.PartitionBytes(r.circuit, at)}
		},
		Task: r.Order(k),
	})
	loaded()
	if err != nil {
		return nil, w, err
	}
	defer ref.Work.Release()
	s := &solved{name: r.name, order: r.Order(k), avoid: avoid, ref: ref, worker: w}
	defer func() { s.ref.Release() }()
	witness, solving, err := r.solveOne(ctx, k, ref.Copy.(Copy).Sketches())
	if err != nil {
		return nil, w, err
	}
	r.made[k].partial = witness.Sketch
	r.Workers.enqueue(ctx, s, r.ready)
	defer func() { assigned = r.Workers.dequeue(s, r.ready) }()
	bytes, last, proving, err := r.proveSolved(ctx, s, witness, k, solving)
	if err == nil {
		r.costs.note(r.statement.Shape(), solving+proving)
	}
	return bytes, last, err
}

// solveOne waits for a solve slot, makes the witness of partition k and returns how
// long that took.
func (r *proof) solveOne(ctx context.Context, k int, partial bool) (w *r1cs.Witness, took time.Duration, err error) {
	free, err := r.slot(ctx, r.solves, sched.Need{1}, "solve queue", k, 0)
	if err != nil {
		return nil, 0, err
	}
	defer free()
	defer r.measure("solve", "solve", k)()
	began := time.Now()
	if err := r.faultAt(fault.Alloc, fault.Solve); err != nil {
		return nil, 0, err
	}
	w, err = r.solve(r.circuit, k, partial)
	return w, time.Since(began), err
}

// proveSolved proves a solved partition at its worker. While it waits there an idle
// worker may steal it; then it goes on there if that worker's parameters and memory
// are free at once, and else it returns. proveSolved returns the worker that proved
// it; on failure the worker that failed, even if another has asked for it since.
func (r *proof) proveSolved(ctx context.Context, s *solved, witness *r1cs.Witness, k int, solving time.Duration) (bytes []byte, at *Worker, took time.Duration, err error) {
	at = s.worker
	for {
		bytes, took, err = r.proveInSlot(ctx, s, at, witness, k, solving)
		if !errors.Is(err, errStolen) {
			return bytes, at, took, err
		}
		thief := s.follow(ctx)
		next, ok := r.Params.Try(srs.Want{Name: r.name, Beside: queueByte, Task: s.order}, thief.Place)
		if ok {
			defer next.Work.Release()
		}
		if ok && witness.Sketch && !next.Copy.(Copy).Sketches() {
			next.Release()
			ok = false
		}
		if !ok {
			s.giveBack(at)
			continue
		}
		s.ref.Release()
		at, s.ref = thief, next
	}
}

// proveInSlot waits for a slot of the worker and makes the proof of partition k from
// its witness, which took solving to make.
func (r *proof) proveInSlot(ctx context.Context, s *solved, at *Worker, witness *r1cs.Witness, k int, solving time.Duration) (bytes []byte, took time.Duration, err error) {
	params := s.ref.Copy.(Copy)
	free, err := r.slot(s.waiting(), at.slots, at.need(params.Slots(), r.Priority), at.queueTrack(), k, solving)
	if err != nil {
		return nil, 0, err
	}
	defer free()
	r.proving.Do(func() { r.Show("prove", int64(r.statement.Partitions())) })
	defer r.measure("prove", at.slotTrack(), k)()
	began := time.Now()
	if err := r.faultAt(fault.Alloc, fault.Prove); err != nil {
		return nil, 0, err
	}
	z, err := r.Blinding(k)
	if err != nil {
		return nil, 0, err
	}
	encoded, times, err := r.compute(ctx, s, at, params, witness, z, k)
	if err != nil {
		return nil, 0, err
	}
	for _, part := range stagesOf(times) {
		r.Spent(part.name, part.took)
	}
	fault.Through(r.Faults, fault.Proof, encoded[:])
	return encoded[:], time.Since(began), nil
}

// compute makes the proof of partition k at a worker in which it has a slot. On a
// device the witness is uploaded first; then the partition waits until its kernels
// may start, in the order of priorities, and may still be stolen.
func (r *proof) compute(ctx context.Context, s *solved, at *Worker, params Copy, witness *r1cs.Witness, z groth16.Randomness, k int) (encoded [groth16.ProofSize]byte, t groth16.Timings, err error) {
	began := time.Now()
	if at.Device == nil {
		encoded, t, err = params.Prove(ctx, witness, z, groth16.Hooks{})
		r.drawStages(at, k, began, t)
		return encoded, t, err
	}
	if err := r.faultAt(fault.Device); err != nil {
		return encoded, t, fault.OfDevice(err)
	}
	return params.Prove(ctx, witness, z, groth16.Hooks{
		Start: func() (release func(), err error) { return r.startOnDevice(s, at.startsOf(params), k) },
		Trace: func(trace groth16.Trace) { r.drawTrace(at, k, began, trace) },
	})
}

// startOnDevice waits until the partition may start: one partition at a time queues
// its kernels, the most urgent first.
func (r *proof) startOnDevice(s *solved, starts *sched.Queue, k int) (release func(), err error) {
	order := r.Order(k)
	order.Need, order.Cost = sched.Need{1}, 0 // uploaded: how much of its cost is left is not known
	g, err := starts.Acquire(s.waiting(), order)
	if err != nil {
		return nil, err
	}
	if !s.start() {
		g.Release()
		return nil, errStolen
	}
	return g.Release, nil
}

// PartitionBytes is what a partition holds while it is solved and proved, at most: on
// a device its packed witness, and a copy where witnesses wait on the host.
func (p *Pipeline) PartitionBytes(c *r1cs.Circuit, at srs.Place) budget.Amount {
	if at.Tier == srs.Device {
		return budget.Amount{Host: 2 * groth16.WitnessBytes(c)}.Plus(queueByte(at).Amount)
	}
	return budget.Amount{Host: groth16.CPUBytes(c, p.Threads)}
}

// queueByte is a reservation of one byte of a device. With it a partition queues for
// the device's memory behind more urgent ones that wait for parameters there, instead
// of keeping its own parameters in use for ever.
func queueByte(at srs.Place) budget.Ask {
	return budget.Ask{Purpose: "partition", Amount: budget.Amount{Device: 1, On: at.Device}}
}

// ready reports whether the parameters of a name are at a worker.
func (p *Pipeline) ready(name string, w *Worker) bool { return p.Params.On(name, w.Place) }

// faultAt lets points of fault injection fail, in their order.
func (p *Pipeline) faultAt(points ...fault.Point) error {
	for _, point := range points {
		if err := fault.At(p.Faults, point); err != nil {
			return err
		}
	}
	return nil
}
