package cuzk

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/engine"
)

// Measure is a request for the time that one part of proving takes alone: one of
// Measures, of 2^Log2 elements. The job's result is Repeats times in nanoseconds,
// 8 bytes each, little-endian. What was computed is checked. On an engine with
// devices "ntt" and "msm_g1" are those of proofs on the first usable device, and
// the others have code Unsupported.
type Measure struct {
	What    string
	Log2    int // at most 28
	Repeats int // 0: one
	Job     JobOptions
}

func (r Measure) submit(ctx context.Context, e *engine.Engine, wait bool) (*Job, error) {
	return e.SubmitMeasure(ctx, engine.Measure{What: r.What, Log2: r.Log2, Repeats: r.Repeats, Options: r.Job.options(wait)})
}

// Measures lists what can be measured: "field" (multiplications), "ntt" (one
// transform), "msm_g1" and "msm_g2" (sums of products), "bit_sum_g1" (sum of
// selected points), "poseidon" and "sha256" (hashes).
func Measures() []string { return engine.Measures() }
