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
	if err := o.validate(true); err != nil {
		return nil, err
	}
	must := o.Backend == CUDA || len(o.Devices) > 0 || o.DeviceLibrary != ""
	o = o.resolved()
	devices, err := o.findDevices(must)
	if err != nil {
		return nil, err
	}
	return &Engine{options: o, engine: engine.Open(engine.Config{
		Devices:    devices,
		BatchSize:  o.MaxBatchSize,
		BatchWait:  o.MaxBatchWait,
		ParamsDir:  o.ParamsDir,
		Threads:    o.Threads,
		Budget:     o.MemoryBudget,
		MaxInput:   o.MaxInput,
		MaxWaiting: o.MaxWaitingJobs,
		History:    1024,
		CloseWait:  closeWait,
		Events:     1 << 16,
		Log:        o.logger(),
		Check:      engine.Check{Digest: o.CheckDigest, Subgroup: o.CheckSubgroup},
	})}, nil
}

// findDevices opens what the options ask for; must: there has to be a device.
func (o Options) findDevices(must bool) (engine.Devices, error) {
	if o.Backend == CPU {
		return engine.Devices{Why: "the CPU, as asked for"}, nil
	}
	return engine.FindDevices(engine.DeviceOptions{
		Must:        must,
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

// Drain accepts no more jobs and waits until those under way have ended, or ctx
// has. Close ends the engine afterwards.
func (e *Engine) Drain(ctx context.Context) error {
	return spawn.Guard(func() error { return e.engine.Drain(ctx) })
}

// Submit starts a job and returns at once, unless its JobOptions say Wait. The job is
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
