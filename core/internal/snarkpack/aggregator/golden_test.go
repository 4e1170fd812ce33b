package aggregator_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/snarkpack"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack/aggregator"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack/goldentest"
)

// TestGolden: aggregates equal those of the published crates byte for byte, and hold.
func TestGolden(t *testing.T) {
	ctx := context.Background()
	vk := goldentest.VerifierKey(t)
	for _, name := range goldentest.Names(t, "*") {
		t.Run(name, func(t *testing.T) {
			c := goldentest.Load(t, name)
			if c.Padded > 1024 && testing.Short() {
				t.Skip("large")
			}
			proofs := c.Proofs(t)
			key := goldentest.ProverKey(t, c.Padded)
			begin := time.Now()
			p, err := aggregator.Aggregate(ctx, key, proofs, aggregator.Options{
				Version: c.Version, Included: goldentest.Included(c.Registered, c.Sectors), Workers: 2,
			})
			require.NoError(t, err)
			made := time.Since(begin)
			got, err := p.Bytes()
			require.NoError(t, err)
			sum := sha256.Sum256(got)
			require.Equal(t, c.SHA256, hex.EncodeToString(sum[:]))
			require.Equal(t, c.Aggregate, got)
			begin = time.Now()
			claim, err := snarkpack.NewClaim(ctx, vk, c.Statement(t), got, 2)
			require.NoError(t, err)
			bad, err := snarkpack.Check(ctx, []*snarkpack.Claim{claim}, 2)
			require.NoError(t, err)
			require.Empty(t, bad)
			t.Logf("%d proofs: made in %v, verified in %v", len(proofs), made, time.Since(begin))
		})
	}
}
