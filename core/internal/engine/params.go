package engine

import (
	"context"
	"path/filepath"

	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/params"
	pack "github.com/libcuzk/libcuzk/core/internal/snarkpack/srs"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Params asks for test parameters: a .params and a .vk file.
type Params struct {
	Kind       string // of proof, "porep", or "aggregate"
	SectorSize uint64 // bytes; not for "aggregate"
	Length     int    // for "aggregate": points per vector of the SRS
	Dir        string // existing folder; files that are there already are not replaced
	SeedLabel  string // "": random secrets
	Options    JobOptions
}

// aggregateKind asks for the SRS of aggregation instead of the parameters of a circuit.
const aggregateKind = "aggregate"

// SubmitParams starts a job that makes test parameters. Its result is the path
// of the .params or .srs file. Wrong arguments are reported here.
func (e *Engine) SubmitParams(ctx context.Context, r Params) (*Job, error) {
	if r.Kind == aggregateKind {
		return e.submitPack(ctx, r)
	}
	kind, err := filecoin.ParseKind(r.Kind)
	if err != nil {
		return nil, err
	}
	shape, err := filecoin.NewShape(kind, r.SectorSize)
	if err != nil {
		return nil, err
	}
	if r.Length != 0 {
		return nil, status.New(status.Argument, "length", "a length of %d for %s: only an SRS of aggregation has one", r.Length, r.Kind)
	}
	if r.Dir == "" { // not the engine's, where the network's own may be
		return nil, status.New(status.Argument, "dir", "no folder for test parameters was named")
	}
	if err := checkFolder(ctx, r.Dir, "parameters"); err != nil {
		return nil, err
	}
	q := request{kind: "params", options: r.Options, rest: []any{shape, r.Dir, r.SeedLabel}}
	return e.submit(ctx, q, func(ctx context.Context, j *pipeline.Task) ([]byte, error) {
		return e.makeParams(ctx, j, shape, r)
	})
}

// submitPack starts a job that makes an SRS of aggregation.
func (e *Engine) submitPack(ctx context.Context, r Params) (*Job, error) {
	if err := pack.CheckLength(r.Length); err != nil {
		return nil, err
	}
	if r.SectorSize != 0 {
		return nil, status.New(status.Argument, "sector_size", "a sector size for the SRS of aggregation, which serves all")
	}
	if r.Dir == "" { // not the engine's, where the network's own may be
		return nil, status.New(status.Argument, "dir", "no folder for test parameters was named")
	}
	if err := checkFolder(ctx, r.Dir, "parameters"); err != nil {
		return nil, err
	}
	q := request{kind: "params", options: r.Options, rest: []any{r.Kind, r.Length, r.Dir, r.SeedLabel}}
	return e.submit(ctx, q, func(ctx context.Context, j *pipeline.Task) ([]byte, error) { return e.makePack(ctx, j, r) })
}

// makeParams compiles the circuit and writes both files.
func (e *Engine) makeParams(ctx context.Context, j *pipeline.Task, shape filecoin.Shape, r Params) ([]byte, error) {
	j.Stage("compile", 0)
	circuit, err := e.store.Circuit(ctx, shape)
	if err != nil {
		return nil, err
	}
	toxic, err := secrets(r.SeedLabel)
	if err != nil {
		return nil, err
	}
	free, err := e.pipeline.CPU(ctx, j)
	if err != nil {
		return nil, err
	}
	defer free()
	base := filepath.Join(r.Dir, shape.ParamsName())
	j.Stage("setup", params.LayoutOf(circuit).Size())
	err = params.Make(ctx, circuit, toxic, base+".params", base+".vk",
		params.MakeOptions{Workers: e.config.Threads, Progress: j.Advance})
	if err != nil {
		return nil, err
	}
	return []byte(base + ".params"), nil
}

// secrets returns fixed toxic values for a label and random ones for none.
func secrets(label string) (*params.Toxic, error) {
	if label == "" {
		return params.RandomToxic()
	}
	return params.ToxicFromLabel(label), nil
}
