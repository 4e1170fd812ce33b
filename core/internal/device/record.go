package device

import (
	"context"
	"time"

	"github.com/libcuzk/libcuzk/gpu"
)

// Record says where and when a partition was computed, so that a wrong answer
// can be blamed and a timeline drawn: see [WithRecord].
type Record struct {
	Device *Device
	Stages [gpu.Stages]Stage
	Pauses []Pause // when, during the stages, the device had nothing to run of them
}

// Stage is when a stage of a partition ran, by the clock of the host.
type Stage struct{ Start, End time.Time }

// Pause is a time within a stage. Another stage may have run beside it.
type Pause struct {
	In gpu.Stage
	Stage
}

// Computing returns when the kernels of the partition ran, from the first to the
// last.
func (r *Record) Computing() Stage {
	all := r.Stages[gpu.Rows]
	for _, s := range r.Stages[gpu.Rows : gpu.SumB2+1] {
		if s.Start.Before(all.Start) {
			all.Start = s.Start
		}
		if s.End.After(all.End) {
			all.End = s.End
		}
	}
	return all
}

type recordKey struct{}

// WithRecord returns a context with which Backend.Sums fills in the record when
// it succeeds.
func WithRecord(ctx context.Context, r *Record) context.Context {
	return context.WithValue(ctx, recordKey{}, r)
}

// record fills in the context's record, if there is one. back is when the host
// learned that the partition was done.
func (d *Device) record(ctx context.Context, s *gpu.Sums, back time.Time) {
	epoch := d.clock.epoch(s.Spans[gpu.Download].End, back)
	r, ok := ctx.Value(recordKey{}).(*Record)
	if !ok {
		return
	}
	r.Device = d
	at := func(s gpu.Span) Stage { return Stage{epoch.Add(s.Start), epoch.Add(s.End)} }
	for i, span := range s.Spans {
		r.Stages[i] = at(span)
	}
	for _, p := range s.Pauses {
		r.Pauses = append(r.Pauses, Pause{p.Stage, at(p.Span)})
	}
}

// Turn is asked for between the upload of a partition and the start of its
// kernels, which run in the order of their start. It waits until the partition
// may start; release lets the next one do so.
type Turn func(ctx context.Context) (release func(), err error)

type turnKey struct{}

// WithTurn returns a context with which Backend.Sums asks for a turn.
func WithTurn(ctx context.Context, t Turn) context.Context {
	return context.WithValue(ctx, turnKey{}, t)
}

// turn asks for the context's turn; without one there is nothing to wait for.
func turn(ctx context.Context) (release func(), err error) {
	if t, ok := ctx.Value(turnKey{}).(Turn); ok {
		return t(ctx)
	}
	return func() {}, nil
}
