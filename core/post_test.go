package cuzk

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/golden/testparams"
)

const sectors = "../tests/golden/sectors/"

// postCase loads a golden PoSt request as a caller would build it.
func postCase(t *testing.T, name string) (PoSt, PoStInfo) {
	t.Helper()
	var file struct {
		Proof      string `json:"registered_post_proof"`
		Randomness string
		ProverID   string `json:"prover_id"`
		Sectors    []struct {
			Number uint64 `json:"sector_number"`
			CommR  string `json:"comm_r"`
			File   string
		}
	}
	raw, err := os.ReadFile(sectors + name + ".json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &file))
	proof, err := filecoin.ParsePoStProof(file.Proof)
	require.NoError(t, err)
	node := func(s string) [32]byte {
		b, err := hex.DecodeString(s)
		require.NoError(t, err)
		return [32]byte(b)
	}
	r := PoSt{RegisteredProof: int(proof), Randomness: node(file.Randomness), ProverID: node(file.ProverID)}
	info := PoStInfo{RegisteredProof: r.RegisteredProof, Randomness: r.Randomness, ProverID: r.ProverID}
	dir := sectors + name[:bytes.IndexByte([]byte(name), '/')+1]
	for _, s := range file.Sectors {
		v, err := os.ReadFile(dir + s.File)
		require.NoError(t, err)
		r.Vanilla = append(r.Vanilla, v)
		info.Sectors = append(info.Sectors, PoStSector{Number: s.Number, CommR: node(s.CommR)})
	}
	return r, info
}

func openForPoSt(t *testing.T) *Engine {
	testparams.Open(t, filecoin.WindowPoSt)
	e, err := Open(Options{ParamsDir: testparams.Dir(t), Backend: CPU})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// TestWindowPoSt proves three sectors, two partitions of which the second is
// padded: whole, and by partition and merge, in both versions.
func TestWindowPoSt(t *testing.T) {
	e := openForPoSt(t)
	for _, name := range []string{"2k-window3/window_post", "2k-v1/window_post"} {
		r, info := postCase(t, name)
		before := r.Randomness
		proof, err := e.ProvePoSt(t.Context(), r)
		require.NoError(t, err)
		require.Len(t, proof, 2*192)
		require.Equal(t, before, r.Randomness)
		ok, err := e.VerifyPoSt(t.Context(), info, proof)
		require.NoError(t, err)
		require.True(t, ok)

		var parts [][]byte
		for k := range 2 {
			one := r
			one.Single, one.Partition, one.Vanilla = true, k, r.Vanilla[2*k:min(3, 2*k+2)]
			part, err := e.ProvePoSt(t.Context(), one)
			require.NoError(t, err)
			parts = append(parts, part)
			single := info
			single.Single, single.Partition, single.Sectors = true, k, info.Sectors[2*k:min(3, 2*k+2)]
			ok, err = e.VerifyPoSt(t.Context(), single, part)
			require.NoError(t, err)
			require.True(t, ok)
		}
		merged, err := MergePartitions(r.RegisteredProof, parts)
		require.NoError(t, err)
		ok, err = e.VerifyPoSt(t.Context(), info, merged)
		require.NoError(t, err)
		require.True(t, ok)
		// Partitions in the wrong order do not verify.
		ok, err = e.VerifyPoSt(t.Context(), info, append(append([]byte{}, parts[1]...), parts[0]...))
		require.NoError(t, err)
		require.False(t, ok)
		info.Sectors[0].CommR[0] ^= 1
		ok, err = e.VerifyPoSt(t.Context(), info, merged)
		require.NoError(t, err)
		require.False(t, ok)
	}
}

func TestPoStRefusesBadInput(t *testing.T) {
	e := openForPoSt(t)
	good, info := postCase(t, "2k-window3/window_post")
	winning, _ := postCase(t, "2k-v1_1/winning_post")
	for name, c := range map[string]struct {
		from   PoSt
		change func(*PoSt)
		code   Code
		text   string
	}{
		"no sectors":  {good, func(r *PoSt) { r.Vanilla = nil }, InputValue, "no sectors"},
		"order":       {good, func(r *PoSt) { r.Vanilla[0], r.Vanilla[1] = r.Vanilla[1], r.Vanilla[0] }, InputValue, "sectors[1]: sector 501 after sector 502"},
		"twice":       {good, func(r *PoSt) { r.Vanilla[1] = r.Vanilla[0] }, InputValue, "sectors[1]"},
		"empty":       {good, func(r *PoSt) { r.Vanilla[2] = nil }, InputSyntax, "sectors[2].sector_id"},
		"too many":    {good, func(r *PoSt) { r.Single = true }, InputValue, "3 sectors for one partition"},
		"index":       {good, func(r *PoSt) { r.Single, r.Partition, r.Vanilla = true, -1, r.Vanilla[:1] }, Argument, "partition index -1"},
		"whole":       {good, func(r *PoSt) { r.Partition = 1 }, Argument, "partition index 1 for a whole proof"},
		"randomness":  {good, func(r *PoSt) { r.Randomness[0] ^= 1 }, InputMismatch, "sectors[0].inclusion_proofs[0]"},
		"prover id":   {good, func(r *PoSt) { r.ProverID[31] = 0xff }, InputValue, "prover_id"},
		"version":     {good, func(r *PoSt) { r.RegisteredProof = 5 }, InputMismatch, "inclusion_proofs[0]: opens leaf"},
		"kind":        {good, func(r *PoSt) { r.RegisteredProof = 0 }, InputValue, "10 inclusion proofs, want 66"},
		"unknown":     {good, func(r *PoSt) { r.RegisteredProof = 15 }, Argument, "15"},
		"sibling":     {good, func(r *PoSt) { r.Vanilla[1][8+32+16+4+64+8+8] ^= 1 }, InputMismatch, "Merkle path"},
		"two winners": {winning, func(r *PoSt) { r.Vanilla = append(r.Vanilla, r.Vanilla[0]) }, InputValue, "sectors[1]"},
		"no winner":   {winning, func(r *PoSt) { r.Vanilla = nil }, InputValue, "want the one that won"},
	} {
		r := c.from
		r.Vanilla = nil
		for _, v := range c.from.Vanilla {
			r.Vanilla = append(r.Vanilla, bytes.Clone(v))
		}
		c.change(&r)
		proof, err := e.ProvePoSt(t.Context(), r)
		require.Nil(t, proof, name)
		require.ErrorContains(t, err, c.text, name)
		require.Equal(t, c.code, CodeOf(err), "%s: %v", name, err)
	}
	// Of a sector that is listed twice the last entry counts, as in the network's verifier: the list is no error.
	other := info.Sectors[0]
	other.CommR[0] ^= 1
	info.Sectors = append(info.Sectors, other)
	_, err := e.VerifyPoSt(t.Context(), info, make([]byte, 384))
	require.ErrorContains(t, err, "proof[0].a: not a compressed point")
}
