// Package engine is the resident prover: it keeps compiled circuits and mapped
// parameters, and takes each job on one path, parse → check → solve → prove →
// verify → deliver.
package engine

import (
	"context"
	"errors"
	"sync"

	"libcuzk/core/internal/engine/stop"
	"libcuzk/core/internal/filecoin"
	"libcuzk/core/internal/groth16"
	"libcuzk/core/internal/r1cs"
	"libcuzk/core/internal/spawn"
	"libcuzk/core/internal/status"
	"libcuzk/core/internal/verify"
)

// Engine does jobs until it is closed. Use Open; safe for concurrent use.
type Engine struct {
	config Config
	jobs   spawn.Group
	turn   chan struct{} // one job at a time solves and proves: holds one token when free

	circuits resident[filecoin.Shape, *r1cs.Circuit]
	keys     resident[filecoin.Shape, *verify.Verifier]
	provers  resident[filecoin.Shape, *prover]

	mu      sync.Mutex // guards the rest
	closed  bool
	live    map[*Job]struct{}
	retired []*prover // of files that were replaced
}

// Config is a resolved configuration: every field has its final value.
type Config struct {
	ParamsDir string // folder of .params and .vk files
	Threads   int    // worker threads, at least 1
	Budget    int64  // bytes that proving may hold at once; 0: unbounded
	MaxInput  int64  // bytes of the largest accepted input
	Check     Check  // of parameter files

	// Blinding returns the randomness of a partition's proof; nil: the system's.
	// Fixed values reveal the witness and are for tests.
	Blinding func(partition int) (groth16.Randomness, error)
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
	e := &Engine{config: config, turn: make(chan struct{}, 1), live: map[*Job]struct{}{}}
	e.turn <- struct{}{}
	return e
}

// Close cancels every job, waits until all have stopped, and lets go of what
// the engine keeps. A second Close waits likewise and returns nil.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	for j := range e.live {
		j.cancel(status.New(status.Closed, "", "engine closed while a %s job ran", j.kind))
	}
	e.mu.Unlock()
	err := errors.Join(e.jobs.Wait(), e.provers.drain((*prover).close))
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.retired {
		err = errors.Join(err, p.close())
	}
	e.retired = nil
	return err
}

// start books a job and runs it on a goroutine of its own, unless the engine is
// closed. Both happen under the lock, so that Close cannot miss a job.
func (e *Engine) start(j *Job, run func()) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return status.New(status.Closed, "", "engine is closed")
	}
	e.live[j] = struct{}{}
	e.jobs.Go(func() error {
		defer e.leave(j)
		run()
		return nil
	})
	return nil
}

// leave forgets a job that has ended.
func (e *Engine) leave(j *Job) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.live, j)
}

// acquire waits for the job's turn to use all threads; release gives it back.
func (e *Engine) acquire(ctx context.Context) error {
	select {
	case <-e.turn:
		return nil
	case <-ctx.Done():
		return stop.Cause(ctx)
	}
}

func (e *Engine) release() { e.turn <- struct{}{} }
