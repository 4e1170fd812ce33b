package engine

import (
	"context"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/timeline"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/gpu"
)

// compute makes the proof of partition k at a site in which it has a slot. On a
// device the partition starts when it is its turn, unless it is wanted elsewhere
// by then, and what the device reports goes into the timeline.
func (r *run) compute(ctx context.Context, y *stay, s *site, p *prover, w *r1cs.Witness, z groth16.Randomness, k int) (proof [groth16.ProofSize]byte, t groth16.Timings, err error) {
	if s.device == nil {
		began := time.Now()
		proof, t, err = p.groth16.Prove(ctx, w, z)
		r.drawParts(s, k, began, t)
		return proof, t, err
	}
	if err := fault.At(r.engine.config.Faults, fault.Device); err != nil {
		return proof, t, deviceFault(err)
	}
	var record device.Record
	slot := time.Now()
	turns := s.turns
	if p.device.Urgent() {
		turns = s.urgent
	}
	ctx = device.WithTurn(device.WithRecord(ctx, &record), func(context.Context) (func(), error) {
		order := r.order(k)
		order.Need, order.Cost = sched.Need{1}, 0 // it is on the device: what is left is not known apart
		g, err := turns.Acquire(y.waiting(), order)
		if err != nil {
			return nil, err
		}
		if !y.start() {
			g.Release()
			return nil, errMoved
		}
		return g.Release, nil
	})
	proof, t, err = p.groth16.Prove(ctx, w, z)
	if err == nil {
		r.draw(s, k, slot, &record)
	}
	return proof, t, err
}

// draw puts the stages of a partition into the timeline: kernels on the device's
// track without each stage's pauses, copies on one beside it, since they overlap.
// From its slot until its last kernel there was something to compute, so it counts
// as queued: pauses are idle time.
func (r *run) draw(s *site, k int, slot time.Time, record *device.Record) {
	event := func(track, name string, span device.Stage) {
		r.engine.trace.Add(timeline.Event{Track: track, Name: name, Job: r.Job(), Part: k, Start: span.Start, End: span.End})
	}
	pauses := map[gpu.Stage]timeline.Spans{}
	for _, p := range record.Pauses {
		pauses[p.In] = append(pauses[p.In], timeline.Span{From: p.Start, To: p.End})
		r.engine.meters.paused.Add(p.End.Sub(p.Start).Seconds(), s.name)
	}
	for i, span := range record.Stages {
		if stage := gpu.Stage(i); stage == gpu.Upload || stage == gpu.Download {
			event(s.name+" copy", stage.String(), span)
			continue
		}
		for _, piece := range (timeline.Spans{{From: span.Start, To: span.End}}).Minus(pauses[gpu.Stage(i)]) {
			event(s.name, gpu.Stage(i).String(), device.Stage{Start: piece.From, End: piece.To})
		}
	}
	if last := record.Computing().End; last.After(slot) {
		event(s.queue(), "slot", device.Stage{Start: slot, End: last})
	}
}

// lane is the track of partitions in the site's slots.
func (s *site) lane() string {
	if s.device == nil {
		return s.name
	}
	return s.name + " slots"
}
