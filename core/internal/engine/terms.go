package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Terms are what a submitter wants of a job beside its result. The zero value
// asks for nothing special.
type Terms struct {
	// Priority is "critical", "high", "normal" or "low"; "": critical for
	// WinningPoSt, high for WindowPoSt, low for parameters, fixtures and measurements, else normal.
	Priority string

	// Key makes submits idempotent: as long as a job with this key is under way
	// or remembered as done, a submit with the same input returns that job, and
	// one with other input fails with code status.Conflict.
	Key string

	// Deadline is when the result is of no use any more. A job that cannot be
	// done by then fails as soon as that is known, with code status.Deadline.
	Deadline time.Time

	// Wait says that submit waits, in the order of priorities, while the inputs
	// of waiting jobs leave no room for this one; otherwise it fails then with
	// code status.Busy. Who joins the job of a key needs no room.
	Wait bool

	// WitnessOnly ends a job of proving once the input has been checked and every
	// partition solved, with an empty result. It needs no parameters.
	WitnessOnly bool
}

// request is what submit has to know of the work.
type request struct {
	kind  string
	terms Terms
	input [][]byte // the large parts, which stay in memory until the job has ended
	rest  any      // all else that decides the result, as a plain value
}

// priority resolves the priority of a request.
func (r *request) priority() (sched.Priority, error) {
	if r.terms.Priority != "" {
		return sched.ParsePriority(r.terms.Priority)
	}
	switch r.kind {
	case filecoin.WinningPoSt.String():
		return sched.Critical, nil
	case filecoin.WindowPoSt.String():
		return sched.High, nil
	case "params", "fixture", "measure":
		return sched.Low, nil
	}
	return sched.Normal, nil
}

// digest tells requests with one key apart. Lengths go in too, so that bytes
// cannot move from one part to the next unseen.
func (r *request) digest() (d [32]byte) {
	if r.terms.Key == "" {
		return d
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %t %#v", r.kind, r.terms.WitnessOnly, r.rest)
	for _, part := range r.input {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	return [32]byte(h.Sum(nil))
}

// admit accounts for the input of a job that will wait. When too much waits
// already it waits too, if the terms say so; else the error has code status.Busy
// and is retryable. An input never waits for one that could not wait: whoever
// holds room is a job under way, which needs no more of it.
func (e *Engine) admit(ctx context.Context, r *request, priority sched.Priority) (*budget.Lease, error) {
	size := lengths(r.input)
	ask := budget.Ask{Purpose: "input", Amount: budget.Amount{Backlog: size},
		Task: sched.Task{Priority: priority, Since: time.Now()}}
	if err := e.memory.Never(ask.Amount); err != nil {
		return nil, err
	}
	if r.terms.Wait {
		ask.Task.Deadline = r.terms.Deadline
		return e.memory.Reserve(ctx, ask)
	}
	lease, ok := e.memory.Try(ask)
	if !ok {
		err := status.New(status.Busy, "memory_budget", "the inputs of waiting jobs leave no room for %d bytes more", size)
		err.Retryable = true
		return nil, err
	}
	return lease, nil
}

// limitInput bounds the sum of the input's lengths.
func (e *Engine) limitInput(parts [][]byte) error {
	if total := lengths(parts); total > e.config.MaxInput {
		return status.New(status.InputValue, "input", "input of %d bytes, limit is %d", total, e.config.MaxInput)
	}
	return nil
}

// lengths adds up lengths. A C caller may claim any, so that the sum must not
// overflow: it stops at a number that is above every limit.
func lengths(parts [][]byte) (total int64) {
	for _, p := range parts {
		total = min(total+min(int64(len(p)), budget.Unlimited), budget.Unlimited)
	}
	return total
}
