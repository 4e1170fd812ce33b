package ffi

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	cuzk "github.com/libcuzk/libcuzk/core"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack/goldentest"
)

// TestAggregateSealProofs makes and verifies a golden aggregate with filecoin-ffi's calls.
func TestAggregateSealProofs(t *testing.T) {
	dir := t.TempDir()
	goldentest.Keys(t, dir)
	goldentest.WriteSRS(t, filepath.Join(dir, "v28-fil-inner-product-v1.srs"), 8)
	f := open(t, dir)
	c := goldentest.Load(t, "2k-v1_1-n2-V1")
	info := AggregateSealVerifyProofAndInfos{SealProof: RegisteredSealProof(c.Registered), AggregateProof: RegisteredAggregationProof(c.Version)}
	var proofs [][]byte
	for _, s := range c.Sectors {
		info.Infos = append(info.Infos, AggregateSealVerifyInfo{Number: SectorNumber(s.SectorNumber), Randomness: s.Ticket[:],
			InteractiveRandomness: s.Seed[:], SealedCID: SealedCID(s.CommR), UnsealedCID: UnsealedCID(s.CommD)})
		proofs = append(proofs, s.Proof)
	}
	got, err := f.AggregateSealProofs(info, proofs)
	require.NoError(t, err)
	require.Equal(t, c.Aggregate, got)
	info.Miner, info.Proof = 1001, got
	holds(t, true)(f.VerifyAggregateSeals(info))
	info.Miner++
	holds(t, false)(f.VerifyAggregateSeals(info))
	info.Infos = info.Infos[:0]
	_, err = f.VerifyAggregateSeals(info)
	require.Equal(t, cuzk.Argument, cuzk.CodeOf(err))
	require.NoError(t, os.Remove(filepath.Join(dir, "v28-fil-inner-product-v1.srs")))
}
