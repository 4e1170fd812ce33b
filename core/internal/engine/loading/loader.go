package loading

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/engine/logging"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// loader makes the copies that the manager of a store asks for.
type loader struct{ store *Store }

// Identify looks at the file. Its length is not checked here.
func (l loader) Identify(name string) (srs.Identity, error) {
	path := l.store.Path(name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return srs.Identity{}, status.New(status.SRSMissing, path, "no parameter file: %w", err)
	case err != nil:
		return srs.Identity{}, status.New(status.FileIO, path, "looking at parameters: %w", err)
	}
	return params.IdentityOf(path, info), nil
}

// Verify checks what the configuration asks for: the published digest, and
// every point.
func (l loader) Verify(ctx context.Context, name string, progress func(done, total int64)) error {
	check := l.store.options.Check
	if check.Digest {
		if err := params.VerifyPublished(ctx, l.store.Path(name)); err != nil {
			return err
		}
	}
	if !check.Subgroup {
		return nil
	}
	file, err := params.Open(l.store.Path(name))
	if err != nil {
		return err
	}
	return errors.Join(file.CheckPoints(ctx, l.store.options.Threads, curve.CheckSubgroup), file.Close())
}

// Plan counts what a device holds: points, and what work needs beside them. The
// pages of a mapping are the kernel's.
func (l loader) Plan(ctx context.Context, name string, at srs.Place) (budget.Amount, error) {
	if at.Tier == srs.Device {
		return l.store.share(ctx, name, at.Device)
	}
	return budget.Amount{}, nil
}

// Load maps the file, or brings a mapped one to a device.
func (l loader) Load(ctx context.Context, name string, at srs.Place, below srs.Copy, progress func(done, total int64)) (srs.Copy, error) {
	if err := fault.At(l.store.options.Faults, fault.Load); err != nil {
		return nil, err
	}
	if at.Tier == srs.Device {
		return l.store.upload(ctx, name, below.(*Loaded), at.Device, progress)
	}
	shape := l.store.shape(name)
	circuit, err := l.store.Circuit(ctx, shape)
	if err != nil {
		return nil, err
	}
	file, err := params.Open(l.store.Path(name))
	if err != nil {
		return nil, err
	}
	p, err := l.store.prepare(circuit, file, shape)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	l.store.options.Logger.Log(logging.Info, "parameters of %s mapped: %s, %d bytes", shape, file.Path, file.Bytes())
	return p, nil
}
