package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"

	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// keyFile is a .vk file as it was found: when another takes its place, as when
// parameters are made anew, the key is read again.
type keyFile struct {
	shape filecoin.Shape
	file  srs.Identity
}

// verifier returns the prepared verifying key of a circuit, from the .vk file
// in the parameter folder. Its published digest is checked if the configuration
// asks for that: a caller that only verifies never opens the .params file.
func (e *Engine) verifier(ctx context.Context, shape filecoin.Shape) (*verify.Verifier, error) {
	path := filepath.Join(e.config.ParamsDir, shape.ParamsName()+".vk")
	info, err := statKey(path, shape)
	if err != nil {
		return nil, err
	}
	return e.keys.get(ctx, keyFile{shape, identityOf(path, info)}, func(ctx context.Context) (*verify.Verifier, error) {
		key, err := readKey(path, shape)
		if err == nil && e.config.Check.Digest {
			err = params.VerifyPublished(ctx, path)
		}
		if err != nil {
			return nil, err
		}
		return verify.New(key)
	})
}

// statKey looks at a .vk file and checks its length.
func statKey(path string, shape filecoin.Shape) (fs.FileInfo, error) {
	name := filepath.Base(path)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, status.New(status.SRSMissing, name, "verifying key of %s not found: %w", shape, err)
	}
	if err != nil {
		return nil, status.New(status.FileIO, name, "verifying key of %s: %w", shape, err)
	}
	if want := (&verify.Key{IC: make([]bls.G1Affine, shape.NumInputs()+1)}).Size(); info.Size() != int64(want) {
		return nil, status.New(status.SRSLayout, name, "verifying key of %s has %d bytes, want %d", shape, info.Size(), want)
	}
	return info, nil
}

// readKey reads a .vk file. Its length is checked before anything is read.
func readKey(path string, shape filecoin.Shape) (*verify.Key, error) {
	if _, err := statKey(path, shape); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, status.New(status.FileIO, filepath.Base(path), "verifying key of %s: %w", shape, err)
	}
	return verify.ParseKey(data)
}
