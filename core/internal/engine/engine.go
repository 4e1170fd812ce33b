// Package engine is the resident prover: it keeps compiled circuits and loaded
// parameters, and takes each job on one path, parse → check → solve → prove →
// verify → deliver.
//
// The rooms below it each do one thing: sched orders, budget accounts for
// memory, srs keeps parameters, jobs knows what is under way. This package joins
// them into a pipeline in which partitions of all jobs flow: see [Engine.prove].
package engine

import (
	"context"
	"os"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/engine/timeline"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// Engine does jobs until it is closed. Use Open; safe for concurrent use.
type Engine struct {
	config   Config
	table    *jobs.Table
	memory   *budget.Budget
	limits   budget.Limits // of memory
	params   *srs.Manager
	solves   *sched.Queue // one slot per partition that is being solved
	proves   *sched.Queue // the CPU as a prover
	sites    sites        // where partitions are proved
	gatherer *gatherer    // of jobs that share a pass of their parameters
	trace    *timeline.Recorder
	meters   *meters

	packKeys     packKeys // of aggregation
	packVerifier resident[srs.Identity, *snarkpack.VerifierKey]

	circuits resident[filecoin.Shape, *r1cs.Circuit]
	keys     resident[keyFile, *verify.Verifier]
	shapes   shapes
	needs    needs
	costs    costs
}

// Config is a resolved configuration: every field has its final value.
type Config struct {
	ParamsDir string        // folder of .params and .vk files
	Threads   int           // worker threads, at least 1
	Budget    int64         // bytes that proving may hold at once; 0: what machine and control group allow
	MaxInput  int64         // bytes of the largest accepted input
	Check     Check         // of parameter files
	History   int           // ended jobs to remember
	Events    int           // events of the timeline to remember
	CloseWait time.Duration // after which Close gives up jobs that do not stop; 0: never
	Policy    sched.Policy  // zero: sched.Default
	Devices   Devices       // none: proofs are computed on the CPU
	BatchSize int           // jobs that wait for each other to share parameters which come in pieces
	BatchWait time.Duration // at most

	// Blinding returns the randomness of a partition's proof; nil: the system's.
	// Fixed values reveal the witness and are for tests.
	Blinding func(partition int) (groth16.Randomness, error)
	// Log receives lines for people, from any goroutine; nil: nobody does.
	Log func(level Level, line string)
	// Stay is how many bytes of parameters may stay on a device, in tests; 0: as
	// many as fit.
	Stay uint64
	// Faults makes things fail, in tests; nil: nothing does.
	Faults fault.Injector
}

// Check says what to verify of parameter files beyond structure.
type Check struct {
	Digest   bool // the published digest of the whole file
	Subgroup bool // every point in the prime-order subgroup
}

// Open returns an engine. Nothing is read until a job needs it.
func Open(config Config) *Engine {
	if config.Blinding == nil {
		config.Blinding = func(int) (groth16.Randomness, error) { return groth16.NewRandomness() }
	}
	if config.Policy == (sched.Policy{}) {
		config.Policy = sched.Default()
	}
	config.Threads = max(config.Threads, 1)
	most := budget.ReadMachine(os.DirFS("/")).Most(config.Budget)
	e := &Engine{config: config, table: jobs.New(config.History), trace: timeline.New(config.Events)}
	e.meters = newMeters()
	e.limits = limits(most, config.MaxInput, config.Devices.all())
	e.memory = budget.New(e.limits, config.Policy)
	e.params = srs.New(loader{e}, e.memory)
	e.packKeys = newPackKeys()
	e.solves = sched.NewQueue(config.Policy, []sched.Resource{{Name: "solve slots", Capacity: int64(config.Threads)}}, nil)
	e.proves = sched.NewQueue(config.Policy, []sched.Resource{{Name: "prove slots", Capacity: 1}}, nil)
	for i, d := range config.Devices.all() {
		e.sites.all = append(e.sites.all, onDevice(i, d, config.Policy))
	}
	if len(e.sites.all) == 0 {
		e.sites.all = []*site{onCPU(e.proves)}
	}
	e.gatherer = e.newGatherer()
	if why := config.Devices.Why; why != "" {
		e.log(Info, "proofs are computed on %s", why)
	}
	return e
}

// limits divides the bytes that the engine may hold: an eighth for the inputs of
// jobs that wait, or as much more as the largest accepted input takes, but not
// beyond half; the rest for parameters and partitions. Devices have what is free
// there now.
func limits(most, maxInput int64, devices []*device.Device) budget.Limits {
	backlog := max(most/8, min(maxInput, most/2))
	l := budget.Limits{Host: most - backlog, Pinned: most - backlog, Backlog: backlog}
	for _, d := range devices {
		u, _ := d.Memory() // of a device that was lost meanwhile: nothing
		l.Device = append(l.Device, int64(u.Available))
	}
	return l
}

// Drain accepts no more jobs and waits until those under way have ended, or ctx
// has; Close ends the engine afterwards.
func (e *Engine) Drain(ctx context.Context) error { return e.table.Drain(ctx) }

// Close cancels every job, waits until all have stopped, and lets go of what the
// engine keeps. A second Close waits likewise. Jobs that have not stopped after
// Config.CloseWait end with code status.Closed all the same, and what they may
// still use is not freed: then the error has code status.Busy.
func (e *Engine) Close() error {
	ctx, cancel := context.Background(), context.CancelFunc(func() {})
	if e.config.CloseWait > 0 {
		ctx, cancel = context.WithTimeout(ctx, e.config.CloseWait)
	}
	defer cancel()
	stuck := e.table.Close(ctx)
	closed := status.New(status.Closed, "", "engine is closed")
	e.solves.Close(closed)
	e.proves.Close(closed)
	for _, s := range e.sites.all {
		s.close(closed)
	}
	e.memory.Close(closed) // wakes who waits for room for an input
	if stuck != nil {
		return stuck
	}
	if err := e.gatherer.Wait(); err != nil {
		return err
	}
	if err := e.params.Close(); err != nil {
		return err
	}
	return e.config.Devices.close()
}
