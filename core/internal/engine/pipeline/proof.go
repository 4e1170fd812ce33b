package pipeline

import (
	"context"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// Solver makes the witness of partition k. partial says that a witness which the
// device completes is enough, where the circuit has one.
type Solver func(c *r1cs.Circuit, k int, partial bool) (*r1cs.Witness, error)

// proof is a job on its way from checked input to a proof.
type proof struct {
	*Pipeline
	*Task
	statement filecoin.Statement
	name      string // of the parameters
	circuit   *r1cs.Circuit
	solve     Solver
	parts     *jobs.Parts
	made      []origin   // of each partition's proof
	proving   *sync.Once // the job's stage becomes "prove" with its first partition
}

// origin says how the last proof of a partition was made.
type origin struct {
	worker  *Worker
	partial bool // from a partial witness
}

// Prove takes checked input to a verified proof: all partitions one after the other,
// ProofSize bytes each. The proof is verified against public inputs that come from s
// alone.
func (p *Pipeline) Prove(ctx context.Context, t *Task, s filecoin.Statement, solve Solver) ([]byte, error) {
	n := s.Partitions()
	t.Sized(n * verify.ProofSize)
	name := p.Params.Name(s.Shape())
	if !t.WitnessOnly { // before any work is done for nothing
		if _, err := p.Params.Identify(ctx, name); err != nil {
			return nil, err
		}
		if err := p.Verifier.Ready(ctx, s.Shape()); err != nil {
			return nil, err
		}
	}
	t.Stage("compile", 0)
	circuit, err := p.Params.Circuit(ctx, s.Shape())
	if err != nil {
		return nil, err
	}
	t.cost = p.costs.of(s.Shape())
	r := &proof{Pipeline: p, Task: t, statement: s, name: name, circuit: circuit, solve: solve,
		parts: t.Parts(n), made: make([]origin, n)}
	if t.WitnessOnly {
		return nil, r.witnesses(ctx)
	}
	if err := p.never(circuit); err != nil {
		return nil, status.Annotate(err, "a partition of %s can never fit", s.Shape())
	}
	if err := r.joinBatch(ctx); err != nil {
		return nil, err
	}
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	if err := r.partitions(ctx, all); err != nil {
		return nil, err
	}
	return r.selfCheck(ctx)
}

// partitions makes the given partitions at the same time. The first failure stops
// all others and is returned.
func (r *proof) partitions(ctx context.Context, which []int) error {
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

// never returns why a partition can fit no usable worker; nil also where no worker is
// usable, which is noticed later.
func (p *Pipeline) never(c *r1cs.Circuit) (err error) {
	for _, w := range p.Workers.All {
		if w.Usable() != nil {
			continue
		}
		if err = p.Memory.Never(p.PartitionBytes(c, w.Place)); err == nil {
			return nil
		}
	}
	return err
}
