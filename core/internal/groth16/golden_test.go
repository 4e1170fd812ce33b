package groth16

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"libcuzk/core/internal/circuit/porep"
	"libcuzk/core/internal/curve"
	"libcuzk/core/internal/filecoin"
	"libcuzk/core/internal/params"
	"libcuzk/core/internal/r1cs"
	"libcuzk/core/internal/vanilla"
	"libcuzk/core/internal/verify"
)

const (
	golden = "../../../tests/golden"
	// cache keeps golden parameters between runs; making them takes a minute.
	cache = "../../../build/golden-params"
)

// goldenParams opens the golden parameters of a 2 KiB circuit, made if needed.
func goldenParams(t testing.TB, kind string, c *r1cs.Circuit) *params.File {
	path := filepath.Join(cache, kind+"-2048.params")
	if _, err := os.Stat(path); err != nil {
		require.NoError(t, os.MkdirAll(cache, 0o755))
		opts := params.MakeOptions{Workers: runtime.NumCPU()}
		vk := filepath.Join(cache, kind+"-2048.vk")
		require.NoError(t, params.Make(context.Background(), c, params.ToxicFromLabel(params.GoldenLabel), path, vk, opts))
	}
	f, err := params.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// TestGoldenPoRep: with the golden r and s the bytes are bellperson's. Without
// cached parameters it takes a minute more.
func TestGoldenPoRep(t *testing.T) {
	if testing.Short() {
		t.Skip("makes and uses 1.1 GB of parameters")
	}
	shape, err := filecoin.NewShape(filecoin.PoRep, 2048)
	require.NoError(t, err)
	c := porep.Compile(shape)
	f := goldenParams(t, "porep", c)
	p, err := New(c, NewPlan(c), f.SRS().Key, f.Layout, NewCPU(f.SRS(), runtime.NumCPU()))
	require.NoError(t, err)
	v, err := verify.New(f.SRS().Key)
	require.NoError(t, err)
	for sector := range 2 {
		data, err := os.ReadFile(fmt.Sprintf("%s/sectors/2k-v1_1/c1-%d.json", golden, sector))
		require.NoError(t, err)
		c1, err := vanilla.ParseC1(data)
		require.NoError(t, err)
		w, err := porep.Solve(t.Context(), c, c1, 0)
		require.NoError(t, err)
		z := Randomness{
			R: params.LabelScalar(fmt.Sprintf("r porep %d 0", sector)),
			S: params.LabelScalar(fmt.Sprintf("s porep %d 0", sector)),
		}
		proof, timings, err := p.Prove(context.Background(), w, z)
		require.NoError(t, err)
		t.Logf("%+v total %v", timings, timings.Total())

		var want struct{ Proof string }
		data, err = os.ReadFile(fmt.Sprintf("%s/sectors/2k-v1_1/proof-porep-%d.json", golden, sector))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &want))
		require.Equal(t, want.Proof, hex.EncodeToString(proof[:]))
		proofs, err := verify.DecodeProofs(proof[:])
		require.NoError(t, err)
		require.NoError(t, v.Check(&proofs[0], w.Inputs[1:]))
	}
}

// BenchmarkPoRep proves a 2 KiB PoRep partition with the SRS in memory.
func BenchmarkPoRep(b *testing.B) {
	shape, err := filecoin.NewShape(filecoin.PoRep, 2048)
	require.NoError(b, err)
	c := porep.Compile(shape)
	f := goldenParams(b, "porep", c)
	srs, err := f.Resident(context.Background(), runtime.NumCPU(), curve.CheckCurve)
	require.NoError(b, err)
	p, err := New(c, NewPlan(c), srs.Key, f.Layout, NewCPU(srs, runtime.NumCPU()))
	require.NoError(b, err)
	data, err := os.ReadFile(golden + "/sectors/2k-v1_1/c1-0.json")
	require.NoError(b, err)
	c1, err := vanilla.ParseC1(data)
	require.NoError(b, err)
	w, err := porep.Solve(b.Context(), c, c1, 0)
	require.NoError(b, err)
	for b.Loop() {
		z, err := NewRandomness()
		require.NoError(b, err)
		_, t, err := p.Prove(context.Background(), w, z)
		require.NoError(b, err)
		b.Logf("eval %v ntt %v h %v l %v a %v b1 %v b2 %v total %v", t.Eval.Duration(), t.NTT.Duration(), t.H.Duration(),
			t.L.Duration(), t.A.Duration(), t.B1.Duration(), t.B2.Duration(), t.Total())
	}
}
