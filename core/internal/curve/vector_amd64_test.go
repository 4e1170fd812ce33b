//go:build amd64 && !purego

package curve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/field"
	"github.com/libcuzk/libcuzk/core/internal/field/fieldtest"
)

// eachVector runs a test on every level that has vectors.
func eachVector(t *testing.T, test func(t *testing.T)) {
	fieldtest.Each(t, func(t *testing.T, l field.Level) {
		if l == field.Portable {
			t.Skip("no vectors")
		}
		test(t)
	})
}

// TestVectorAdditions compares whole batches with gnark-crypto: with identities,
// cancellations and doublings, all group sizes.
func TestVectorAdditions(t *testing.T) { eachVector(t, vectorAdditionsG1) }

func vectorAdditionsG1(t *testing.T) {
	rng := seeded(t)
	for n := vectorMin; n <= batchSize; n = n*5/4 + 1 {
		p, q := pointsG1(rng, n), pointsG1(rng, n)
		for i := range p {
			switch rng.IntN(40) {
			case 0, 3:
				q[i] = p[i]
			case 1, 2:
				q[i].Neg(&p[i])
			}
		}
		w := new(adderG1)
		dst := make([]G1Affine, n)
		negate := make([]bool, n)
		for i := range p {
			negate[i] = rng.IntN(2) == 0
			w.pushSigned(&dst[i], &p[i], &q[i], negate[i])
		}
		if w.n > 0 {
			require.True(t, w.flushVector())
		}
		for i := range dst {
			if negate[i] {
				q[i].Neg(&q[i])
			}
			var want G1Affine
			require.Equal(t, *want.Add(&p[i], &q[i]), dst[i], "n=%d i=%d", n, i)
		}
	}
}

// TestVectorAdditionsG2 is TestVectorAdditions for G2.
func TestVectorAdditionsG2(t *testing.T) { eachVector(t, vectorAdditionsG2) }

func vectorAdditionsG2(t *testing.T) {
	rng := seeded(t)
	for n := vectorMin; n <= batchSize; n = n*5/4 + 1 {
		p, q := pointsG2(rng, n), pointsG2(rng, n)
		for i := range p {
			switch rng.IntN(40) {
			case 0, 3:
				q[i] = p[i]
			case 1, 2:
				q[i].Neg(&p[i])
			}
		}
		w := new(adderG2)
		dst := make([]G2Affine, n)
		negate := make([]bool, n)
		for i := range p {
			negate[i] = rng.IntN(2) == 0
			w.pushSigned(&dst[i], &p[i], &q[i], negate[i])
		}
		if w.n > 0 {
			require.True(t, w.flushVector())
		}
		for i := range dst {
			if negate[i] {
				q[i].Neg(&q[i])
			}
			var want G2Affine
			require.Equal(t, *want.Add(&p[i], &q[i]), dst[i], "n=%d i=%d", n, i)
		}
	}
}
