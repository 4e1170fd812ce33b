package loading

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/engine/logging"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/files"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// loader makes the copies that the manager of a store asks for.
type loader struct{ store *Store }

// Identify looks at the file. Its length is not checked here.
func (l loader) Identify(ctx context.Context, name string, known bool) (srs.Identity, error) {
	path := l.store.Path(name)
	id, err := files.Look(ctx, path, known)
	if files.Missing(err) {
		return id, status.New(status.SRSMissing, path, "no parameters of %s: %s: %w", l.store.shape(name), path, err)
	}
	return id, err
}

// Verify checks what the configuration asks for: the published digest, and
// every point.
func (l loader) Verify(ctx context.Context, mapped srs.Copy, progress func(done, total int64)) error {
	file, check := mapped.(*Loaded).file, l.store.options.Check
	if check.Digest {
		if err := file.VerifyPublished(ctx, progress); err != nil {
			return err
		}
	}
	if !check.Subgroup {
		return nil
	}
	return file.CheckPoints(ctx, l.store.options.Threads, curve.CheckSubgroup)
}

// Plan counts what a device holds: points, and what work needs beside them. The
// pages of a file are the kernel's.
func (l loader) Plan(ctx context.Context, name string, at srs.Place) (budget.Amount, error) {
	if at.Tier == srs.Device {
		return l.store.share(ctx, name, at.Device)
	}
	return budget.Amount{}, nil
}

// Load opens the file, or brings an open one to a device.
func (l loader) Load(ctx context.Context, name string, at srs.Place, below srs.Copy, progress func(done, total int64)) (srs.Copy, error) {
	if err := fault.At(l.store.options.Faults, fault.Load); err != nil {
		return nil, err
	}
	if at.Tier == srs.Device {
		p, err := l.store.upload(ctx, name, below.(*Loaded), at.Device, progress)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	shape := l.store.shape(name)
	circuit, err := l.store.Circuit(ctx, shape)
	if err != nil {
		return nil, err
	}
	file, err := params.OpenFor(ctx, l.store.Path(name), params.LayoutOf(circuit))
	if err != nil {
		return nil, err
	}
	p, err := l.store.prepare(ctx, circuit, file, shape)
	if err != nil {
		file.Close()
		return nil, err
	}
	l.store.options.Logger.Log(logging.Info, "parameters of %s opened: %s, %d bytes", shape, file.Path, file.Bytes())
	return p, nil
}
