package curve

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/field"
	"github.com/libcuzk/libcuzk/core/internal/field/fieldtest"
)

// TestLevelsAgree compares sums of every kind on all levels of vectors with those of
// portable code, for the same points and scalars.
func TestLevelsAgree(t *testing.T) {
	rng := seeded(t)
	const n = 300
	ctx := context.Background()
	p1, p2, k := pointsG1(rng, n), pointsG2(rng, n), mixedScalars(rng, n)
	bitmap := make([]uint64, (n+63)/64)
	for i := range bitmap {
		bitmap[i] = rng.Uint64()
	}
	type results struct {
		msm1, bits1 G1Affine
		msm2, bits2 G2Affine
		fixed1      []G1Affine
		fixed2      []G2Affine
	}
	compute := func() (r results) {
		var err error
		r.msm1, err = MSMG1(ctx, SliceG1(p1), k, 2)
		require.NoError(t, err)
		r.msm2, err = MSMG2(ctx, SliceG2(p2), k, 2)
		require.NoError(t, err)
		r.bits1, err = SumSelectedG1(ctx, SliceG1(p1), bitmap, 2)
		require.NoError(t, err)
		r.bits2, err = SumSelectedG2(ctx, SliceG2(p2), bitmap, 2)
		require.NoError(t, err)
		f1, err := NewFixedG1(ctx, GeneratorG1(), 100, 2)
		require.NoError(t, err)
		f2, err := NewFixedG2(ctx, GeneratorG2(), 100, 2)
		require.NoError(t, err)
		r.fixed1, r.fixed2 = make([]G1Affine, 50), make([]G2Affine, 50)
		require.NoError(t, f1.Mul(ctx, r.fixed1, k[:50], 2))
		require.NoError(t, f2.Mul(ctx, r.fixed2, k[:50], 2))
		return r
	}
	restore := field.Force(field.Portable)
	want := compute()
	restore()
	fieldtest.Each(t, func(t *testing.T, _ field.Level) { require.Equal(t, want, compute()) })
}
