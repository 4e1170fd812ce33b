package cuzk

import (
	"context"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine"
)

// Kind is a kind of proof.
type Kind string

// The kinds of proof, spelled the same in every language.
const (
	KindPoRep       Kind = "porep"
	KindWinningPoSt Kind = "winning_post"
	KindWindowPoSt  Kind = "window_post"
	KindUpdate      Kind = "update"
)

// Params is a request for test parameters: a .params and a .vk file under the
// network's names. Whoever made them could forge proofs: they are worth
// nothing on a real network. The job's result is the path of the .params file.
type Params struct {
	Kind       Kind   // of proof, or KindAggregate: then one .srs file is made
	SectorSize uint64 // bytes; not for KindAggregate
	Length     int    // for KindAggregate: points per vector, twice as many as proofs can be aggregated

	// Dir is an existing folder, which must be named: test parameters have the names
	// of the network's own. Files that exist are never replaced (FileIO); both files
	// take their names together, or neither does.
	Dir string

	// SeedLabel "" makes random secrets that are forgotten afterwards;
	// "golden" the fixed ones of the test vectors, known to everyone.
	SeedLabel string

	// Job says how urgent the job is, and until when it is of use.
	Job JobOptions
}

func (r Params) submit(ctx context.Context, e *engine.Engine, wait bool) (*Job, error) {
	return e.SubmitParams(ctx, engine.Params{
		Kind: string(r.Kind), SectorSize: r.SectorSize, Length: r.Length, Dir: r.Dir, SeedLabel: r.SeedLabel, Options: r.Job.options(wait)})
}

// MakeParams makes test parameters and returns the path of the .params file.
// progress, if not nil, is called on this goroutine now and then.
func (e *Engine) MakeParams(ctx context.Context, r Params, progress func(Progress)) (string, error) {
	j, err := e.Submit(ctx, r)
	if err != nil {
		return "", err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-j.Done():
			path, err := j.Result()
			return string(path), err
		case <-tick.C:
			if progress != nil {
				progress(j.Report().Progress)
			}
		}
	}
}
