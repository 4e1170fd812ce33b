package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// loader brings parameters of the engine's folder to where they are used: mapped,
// or on a device.
type loader struct{ engine *Engine }

// shapes knows the circuit of each parameter name that was asked for.
type shapes struct {
	mu    sync.Mutex // guards known
	known map[string]filecoin.Shape
}

// name returns the parameter name of a shape and remembers it.
func (s *shapes) name(shape filecoin.Shape) string {
	name := shape.ParamsName()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[string]filecoin.Shape{}
	}
	s.known[name] = shape
	return name
}

func (s *shapes) of(name string) filecoin.Shape {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[name]
}

func (l loader) path(name string) string {
	return filepath.Join(l.engine.config.ParamsDir, name+".params")
}

// Identify looks at the file. Its length is not checked here.
func (l loader) Identify(name string) (srs.Identity, error) {
	path := l.path(name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return srs.Identity{}, status.New(status.SRSMissing, path, "no parameter file: %w", err)
	case err != nil:
		return srs.Identity{}, status.New(status.FileIO, path, "looking at parameters: %w", err)
	}
	return identityOf(path, info), nil
}

// identityOf is what a file is known by.
func identityOf(path string, info fs.FileInfo) srs.Identity {
	id := srs.Identity{Path: path, Size: info.Size(), ModTime: info.ModTime()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Inode, id.Volume = sys.Ino, uint64(sys.Dev)
	}
	return id
}

// Verify checks what the configuration asks for: the published digest, and
// every point.
func (l loader) Verify(ctx context.Context, name string, progress func(done, total int64)) error {
	check := l.engine.config.Check
	if check.Digest {
		if err := params.VerifyPublished(ctx, l.path(name)); err != nil {
			return err
		}
	}
	if !check.Subgroup {
		return nil
	}
	file, err := params.Open(l.path(name))
	if err != nil {
		return err
	}
	return errors.Join(file.CheckPoints(ctx, l.engine.config.Threads, curve.CheckSubgroup), file.Close())
}

// Plan counts what a device holds: points, and what work needs beside them. The
// pages of a mapping are the kernel's.
func (l loader) Plan(ctx context.Context, name string, at srs.Place) (budget.Amount, error) {
	if at.Tier == srs.Device {
		return l.engine.share(ctx, name, at.Device)
	}
	return budget.Amount{}, nil
}

// Load maps the file, or brings a mapped one to a device.
func (l loader) Load(ctx context.Context, name string, at srs.Place, below srs.Copy, progress func(done, total int64)) (srs.Copy, error) {
	if err := fault.At(l.engine.config.Faults, fault.Load); err != nil {
		return nil, err
	}
	if at.Tier == srs.Device {
		return l.engine.upload(ctx, name, below.(*prover), at.Device, progress)
	}
	shape := l.engine.shapes.of(name)
	circuit, err := l.engine.circuit(ctx, shape)
	if err != nil {
		return nil, err
	}
	file, err := params.Open(l.path(name))
	if err != nil {
		return nil, err
	}
	p, err := l.engine.prepare(circuit, file, shape)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	l.engine.log(Info, "parameters of %s mapped: %s, %d bytes", shape, file.Path, file.Bytes())
	return p, nil
}
