// Package pipeline takes jobs from checked input to verified proofs.
//
// The unit is a partition, whose life partition.go tells from top to bottom. The
// partitions of all jobs share two kinds of queues, for solving and for proving, so
// that a job alone has all its partitions in flight, the next job is solved while
// this one is proved, and little memory means fewer partitions at a time.
//
//   - placement.go: the workers, CPU or devices, and which one gets a partition
//   - steal.go: an idle worker takes over a solved partition that waits elsewhere
//   - retry.go: what happens when a worker fails
//   - selfcheck.go: each proof is verified, and made once more if it does not hold
//   - batching.go: jobs that share a pass of parameters which come in pieces
package pipeline

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/batch"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/engine/logging"
	"github.com/libcuzk/libcuzk/core/internal/engine/metrics"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/engine/timeline"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Parameters are circuits and loaded copies of parameters; package loading has them.
type Parameters interface {
	Name(filecoin.Shape) string
	Path(name string) string
	Circuit(context.Context, filecoin.Shape) (*r1cs.Circuit, error)
	Identify(ctx context.Context, name string) (srs.Identity, error) // an error if there are none
	Acquire(context.Context, srs.Want) (*srs.Ref, error)             // a use of a copy, loaded if need be
	Try(srs.Want, srs.Place) (*srs.Ref, bool)                        // the same without waiting
	Peek(name string, at srs.Place) (srs.Copy, bool)                 // a copy that is ready
	On(name string, at srs.Place) bool                               // whether there is one
	EvictIdle(srs.Place) int64                                       // bytes that this freed
	Abandon(srs.Place)                                               // copies at a place that is lost
	Diagnose(ctx context.Context, name string) error                 // what is wrong with a file
}

// Verifier verifies proofs; package verification has it.
type Verifier interface {
	Ready(ctx context.Context, shape filecoin.Shape) error // whether its key can be had
	Check(ctx context.Context, s filecoin.Statement, proof []byte) error
	Failing(ctx context.Context, s filecoin.Statement, proof []byte) ([]int, error)
}

// Copy is a loaded copy of parameters, as the pipeline uses it.
type Copy interface {
	srs.Copy
	Prove(context.Context, *r1cs.Witness, groth16.Randomness, groth16.Hooks) ([groth16.ProofSize]byte, groth16.Timings, error)
	Slots() int     // partitions that the worker takes at once with it
	Sketches() bool // the device completes partial witnesses
	Streams() bool  // parameters come in pieces, which partitions share
	Urgent() bool   // partitions run on the device at the same time as those of large circuits
}

// Counters count what happens to partitions.
type Counters struct {
	Retries  *metrics.Counter // partitions whose proof did not hold
	Batches  *metrics.Counter // groups of jobs that were started together
	Batched  *metrics.Counter // jobs in them
	Failures *metrics.Counter // of devices, by device and code
	Wrong    *metrics.Counter // wrong answers, by device
	Paused   *metrics.Counter // seconds in which a device waited for the host inside a stage, by device
}

// Options are what a pipeline works with.
type Options struct {
	Threads  int // of the CPU, at least 1
	Policy   sched.Policy
	Devices  []*device.Device // none: the CPU proves
	Batch    batch.Options
	Memory   *budget.Budget
	Params   Parameters
	Verifier Verifier
	Trace    *timeline.Recorder
	Counters Counters
	Logger   logging.Logger

	Blinding func(partition int) (groth16.Randomness, error) // of a partition's proof
	Faults   fault.Injector                                  // nil: nothing fails on purpose
}

// Pipeline proves. Use New; safe for concurrent use.
type Pipeline struct {
	Options
	Workers *Workers
	solves  *sched.Queue // one slot for each partition that is being solved
	cpu     *sched.Queue // one slot: whoever has it uses all threads
	batches *batch.Collector[uint64, struct{}]
	costs   costs
}

// New returns a pipeline with nothing in it.
func New(o Options) *Pipeline {
	p := &Pipeline{Options: o, Workers: &Workers{}}
	p.solves = sched.NewQueue(o.Policy, []sched.Resource{{Name: "solve slots", Capacity: int64(o.Threads)}}, nil)
	p.cpu = sched.NewQueue(o.Policy, []sched.Resource{{Name: "prove slots", Capacity: 1}}, nil)
	for i, d := range o.Devices {
		p.Workers.All = append(p.Workers.All, newDeviceWorker(i, d, o.Policy))
	}
	if len(o.Devices) == 0 {
		p.Workers.All = []*Worker{newCPUWorker(p.cpu)}
	}
	p.batches = p.newCollector()
	return p
}

// Refuse makes all that wait for a slot, and all that come, fail with err.
func (p *Pipeline) Refuse(err error) {
	p.solves.Close(err)
	p.cpu.Close(err)
	for _, w := range p.Workers.All {
		w.close(err)
	}
}

// Wait returns when no batch is being started any more: after Refuse, when no job
// runs.
func (p *Pipeline) Wait() error { return p.batches.Wait() }

// CPU waits for all threads of the CPU as a prover, so that work of a task that is no
// proof does not run at the same time as one. free gives them back.
func (p *Pipeline) CPU(ctx context.Context, t *Task) (free func(), err error) {
	return t.slot(ctx, p.cpu, sched.Need{1}, "prove queue", 0, 0)
}

// Device waits for a slot of the first usable device.
func (p *Pipeline) Device(ctx context.Context, t *Task) (w *Worker, free func(), err error) {
	if w, err = p.Workers.first(); err != nil {
		return nil, nil, err
	}
	free, err = t.slot(ctx, w.slots, w.need(1, t.Priority), w.queueTrack(), 0, 0)
	return w, free, err
}

// CPUSlots is the queue of the CPU as a prover, for tests that hold it.
func (p *Pipeline) CPUSlots() *sched.Queue { return p.cpu }

// Queue is a queue of partitions, with its name for people.
type Queue struct {
	Name string
	sched.Load
}

// Queues returns the state of all queues, those of workers under names that begin
// with "prove".
func (p *Pipeline) Queues() []Queue {
	out := []Queue{{"solve", p.solves.Load()}}
	for _, w := range p.Workers.All {
		name := "prove"
		if w.Device != nil {
			name += " " + w.Name
		}
		out = append(out, Queue{name, w.slots.Load()})
	}
	return out
}
