package engine

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	residents "github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/files"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack/aggregator"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack/srs"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// packPath is where the SRS of aggregation is.
func (e *Engine) packPath() string { return filepath.Join(e.config.ParamsDir, srs.Name) }

// packIdentity looks at the file.
func (e *Engine) packIdentity(ctx context.Context) (residents.Identity, error) {
	path := e.packPath()
	id, err := files.Stat(ctx, path)
	if files.Missing(err) {
		return id, status.New(status.SRSMissing, path, "no SRS of aggregation: %w", err)
	}
	return id, err
}

// packVerifierKey returns the six points that verification takes, which stay in memory.
// When another file takes the place of the SRS they are read again.
func (e *Engine) packVerifierKey(ctx context.Context) (*snarkpack.VerifierKey, error) {
	id, err := e.packIdentity(ctx)
	if err != nil {
		return nil, err
	}
	return e.packVerifier.Get(ctx, id, func(ctx context.Context) (*snarkpack.VerifierKey, error) {
		f, err := srs.Open(ctx, id.Path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if e.config.Check.Digest {
			if err := f.CheckDigest(ctx); err != nil {
				return nil, err
			}
		}
		return f.VerifierKey(ctx)
	})
}

// packKeys keeps the key of the largest aggregate so far, for the next: its memory is
// reserved, and given up when nobody uses it and others need it.
type packKeys struct {
	loading chan struct{} // holds a token while a key is read

	mu   sync.Mutex // guards the rest
	held *packKey
}

// packKey is a key in memory.
type packKey struct {
	id    residents.Identity
	key   *aggregator.Key
	lease *budget.Lease
	users int // guarded by packKeys.mu
}

// packUse is one use of a key; release ends it.
type packUse struct {
	key     *aggregator.Key
	release func()
}

func newPackKeys() packKeys { return packKeys{loading: make(chan struct{}, 1)} }

// acquire returns a key for at least n proofs, read from the file unless it is there.
func (k *packKeys) acquire(ctx context.Context, e *Engine, order sched.Task, n int) (*packUse, error) {
	select {
	case k.loading <- struct{}{}:
		defer func() { <-k.loading }()
	case <-ctx.Done():
		return nil, status.Ended(ctx)
	}
	if _, err := e.packVerifierKey(ctx); err != nil { // and the digest is checked, once
		return nil, err
	}
	id, err := e.packIdentity(ctx)
	if err != nil {
		return nil, err
	}
	if use := k.join(e, id, n); use != nil {
		return use, nil
	}
	k.drop()
	f, err := srs.Open(ctx, id.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lease, err := e.memory.Reserve(ctx, budget.Ask{Purpose: "parameters", Amount: budget.Amount{Host: srs.KeyBytes(n)}, Task: order})
	if err != nil {
		return nil, err
	}
	key, err := f.ProverKey(ctx, n, e.config.Threads)
	if err != nil {
		lease.Release()
		return nil, err
	}
	e.logger().Log(Info, "SRS of aggregation read for %d proofs: %s", n, id.Path)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held = &packKey{id: id, key: key, lease: lease, users: 1}
	return k.use(e, k.held), nil
}

// join uses the key that is held, if it serves.
func (k *packKeys) join(e *Engine, id residents.Identity, n int) *packUse {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.held
	if h == nil || h.id != id || h.key.Size() < n || !h.lease.Use() {
		return nil
	}
	h.users++
	return k.use(e, h)
}

func (k *packKeys) use(e *Engine, h *packKey) *packUse {
	return &packUse{key: h.key, release: func() { k.release(e, h) }}
}

// release ends a use. A key that was replaced meanwhile is freed with its last use.
func (k *packKeys) release(e *Engine, h *packKey) {
	k.mu.Lock()
	h.users--
	switch {
	case h.users > 0:
	case k.held == h:
		h.lease.SetIdle(func() { k.forget(h) })
	default:
		h.lease.Release()
	}
	k.mu.Unlock()
	e.memory.Relieve()
}

func (k *packKeys) forget(h *packKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held == h {
		k.held = nil
	}
}

// drop lets go of the key: at once if nobody uses it, else with its last use.
func (k *packKeys) drop() {
	k.mu.Lock()
	h := k.held
	k.held = nil
	k.mu.Unlock()
	if h != nil {
		h.lease.Evict()
	}
}

// evict frees the key and returns its bytes. While it is in use, the error has code
// Busy.
func (k *packKeys) evict() (int64, error) {
	k.mu.Lock()
	h := k.held
	k.mu.Unlock()
	switch {
	case h == nil:
		return 0, nil
	case !h.lease.Evict():
		return 0, status.New(status.Busy, srs.Name, "the SRS of aggregation is in use")
	}
	return srs.KeyBytes(h.key.Size()), nil
}

// preloadPack reads the key for n proofs.
func (e *Engine) preloadPack(ctx context.Context, n uint64, progress func(stage string, done, total int64)) error {
	if n < 2 || n > snarkpack.MaxProofs {
		return status.New(status.Argument, "sector_size", "an aggregate of %d proofs, 2 to %d are possible", n, snarkpack.MaxProofs)
	}
	if progress != nil {
		progress("load", 0, 0)
	}
	use, err := e.packKeys.acquire(ctx, e, sched.Task{Priority: sched.Low, Since: time.Now()}, snarkpack.Padded(int(n)))
	if err != nil {
		return err
	}
	use.release()
	return nil
}

// makePack writes a test SRS with vectors of n points and returns its path.
func (e *Engine) makePack(ctx context.Context, t *pipeline.Task, r Params) ([]byte, error) {
	a, b, err := packSecrets(r.SeedLabel)
	if err != nil {
		return nil, err
	}
	free, err := e.pipeline.CPU(ctx, t)
	if err != nil {
		return nil, err
	}
	defer free()
	t.Stage("setup", srs.FileBytes(r.Length))
	path := filepath.Join(r.Dir, srs.Name)
	err = files.WriteFile(ctx, path, srs.FileBytes(r.Length), false, func(w *files.Writer) error {
		return srs.Write(ctx, appender{ctx, w}, r.Length, &a, &b, e.config.Threads, t.Advance)
	})
	if err != nil && ctx.Err() != nil {
		err = status.Ended(ctx)
	}
	return []byte(path), err
}

// appender is a file that is written from its beginning to its end.
type appender struct {
	ctx  context.Context
	file *files.Writer
}

func (a appender) Write(b []byte) (int, error) { return len(b), a.file.Append(a.ctx, b) }

// packSecrets returns the secrets of a label, and random ones for none.
func packSecrets(label string) (a, b fr.Element, err error) {
	if label != "" {
		prefix := ""
		if label != params.GoldenLabel {
			prefix = label + " "
		}
		return params.LabelScalar(prefix + "srs alpha"), params.LabelScalar(prefix + "srs beta"), nil
	}
	for _, s := range []*fr.Element{&a, &b} {
		if _, err := s.SetRandom(); err != nil {
			return a, b, status.New(status.Internal, "random", "system randomness: %w", err)
		}
	}
	return a, b, nil
}
