package engine

import (
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/timeline"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
)

// part is a part of the prove stage and the time that it took for a partition.
type part struct {
	name string
	took time.Duration
}

// partsOf names the prover's timings, in the order in which the CPU does them.
func partsOf(t groth16.Timings) []part {
	return []part{
		{"eval", t.Eval.Duration()}, {"ntt", t.NTT.Duration()}, {"h", t.H.Duration()}, {"l", t.L.Duration()},
		{"a", t.A.Duration()}, {"b_g1", t.B1.Duration()}, {"b_g2", t.B2.Duration()},
	}
}

// drawParts puts the parts of a proof that the CPU made into the timeline, on a
// track beside the site's: they were done one after the other from began on.
func (r *run) drawParts(s *site, k int, began time.Time, t groth16.Timings) {
	for _, part := range partsOf(t) {
		if part.took == 0 {
			continue
		}
		end := began.Add(part.took)
		r.engine.trace.Add(timeline.Event{Track: s.name + " parts", Name: part.name, Job: r.Job(), Part: k, Start: began, End: end})
		began = end
	}
}
