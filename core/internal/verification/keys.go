package verification

import (
	"context"
	"path/filepath"
	"sync"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/files"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// keyFile is a .vk file as it was found: when another takes its place, as when
// parameters are made anew, the key is read again.
type keyFile struct {
	shape filecoin.Shape
	file  files.Identity
}

// key is a .vk file that was read.
type key struct {
	*verify.Verifier
	data []byte // of the file
}

// keyFiles knows the file of each key that was read last.
type keyFiles struct {
	mu    sync.Mutex // guards known
	known map[filecoin.Shape]keyFile
}

func (k *keyFiles) last(shape filecoin.Shape) (keyFile, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, ok := k.known[shape]
	return f, ok
}

func (k *keyFiles) learn(f keyFile) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known = map[filecoin.Shape]keyFile{}
	}
	k.known[f.shape] = f
}

// Key returns the prepared verifying key of a circuit, from the .vk file
// in the parameter folder. Its published digest is checked if the configuration
// asks for that: a caller that only verifies never opens the .params file. A key
// that was read is used on when its file is gone or does not answer.
func (v *Verifier) Key(ctx context.Context, shape filecoin.Shape) (*verify.Verifier, error) {
	k, err := v.read(ctx, shape)
	if err != nil {
		return nil, err
	}
	return k.Verifier, nil
}

// Ready returns nil if Key has the key of a circuit.
func (v *Verifier) Ready(ctx context.Context, shape filecoin.Shape) error {
	_, err := v.read(ctx, shape)
	return err
}

// KeyFile returns the path and the bytes of the .vk file of a circuit.
func (v *Verifier) KeyFile(ctx context.Context, shape filecoin.Shape) (path string, data []byte, err error) {
	k, err := v.read(ctx, shape)
	if err != nil {
		return "", nil, err
	}
	return v.keyPath(shape), k.data, nil
}

func (v *Verifier) keyPath(shape filecoin.Shape) string {
	return filepath.Join(v.options.ParamsDir, shape.ParamsName()+".vk")
}

// read returns the key of a circuit, read unless it was.
func (v *Verifier) read(ctx context.Context, shape filecoin.Shape) (*key, error) {
	path := v.keyPath(shape)
	last, known := v.files.last(shape)
	id, err := files.Look(ctx, path, known)
	now := keyFile{shape, id}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, status.Ended(ctx)
	case err != nil && known:
		now = last
	case files.Missing(err):
		return nil, status.New(status.SRSMissing, path, "no verifying key of %s: %s: %w", shape, path, err)
	case err != nil:
		return nil, err
	}
	k, err := v.keys.Get(ctx, now, func(ctx context.Context) (*key, error) { return v.readFile(ctx, path, shape) })
	if err == nil {
		v.files.learn(now)
	}
	return k, err
}

// readFile reads a .vk file. Its length is checked before anything is read.
func (v *Verifier) readFile(ctx context.Context, path string, shape filecoin.Shape) (*key, error) {
	file, err := files.Open(ctx, path)
	if files.Missing(err) {
		return nil, status.New(status.SRSMissing, path, "no verifying key of %s: %s: %w", shape, path, err)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if want := (&verify.Key{IC: make([]bls.G1Affine, shape.NumInputs()+1)}).Size(); file.Size != int64(want) {
		return nil, status.New(status.SRSLayout, path, "%s: the verifying key has %d bytes, that of %s has %d", path, file.Size, shape, want)
	}
	if v.options.CheckDigest {
		if err := params.VerifyPublished(ctx, file, nil); err != nil {
			return nil, err
		}
	}
	data := make([]byte, file.Size)
	if err := file.ReadAt(ctx, data, 0); err != nil {
		return nil, err
	}
	parsed, err := verify.ParseKey(data)
	if err != nil {
		return nil, files.Blame(path, err)
	}
	prepared, err := verify.New(parsed)
	return &key{prepared, data}, err
}
