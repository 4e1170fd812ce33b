package cuzk

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/engine"
)

// Fixture is a request for the input of a proof over sectors that were never
// sealed: valid in every respect that a prover or verifier can see, of any
// sector size, made in seconds, and worthless on a network. The files are those
// that the command line reads: c1.json and sector-0.json for a PoRep, KIND.json
// and the vanilla proofs that it names otherwise. The job's result is the path
// of the .json file that says what the chain knows.
type Fixture struct {
	Kind       Kind
	SectorSize uint64 // bytes
	Seed       uint64 // below 2^48; equal seeds give equal files
	Sectors    int    // of a WindowPoSt; 0: one
	Dir        string // existing folder; files of the same names are replaced
	Terms      Terms
}

func (r Fixture) submit(ctx context.Context, e *engine.Engine, wait bool) (*Job, error) {
	r.Terms.Wait = r.Terms.Wait || wait
	return e.SubmitFixture(ctx, engine.Fixture{
		Kind: string(r.Kind), SectorSize: r.SectorSize, Seed: r.Seed, Sectors: r.Sectors, Dir: r.Dir, Terms: r.Terms})
}

// Measure is a request for the time that one part of proving takes alone: one of
// Measures, of 2^Log2 elements. The job's result is Repeats times in nanoseconds,
// 8 bytes each, little-endian. What was computed is checked. On an engine with
// devices "ntt" and "msm_g1" are those of proofs on the first usable device, and
// the others have code Unsupported.
type Measure struct {
	What    string
	Log2    int // at most 28
	Repeats int // 0: one
	Terms   Terms
}

func (r Measure) submit(ctx context.Context, e *engine.Engine, wait bool) (*Job, error) {
	r.Terms.Wait = r.Terms.Wait || wait
	return e.SubmitMeasure(ctx, engine.Measure(r))
}

// Measures lists what can be measured: "field" (multiplications), "ntt" (one
// transform), "msm_g1" and "msm_g2" (sums of products), "bit_sum_g1" (sum of
// selected points), "poseidon" and "sha256" (hashes).
func Measures() []string { return engine.Measures() }
