package params

import (
	"context"

	"golang.org/x/sys/unix"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Resident decodes all points into memory: 96 bytes each in G1, 192 in G2,
// the size of the file. check says how much of every point is verified; the
// subgroup check costs about twenty times as much as the rest.
func (f *File) Resident(ctx context.Context, workers int, check curve.Check) (*SRS, error) {
	srs := &SRS{Key: f.key}
	for _, part := range []struct {
		from *section[curve.G1Affine]
		to   *curve.SourceG1
	}{{f.h, &srs.H}, {f.l, &srs.L}, {f.a, &srs.A}, {f.b1, &srs.B1}} {
		points, err := decodeAll(ctx, part.from, workers, check)
		if err != nil {
			return nil, err
		}
		*part.to = curve.SliceG1(points)
	}
	points, err := decodeAll(ctx, f.b2, workers, check)
	srs.B2 = curve.SliceG2(points)
	return srs, err
}

// CheckPoints decodes and verifies every point without keeping any.
func (f *File) CheckPoints(ctx context.Context, workers int, check curve.Check) error {
	for _, s := range []*section[curve.G1Affine]{f.h, f.l, f.a, f.b1} {
		if err := eachBlock(ctx, s, workers, check, nil); err != nil {
			return err
		}
	}
	return eachBlock(ctx, f.b2, workers, check, nil)
}

// WillNeed asks the kernel to read the file ahead.
func (f *File) WillNeed() error {
	if err := unix.Madvise(f.data, unix.MADV_WILLNEED); err != nil {
		return status.New(status.FileIO, f.Path, "reading parameters ahead: %w", err)
	}
	return nil
}

func decodeAll[P any](ctx context.Context, s *section[P], workers int, check curve.Check) ([]P, error) {
	points := make([]P, s.Len())
	return points, eachBlock(ctx, s, workers, check, points)
}

// eachBlock decodes a section block by block, into points unless that is nil.
func eachBlock[P any](ctx context.Context, s *section[P], workers int, check curve.Check, points []P) error {
	err := spawn.Each(ctx, workers, len(s.checked), func(block int) error {
		lo, hi := block*checkBlock, min((block+1)*checkBlock, s.Len())
		var scratch P
		return s.guard(func() error {
			for i := lo; i < hi; i++ {
				p := &scratch
				if points != nil {
					p = &points[i]
				}
				if err := s.point(p, i, check); err != nil {
					return err
				}
			}
			if check >= curve.CheckCurve {
				s.checked[block].Store(true)
			}
			return nil
		})
	})
	return ended(ctx, err)
}
