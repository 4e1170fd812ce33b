package verification

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// keyFile is a .vk file as it was found: when another takes its place, as when
// parameters are made anew, the key is read again.
type keyFile struct {
	shape filecoin.Shape
	file  params.Identity
}

// Key returns the prepared verifying key of a circuit, from the .vk file
// in the parameter folder. Its published digest is checked if the configuration
// asks for that: a caller that only verifies never opens the .params file.
func (v *Verifier) Key(ctx context.Context, shape filecoin.Shape) (*verify.Verifier, error) {
	path := filepath.Join(v.options.ParamsDir, shape.ParamsName()+".vk")
	info, err := statKey(path, shape)
	if err != nil {
		return nil, err
	}
	return v.keys.Get(ctx, keyFile{shape, params.IdentityOf(path, info)}, func(ctx context.Context) (*verify.Verifier, error) {
		key, err := ReadKey(path, shape)
		if err == nil && v.options.CheckDigest {
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

// ReadKey reads a .vk file. Its length is checked before anything is read.
func ReadKey(path string, shape filecoin.Shape) (*verify.Key, error) {
	if _, err := statKey(path, shape); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, status.New(status.FileIO, filepath.Base(path), "verifying key of %s: %w", shape, err)
	}
	return verify.ParseKey(data)
}
