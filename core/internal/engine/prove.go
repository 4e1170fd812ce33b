package engine

import (
	"context"
	"sync"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// solver makes the witness of partition k, or where that is enough and there is one,
// a sketch of it.
type solver func(c *r1cs.Circuit, k int, sketch bool) (*r1cs.Witness, error)

// run is a job on its way from checked input to a proof.
type run struct {
	*task
	statement filecoin.Statement
	name      string // of the parameters
	circuit   *r1cs.Circuit
	solve     solver
	parts     *jobs.Parts
	where     []*site    // where each partition was made
	sketched  []bool     // which were made from sketches
	proving   *sync.Once // the job's stage becomes "prove" with its first partition
}

// prove takes checked input to a verified proof. Every partition goes its own
// way: it reserves memory and parameters together, waits for a slot to be
// solved, then for one to be proved. The queues order the partitions of all
// jobs, so that a job alone has all of them in flight, the next job is solved
// while this one is proved, and little memory means fewer at a time. The proof
// is verified against public inputs that come from s alone.
func (e *Engine) prove(ctx context.Context, t *task, s filecoin.Statement, solve solver) ([]byte, error) {
	t.Sized(s.Partitions() * verify.ProofSize)
	name := e.shapes.name(s.Shape())
	if _, err := e.params.Identify(name); err != nil && !t.witnessOnly {
		return nil, err // before any work is done for nothing
	}
	t.stage("compile", 0)
	circuit, err := e.circuit(ctx, s.Shape())
	if err != nil {
		return nil, err
	}
	t.cost = e.costs.of(s.Shape())
	r := &run{task: t, statement: s, name: name, circuit: circuit, solve: solve,
		parts: t.Parts(s.Partitions()), where: make([]*site, s.Partitions()), sketched: make([]bool, s.Partitions())}
	if t.witnessOnly {
		return nil, r.witnesses(ctx)
	}
	if err := e.never(circuit); err != nil {
		return nil, status.New(status.Budget, "memory_budget", "a partition of %s can never fit: %w", s.Shape(), err)
	}
	if err := r.gather(ctx); err != nil {
		return nil, err
	}
	all := make([]int, s.Partitions())
	for k := range all {
		all[k] = k
	}
	if err := r.partitions(ctx, all); err != nil {
		return nil, err
	}
	return r.verified(ctx)
}

// partitions makes the given partitions at once. The first failure stops all.
func (r *run) partitions(ctx context.Context, which []int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.Show("solve", int64(len(which)))
	r.proving = new(sync.Once)
	err := spawn.Each(ctx, len(which), len(which), func(i int) error {
		err := spawn.Guard(func() error { return r.partition(ctx, which[i]) })
		if err != nil {
			cancel(err)
		}
		return err
	})
	if err != nil {
		return context.Cause(ctx) // of the first failure: the others may only say that they were stopped
	}
	return nil
}

// partition makes and delivers partition k.
func (r *run) partition(ctx context.Context, k int) error {
	try := r.parts.Begin(k)
	if try.Number > 1 {
		r.engine.meters.retries.Add(1)
		r.engine.log(Error, "%s job %d: partition %d did not hold and is made again", r.statement.Shape(), r.Job(), k)
	}
	proof, err := r.made(ctx, k)
	if err != nil {
		return err
	}
	r.step(1)
	return try.Deliver(proof)
}

// solveOne makes the witness of partition k, or a sketch, and returns what that took.
func (r *run) solveOne(ctx context.Context, k int, sketch bool) (w *r1cs.Witness, took time.Duration, err error) {
	free, err := r.slot(ctx, r.engine.solves, sched.Need{1}, "solve queue", k, 0)
	if err != nil {
		return nil, 0, err
	}
	defer free()
	defer r.measure("solve", "solve", k)()
	began := time.Now()
	for _, point := range []fault.Point{fault.Alloc, fault.Solve} {
		if err := fault.At(r.engine.config.Faults, point); err != nil {
			return nil, 0, err
		}
	}
	w, err = r.solve(r.circuit, k, sketch)
	return w, time.Since(began), err
}

// proveOne makes the proof of partition k from its witness, which took the time
// given.
func (r *run) proveOne(ctx context.Context, y *stay, s *site, p *prover, w *r1cs.Witness, k int, solving time.Duration) (proof []byte, took time.Duration, err error) {
	free, err := r.slot(y.waiting(), s.slots, s.need(p.slots(), r.priority), s.queue(), k, solving)
	if err != nil {
		return nil, 0, err
	}
	defer free()
	r.proving.Do(func() { r.Show("prove", int64(r.statement.Partitions())) })
	defer r.measure("prove", s.lane(), k)()
	began := time.Now()
	for _, point := range []fault.Point{fault.Alloc, fault.Prove} {
		if err := fault.At(r.engine.config.Faults, point); err != nil {
			return nil, 0, err
		}
	}
	z, err := r.engine.config.Blinding(k)
	if err != nil {
		return nil, 0, err
	}
	bytes, times, err := r.compute(ctx, y, s, p, w, z, k)
	if err != nil {
		return nil, 0, err
	}
	r.spent(times)
	fault.Through(r.engine.config.Faults, fault.Proof, bytes[:])
	return bytes[:], time.Since(began), nil
}

// spent books the prover's timings.
func (r *run) spent(t groth16.Timings) {
	for _, part := range partsOf(t) {
		r.Spent(part.name, part.took)
	}
}

// never returns why a partition can fit at no usable site; nil also where no site
// is usable, which is noticed later.
func (e *Engine) never(c *r1cs.Circuit) (err error) {
	for _, s := range e.sites.all {
		if s.usable() != nil {
			continue
		}
		if err = e.memory.Never(e.partitionBytes(c, s.place)); err == nil {
			return nil
		}
	}
	return err
}

// partitionBytes is what a partition holds while it is solved and proved, at most:
// on a device its packed witness, and a copy where witnesses wait on the host.
func (e *Engine) partitionBytes(c *r1cs.Circuit, at srs.Place) budget.Amount {
	if at.Tier == srs.Device {
		return budget.Amount{Host: 2 * groth16.WitnessBytes(c)}.Plus(standing(at).Amount)
	}
	return budget.Amount{Host: groth16.CPUBytes(c, e.config.Threads)}
}

// standing is the byte by which a partition stands in line at a device behind more
// urgent ones that wait for memory there, instead of keeping the parameters in use
// for ever.
func standing(at srs.Place) budget.Ask {
	return budget.Ask{Purpose: "partition", Amount: budget.Amount{Device: 1, On: at.Device}}
}
