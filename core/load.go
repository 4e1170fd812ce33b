package cuzk

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/engine"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// Preload brings the parameters of a kind of proof to where they are used, so that
// the first job need not: checked and mapped, and onto every device. progress may be nil; it is told a stage ("verify", "load") and
// bytes.
func (e *Engine) Preload(ctx context.Context, kind Kind, sectorSize uint64, progress func(stage string, done, total int64)) error {
	return spawn.Guard(func() error { return e.engine.Preload(ctx, string(kind), sectorSize, progress) })
}

// Evict lets go of the parameters of a kind, of all with "", and returns the
// bytes of memory that this freed. It is refused with code Busy while they are
// in use.
func (e *Engine) Evict(kind Kind, sectorSize uint64) (int64, error) {
	return guarded(func() (int64, error) { return e.engine.Evict(string(kind), sectorSize) })
}

// Load is a request that does what Preload does, as a job; its result is empty.
type Load struct {
	Kind       Kind
	SectorSize uint64 // bytes
	Job        JobOptions
}

func (r Load) submit(ctx context.Context, e *engine.Engine, wait bool) (*Job, error) {
	return e.SubmitLoad(ctx, engine.Load{Kind: string(r.Kind), SectorSize: r.SectorSize, Options: r.Job.options(wait)})
}
