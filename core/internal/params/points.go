package params

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/files"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// CheckPoints decodes and verifies every point without keeping any. check says how
// much of each point is verified; the subgroup check costs about twenty times as
// much as the rest.
func (f *File) CheckPoints(ctx context.Context, workers int, check curve.Check) error {
	for _, s := range []*section[curve.G1Affine]{f.h, f.l, f.a, f.b1} {
		if err := checkSection(ctx, s, workers, check); err != nil {
			return err
		}
	}
	return checkSection(ctx, f.b2, workers, check)
}

// checkSection verifies a section block by block.
func checkSection[P any](ctx context.Context, s *section[P], workers int, check curve.Check) error {
	err := spawn.Each(ctx, workers, len(s.checked), func(block int) error {
		lo, hi := block*checkBlock, min((block+1)*checkBlock, s.Len())
		points := make([]P, hi-lo)
		err := s.file.Use(ctx, []files.Span{s.span(lo, hi)}, func(data []byte) error {
			return s.points(points, func(i int) []byte { return data[i*s.size:] }, func(i int) int { return lo + i }, check)
		})
		if err == nil && check >= curve.CheckCurve {
			s.checked[block].Store(true)
		}
		return err
	})
	return ended(ctx, err)
}
