package engine

import (
	"context"
	"path/filepath"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/files"
	"github.com/libcuzk/libcuzk/core/internal/fixture"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Fixture asks for the input of a proof over sparse sectors.
type Fixture struct {
	Kind       string // of proof, "porep"
	SectorSize uint64 // bytes
	Seed       uint64 // equal seeds give equal files
	Sectors    int    // of a WindowPoSt; 0: one
	Dir        string // existing folder
	Options    JobOptions
}

// maxSectors is what the largest WindowPoSt of a deadline may ask for, and more.
const maxSectors = 1 << 16

// SubmitFixture starts a job that writes the files. Its result is the path of
// the one that says what the chain knows. Wrong arguments are reported here.
func (e *Engine) SubmitFixture(ctx context.Context, r Fixture) (*Job, error) {
	shape, err := shapeOf(r.Kind, r.SectorSize)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Sectors < 0 || r.Sectors > maxSectors:
		return nil, status.New(status.Argument, "sectors", "%d sectors, want 0 to %d", r.Sectors, maxSectors)
	case r.Sectors > 1 && shape.Kind != filecoin.WindowPoSt:
		return nil, status.New(status.Argument, "sectors", "%d sectors for %s, which is about one", r.Sectors, r.Kind)
	case r.Seed > maxSeed:
		return nil, status.New(status.Argument, "seed", "seed %d, want 0 to %d", r.Seed, uint64(maxSeed))
	}
	if err := checkFolder(ctx, r.Dir, "fixtures"); err != nil {
		return nil, err
	}
	q := request{kind: "fixture", options: r.Options, rest: []any{shape, r.Seed, r.Sectors, r.Dir}}
	return e.submit(ctx, q, func(ctx context.Context, t *pipeline.Task) ([]byte, error) {
		t.Stage("make", 0)
		files, name, err := makeFixture(ctx, t, shape.Kind, r)
		if err != nil {
			return nil, err
		}
		t.Stage("write", int64(len(files)))
		return []byte(filepath.Join(r.Dir, name)), files.Write(r.Dir)
	})
}

// maxSeed keeps the numbers that are derived from a seed within 64 bits.
const maxSeed = 1 << 48

// makeFixture returns the files and the name of the one that describes them.
// The large C1 goes straight to its place, and so do the many proofs of a WindowPoSt.
func makeFixture(ctx context.Context, t *pipeline.Task, kind filecoin.Kind, r Fixture) (fixture.Files, string, error) {
	switch kind {
	case filecoin.WindowPoSt:
		n := int64(max(r.Sectors, 1))
		t.Stage("make", n)
		p, err := fixture.SparseWindowPoSt(r.SectorSize, r.Seed, int(n), func(name string, vanilla []byte) error {
			if err := status.Ended(ctx); err != nil {
				return err
			}
			t.Step(1)
			return fixture.Files{name: vanilla}.Write(r.Dir)
		})
		if err != nil {
			return nil, "", err
		}
		return p.Files(), r.Kind + ".json", nil
	case filecoin.Update:
		p, err := updateProofOf(r.SectorSize)
		if err != nil {
			return nil, "", err
		}
		u, err := fixture.NewUpdate(p, r.Seed)
		if err != nil {
			return nil, "", err
		}
		return u.Files(), r.Kind + ".json", nil
	}
	p, err := filecoin.SealProofOf(r.SectorSize, filecoin.V1_1, filecoin.NoFeature)
	if err != nil {
		return nil, "", err
	}
	s, err := fixture.NewSector(p, r.Seed)
	if err != nil {
		return nil, "", err
	}
	if kind == filecoin.WinningPoSt {
		w, err := s.WinningPoSt()
		if err != nil {
			return nil, "", err
		}
		return w.Files(), r.Kind + ".json", nil
	}
	return s.Descriptor(), "sector-0.json", s.WriteC1File(r.Dir)
}

// updateProofOf returns the registered update proof of a sector size.
func updateProofOf(sectorSize uint64) (filecoin.UpdateProof, error) {
	for p := range filecoin.NumUpdateProofs {
		if p.SectorSize() == sectorSize {
			return p, nil
		}
	}
	return 0, status.New(status.Unsupported, "sector_size", "no update of sectors of %d bytes", sectorSize)
}

// checkFolder refuses a folder that is not there.
func checkFolder(ctx context.Context, dir, of string) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if err := files.CheckFolder(ctx, dir); err != nil {
		return status.New(status.FileIO, dir, "no folder for %s: %w", of, err)
	}
	return nil
}

// answerTime is how long a file system may take to answer a call that only hands in work.
const answerTime = 10 * time.Second
