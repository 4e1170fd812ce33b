package pipeline

import (
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/timeline"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
)

// stageTime is a stage of proving and the time that it took for a partition.
type stageTime struct {
	name string
	took time.Duration
}

// stagesOf names the prover's timings, in the order in which the CPU does them.
func stagesOf(t groth16.Timings) []stageTime {
	return []stageTime{
		{"eval", t.Eval.Duration()}, {"ntt", t.NTT.Duration()}, {"h", t.H.Duration()}, {"l", t.L.Duration()},
		{"a", t.A.Duration()}, {"b_g1", t.B1.Duration()}, {"b_g2", t.B2.Duration()},
	}
}

// drawStages adds the stages of a proof that the CPU made to the timeline, on a track
// of their own: they ran one after the other from began on.
func (r *proof) drawStages(w *Worker, k int, began time.Time, t groth16.Timings) {
	for _, stage := range stagesOf(t) {
		if stage.took == 0 {
			continue
		}
		end := began.Add(stage.took)
		r.trace.Add(timeline.Event{Track: w.Name + " parts", Name: stage.name, Job: r.Job(), Part: k, Start: began, End: end})
		began = end
	}
}

// drawTrace adds the stages of a partition that a device made to the timeline: kernels
// on the device's track, without the pauses in each stage, and copies on a second
// track, since they overlap. From its slot on until its last kernel there was something
// to compute, so the partition counts as queued during that time: pauses are idle time.
func (r *proof) drawTrace(w *Worker, k int, slot time.Time, trace groth16.Trace) {
	event := func(track, name string, start, end time.Time) {
		r.trace.Add(timeline.Event{Track: track, Name: name, Job: r.Job(), Part: k, Start: start, End: end})
	}
	pauses := map[string]timeline.Spans{}
	for _, p := range trace.Pauses {
		pauses[p.Stage] = append(pauses[p.Stage], timeline.Span{From: p.Start, To: p.End})
		r.Counters.Paused.Add(p.End.Sub(p.Start).Seconds(), w.Name)
	}
	for _, s := range trace.Stages {
		if s.Copy {
			event(w.Name+" copy", s.Stage, s.Start, s.End)
			continue
		}
		for _, piece := range (timeline.Spans{{From: s.Start, To: s.End}}).Minus(pauses[s.Stage]) {
			event(w.Name, s.Stage, piece.From, piece.To)
		}
	}
	if _, last, ok := trace.Computing(); ok && last.After(slot) {
		event(w.queueTrack(), "slot", slot, last)
	}
}
