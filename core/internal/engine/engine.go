// Package engine is the resident prover: it keeps compiled circuits and loaded
// parameters, and takes each job on one path, parse → check → solve → prove →
// verify → deliver.
//
// This package accepts requests and answers for their state. The packages below it
// each do one thing: jobs knows what is under way, pipeline proves, loading brings
// circuits and parameters to where they are used, srs shares and evicts them, sched
// orders what waits, budget accounts for memory. Package verification checks proofs.
package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/batch"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
	"github.com/libcuzk/libcuzk/core/internal/engine/loading"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/engine/timeline"
	"github.com/libcuzk/libcuzk/core/internal/files"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/singleflight"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verification"
)

// Engine does jobs until it is closed. Use Open; safe for concurrent use.
type Engine struct {
	config   Config
	table    *jobs.Table
	memory   *budget.Budget
	limits   budget.Limits // of memory
	unknown  []string      // limits of memory that could not be found out
	store    *loading.Store
	verifier *verification.Verifier
	pipeline *pipeline.Pipeline
	trace    *timeline.Recorder
	meters   *meters

	packKeys     packKeys // of aggregation
	packVerifier singleflight.Cache[srs.Identity, *snarkpack.VerifierKey]
}

// Config is a resolved configuration: every field has its final value.
type Config struct {
	ParamsDir  string              // folder of .params and .vk files
	Threads    int                 // worker threads, at least 1
	Budget     int64               // bytes that proving may hold at once; 0: what machine and control group allow
	MaxWaiting int                 // jobs that may be under way at the same time; 0: any number
	MaxInput   int64               // bytes of the largest accepted input
	Check      Check               // of parameter files
	History    int                 // ended jobs to remember
	Events     int                 // events of the timeline to remember
	CloseWait  time.Duration       // after which Close gives up jobs that do not stop; 0: never
	Policy     sched.Policy        // zero: sched.Default
	Devices    Devices             // none: proofs are computed on the CPU
	BatchSize  int                 // jobs that wait for each other to share parameters which come in pieces
	BatchWait  time.Duration       // at most
	Log        func(Level, string) // receives lines for people, from any goroutine; nil: nobody does

	test knobs
}

// knobs are what tests of this package change.
type knobs struct {
	blinding  func(partition int) (groth16.Randomness, error) // fixed values reveal the witness
	stayLimit uint64                                          // bytes of parameters that may stay on a device; 0: as many as fit
	pinned    *int64                                          // limit of page-locked memory
	faults    fault.Injector
}

// Check says what to verify of parameter files beyond their structure.
type Check = loading.Check

// Open returns an engine. Nothing is read until a job needs it.
func Open(config Config) *Engine {
	if config.Policy == (sched.Policy{}) {
		config.Policy = sched.Default()
	}
	if config.test.blinding == nil {
		config.test.blinding = func(int) (groth16.Randomness, error) { return groth16.NewRandomness() }
	}
	config.Threads = max(config.Threads, 1)
	devices := config.Devices.all()
	e := &Engine{config: config, table: jobs.New(config.History), trace: timeline.New(config.Events), meters: newMeters()}
	machine := budget.ReadMachine(files.Root("/"), budget.System())
	most, from := machine.Most(config.Budget)
	e.limits = limits(most, from, config, devices)
	e.unknown = machine.Unknown
	for _, what := range machine.Unknown {
		e.logger().Log(Warn, "limits of memory that could not be found out: %s", what)
	}
	if config.test.pinned != nil {
		e.limits.Pinned = *config.test.pinned
	}
	e.memory = budget.New(e.limits, config.Policy)
	e.verifier = verification.New(verification.Options{
		ParamsDir: config.ParamsDir, CheckDigest: config.Check.Digest, Threads: config.Threads, NonInteractive: e.verifyNonInteractive,
	})
	e.store = loading.New(loading.Options{
		ParamsDir: config.ParamsDir, Threads: config.Threads, Check: config.Check, Keys: e.verifier, Devices: devices, Limits: e.limits,
		StayLimit: config.test.stayLimit, Faults: config.test.faults, Logger: e.logger(),
	}, e.memory)
	e.packKeys = newPackKeys()
	e.pipeline = pipeline.New(pipeline.Options{
		Threads: config.Threads, Policy: config.Policy, Devices: devices,
		Batch:  batch.Options{MaxSize: max(config.BatchSize, 1), MaxWait: config.BatchWait},
		Memory: e.memory, Params: e.store, Verifier: e.verifier, Trace: e.trace, Counters: e.meters.pipeline,
		Logger: e.logger(), Blinding: config.test.blinding, Faults: config.test.faults,
	})
	if why := config.Devices.Why; why != "" {
		e.logger().Log(Info, "proofs are computed on %s", why)
	}
	return e
}

// What inputs of waiting jobs may take where memory is short: with less than
// shortMemory for all else, they get no more than shortBacklog beyond their eighth.
const (
	shortMemory  = 2 << 30
	shortBacklog = 64 << 20
)

// limits divides the bytes that the engine may hold: an eighth for the inputs of
// jobs that wait, or as much more as the largest accepted input takes, but not
// beyond half; the rest for parameters and partitions. Where the rest would be short,
// the inputs' part yields. Devices have what is free there now. from is what sets most.
func limits(most int64, from string, config Config, devices []*device.Device) budget.Limits {
	largest := min(config.MaxInput, most/2)
	if most-largest < shortMemory {
		largest = min(largest, shortBacklog)
	}
	backlog := max(most/8, largest)
	l := budget.Limits{Host: most - backlog, Pinned: most - backlog, Backlog: backlog, Jobs: int64(config.MaxWaiting),
		HostFrom: fmt.Sprintf("%s (%d bytes, of which %d are kept for inputs)", from, most, backlog), BacklogFrom: from}
	for _, d := range devices {
		u, _ := d.Memory() // of a device that was lost meanwhile: nothing
		l.Device = append(l.Device, int64(u.Available))
	}
	return l
}

// Verifier verifies proofs with the keys of the engine's folder.
func (e *Engine) Verifier() *verification.Verifier { return e.verifier }

// Drain accepts no more jobs and waits until those under way have ended, or ctx
// has; Close ends the engine afterwards.
func (e *Engine) Drain(ctx context.Context) error { return e.table.Drain(ctx) }

// Close cancels every job, waits until all have stopped, and frees what the engine
// keeps. A second Close waits likewise. Jobs that have not stopped after
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
	e.pipeline.Refuse(closed)
	e.memory.Close(closed) // wakes who waits for memory for an input
	if stuck != nil {
		return stuck
	}
	if err := e.pipeline.Wait(); err != nil {
		return err
	}
	if err := e.store.Close(ctx); err != nil {
		return err
	}
	return e.config.Devices.close()
}
