// Package cuzk turns Filecoin vanilla proofs into Groth16 proofs.
//
// It is the Go face of libcuzk. Hosts written in Go import it; all others load
// libcuzk.so, whose functions are these (include/cuzk.h). Two Go runtimes in
// one process are unsupported, so a Go program must not load the .so.
//
// An [Engine] is resident: it compiles each circuit and maps each parameter
// file once, when a job first needs it. Every proof is verified before it is
// returned, by code that shares nothing with the prover.
package cuzk

import (
	"context"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// Engine proves and verifies until it is closed. Use Open; safe for concurrent
// use.
type Engine struct {
	engine  *engine.Engine
	options Options
}

// Open returns an engine. Its error has code Argument, and then lists all that
// is wrong with the options, or NoDevice if they ask for a device that is not
// there, and then says of each device why it cannot be used. Opening is cheap, but
// for CUDA, which takes some tenths of a second to start.
func Open(o Options) (*Engine, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.resolved()
	devices, err := o.findDevices()
	if err != nil {
		return nil, err
	}
	return &Engine{options: o, engine: engine.Open(engine.Config{
		Devices:   devices,
		BatchSize: o.MaxBatchSize,
		BatchWait: o.MaxBatchWait,
		ParamsDir: o.ParamsDir,
		Threads:   o.Threads,
		Budget:    o.MemoryBudget,
		MaxInput:  o.MaxInput,
		History:   1024,
		CloseWait: closeWait,
		Events:    1 << 16,
		Log:       o.Log,
		Check:     engine.Check{Digest: o.CheckDigest, Subgroup: o.CheckSubgroup},
	})}, nil
}

// findDevices opens what the options ask for.
func (o Options) findDevices() (engine.Devices, error) {
	if o.Backend == CPU {
		return engine.Devices{Why: "the CPU, as asked for"}, nil
	}
	return engine.FindDevices(engine.DeviceOptions{
		Must:        o.Backend == CUDA || len(o.Devices) > 0,
		Library:     o.DeviceLibrary,
		Names:       o.Devices,
		Slots:       o.DeviceSlots,
		MemoryLimit: o.DeviceMemoryLimit,
	})
}

// closeWait is what Close gives jobs to stop: they need a second or two.
const closeWait = 30 * time.Second

// Options returns the options with every default filled in.
func (e *Engine) Options() Options { return e.options }

// Close cancels all jobs, waits until they have stopped and lets go of
// parameters. Jobs that were cancelled by it end with code Closed. One that does
// not stop within half a minute, in a device that hangs, ends so all the same;
// what it may still use is not freed, and the error has code Busy.
func (e *Engine) Close() error { return spawn.Guard(e.engine.Close) }

// Submit starts a job and returns at once, unless its Terms say Wait. The job is
// cancelled when ctx ends. What a request points to must not change until the job
// has ended. The error has code Closed, Argument, or Busy when the inputs of
// waiting jobs leave no room for this one; bad input is the job's failure.
func (e *Engine) Submit(ctx context.Context, r Request) (*Job, error) {
	return guarded(func() (*Job, error) { return r.submit(ctx, e.engine, false) })
}

// Run submits a job, waiting for room for its input if need be, and waits for its
// end, whatever ends it: when Run returns, nothing of the request is in use any
// more.
func (e *Engine) Run(ctx context.Context, r Request) ([]byte, error) {
	j, err := guarded(func() (*Job, error) { return r.submit(ctx, e.engine, true) })
	if err != nil {
		return nil, err
	}
	<-j.Stopped()
	return j.Result()
}

// Request is what a job does: PoRep, PoSt, Update, Params, Load, Fixture or
// Measure.
type Request interface {
	submit(ctx context.Context, e *engine.Engine, wait bool) (*Job, error)
}

// Job is work that an engine does. Its methods are
//
//	Size(ctx) (int, error)      // bytes of the result, as soon as they are known; or failure
//	Wait(ctx) ([]byte, error)   // result or failure; code Timeout if ctx ends first: the job goes on
//	Result() ([]byte, error)    // the same at once; code Busy while the job runs
//	Done() <-chan struct{}      // closed when the job has ended
//	Stopped() <-chan struct{}   // closed when nothing of it runs any more, right after that
//	Cancel() bool               // asks it to stop, and returns at once; false: it had ended
//	Report() Report             // a snapshot: state, progress, times of stages
//
// all safe for concurrent use.
type Job = engine.Job

// Report is a snapshot of a job: Kind, State, Progress, Stages, Err. Its JSON
// method renders it.
type Report = engine.Report

// Progress is how far the current stage of a job is: Stage, Done, Total (0:
// unknown), in units of the stage.
type Progress = engine.Progress
