package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// What hosts see of a job is the table's.
type (
	Job       = jobs.Job
	Report    = jobs.Report
	Progress  = jobs.Progress
	StageTime = jobs.StageTime
)

// request is what submit has to know of the work.
type request struct {
	kind    string
	options JobOptions
	input   [][]byte // the large parts, which stay in memory until the job has ended
	rest    any      // all else that decides the result, as a plain value
}

// work does a job and returns its result.
type work func(context.Context, *pipeline.Task) ([]byte, error)

// submit starts a job, or joins the one that has the request's key. The context
// that do gets ends with the engine, with Cancel, with the deadline, or when
// that of every submitter has; its cause is a typed error. After Close, submit
// refuses.
func (e *Engine) submit(ctx context.Context, r request, do work) (*Job, error) {
	priority, err := r.priority()
	if err != nil {
		return nil, err
	}
	if err := e.limitInput(r.input); err != nil {
		return nil, err
	}
	if d, ok := ctx.Deadline(); ok && (r.options.Deadline.IsZero() || d.Before(r.options.Deadline)) {
		r.options.Deadline = d
	}
	job := jobs.Request{
		Kind: r.kind, Key: r.options.Key, Digest: r.digest(), Priority: priority, Deadline: r.options.Deadline,
		Run: func(ctx context.Context, a *jobs.Attempt) ([]byte, error) {
			t := pipeline.NewTask(a, priority, r.options.Deadline, e.trace)
			t.WitnessOnly = r.options.WitnessOnly
			defer t.Close()
			return do(ctx, t)
		},
	}
	if j, err := e.table.Join(ctx, job); j != nil || err != nil {
		return j, err
	}
	return e.start(ctx, &r, job)
}

// start submits a job whose input is accounted for from now to its end.
func (e *Engine) start(ctx context.Context, r *request, job jobs.Request) (*Job, error) {
	input, err := e.admit(ctx, r, job.Priority)
	if closed := e.table.Closed(); err != nil && closed != nil {
		return nil, closed
	}
	if err != nil {
		return nil, err
	}
	accepted := false
	job.Accepted = func() { accepted = true }
	job.Ended = func(report Report) {
		input.Release()
		e.ended(report)
	}
	j, err := e.table.Submit(ctx, job)
	if !accepted {
		input.Release()
	}
	return j, err
}

// priority resolves the priority of a request.
func (r *request) priority() (sched.Priority, error) {
	if r.options.Priority != "" {
		return sched.ParsePriority(r.options.Priority)
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
	if r.options.Key == "" {
		return d
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %t %#v", r.kind, r.options.WitnessOnly, r.rest)
	for _, part := range r.input {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	return [32]byte(h.Sum(nil))
}

// jobBytes is what a waiting job holds beside its input: the job, its context, its
// goroutine, and what is parsed of a small input. TestWaitingJobsCostWhatTheyAreChargedFor
// measures it.
const jobBytes = 24 << 10

// admit accounts for the input of a job that will wait. When the inputs of waiting
// jobs take all memory that they may, it waits if the options say so, and else fails
// with code status.Busy. No deadlock follows: whoever holds memory for an input is a
// job that was accepted, and such a job never asks for more of that memory.
func (e *Engine) admit(ctx context.Context, r *request, priority sched.Priority) (*budget.Lease, error) {
	size := lengths(r.input)
	if charge := size + jobBytes; size <= e.limits.Backlog {
		size = min(charge, e.limits.Backlog)
	}
	ask := budget.Ask{Purpose: "input", Amount: budget.Amount{Backlog: size},
		Task: sched.Task{Priority: priority, Since: time.Now()}}
	if err := e.memory.Never(ask.Amount); err != nil {
		return nil, err
	}
	if r.options.Wait {
		ask.Task.Deadline = r.options.Deadline
		return e.memory.Reserve(ctx, ask)
	}
	lease, ok := e.memory.Try(ask)
	if !ok {
		return nil, status.New(status.Busy, "memory_budget", "waiting jobs leave no memory for %d bytes more, or are as many as may wait", size)
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
