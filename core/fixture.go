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
	Job        JobOptions
}

func (r Fixture) submit(ctx context.Context, e *engine.Engine, wait bool) (*Job, error) {
	return e.SubmitFixture(ctx, engine.Fixture{
		Kind: string(r.Kind), SectorSize: r.SectorSize, Seed: r.Seed, Sectors: r.Sectors, Dir: r.Dir, Options: r.Job.options(wait)})
}
