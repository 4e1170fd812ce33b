package srs_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/snarkpack/goldentest"
	"github.com/libcuzk/libcuzk/core/internal/snarkpack/srs"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// TestGoldenBytes: files made from known secrets equal those of the published crates.
func TestGoldenBytes(t *testing.T) {
	for n, want := range map[int]string{
		1:     "b7b2dcdea59368c3c424bfb6f86ced95f69348d96bfd37cd0416306d1f6b3c65",
		4:     "9c9b324a43616397048636dd3eb6fb17fd784fac815de2cb5329df011cde9872",
		64:    "c5ede4398c936ab085e32eb30733ac99fe0c8ab9df42166b0d786fc1067142cc",
		65:    "d9639e5d441de2d8df3857d464a06398e1a8990064b02365dab80c970012f636",
		32768: "89ffa849a52e73980074b714ef1e90017a3e3260890fb92af078fef695f611d2",
		32769: "f85dc629ead825cbed50d9f024768e222ab848064ea47323c61c5aa994ec1ca4",
	} {
		if n > 65 && testing.Short() {
			continue
		}
		path := filepath.Join(t.TempDir(), srs.Name)
		goldentest.WriteSRS(t, path, n)
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Len(t, raw, int(srs.FileBytes(n)))
		sum := sha256.Sum256(raw)
		require.Equal(t, want, hex.EncodeToString(sum[:]), "%d points", n)
	}
}

// TestKeys: the keys of a file are those of its secrets.
func TestKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), srs.Name)
	goldentest.WriteSRS(t, path, 65)
	f, err := srs.Open(t.Context(), path)
	require.NoError(t, err)
	defer f.Close()
	require.Equal(t, 32, f.Proofs())
	for _, n := range []int{2, 8, 32} {
		got, err := f.ProverKey(context.Background(), n, 2)
		require.NoError(t, err)
		require.Equal(t, goldentest.ProverKey(t, n), got)
	}
	_, err = f.ProverKey(context.Background(), 64, 2)
	require.Equal(t, status.SRSLayout, status.CodeOf(err))
	require.ErrorContains(t, err, "has 65 points, an aggregate of 64 proofs takes 128")
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = f.ProverKey(cancelled, 8, 2)
	require.Equal(t, status.Cancelled, status.CodeOf(err))
}

// TestDamage: files that are short, of unequal lengths, truncated or have wrong
// points are refused in words.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, srs.Name)
	_, err := srs.Open(t.Context(), path)
	require.Equal(t, status.SRSMissing, status.CodeOf(err))
	_, err = srs.Open(t.Context(), dir)
	require.Equal(t, status.FileIO, status.CodeOf(err))
	goldentest.WriteSRS(t, path, 8)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	open := func(data []byte) (*srs.File, error) {
		require.NoError(t, os.WriteFile(path, data, 0o644))
		f, err := srs.Open(t.Context(), path)
		if err == nil {
			t.Cleanup(func() { f.Close() })
		}
		return f, err
	}
	for cut := 0; cut < len(whole); cut += 7 {
		_, err := open(whole[:cut])
		require.Equal(t, status.SRSLayout, status.CodeOf(err), "%d bytes: %v", cut, err)
	}
	_, err = open(append(append([]byte(nil), whole...), 1, 2, 3)) // as published
	require.NoError(t, err)
	change := func(at int, to byte) []byte {
		b := append([]byte(nil), whole...)
		b[at] = to
		return b
	}
	_, err = open(change(0, 0x7f))
	require.Equal(t, status.SRSLayout, status.CodeOf(err))
	require.ErrorContains(t, err, "at most 1048577 are possible")
	for name, at := range map[string]int{"srs.g_alpha[1]": 4 + 48 + 20, "srs.h_beta[1]": len(whole) - 7*96 + 30} {
		f, err := open(change(at, whole[at]^1))
		require.NoError(t, err)
		_, err = f.VerifierKey(t.Context())
		require.Equal(t, status.SRSPoint, status.CodeOf(err), "%v", err)
		require.ErrorContains(t, err, name)
		_, err = f.ProverKey(context.Background(), 4, 2)
		require.Equal(t, status.SRSPoint, status.CodeOf(err), "%v", err)
		require.ErrorContains(t, err, name)
	}
	f, err := open(change(4, whole[4]&0x7f)) // no flag of a compressed point
	require.NoError(t, err)
	_, err = f.VerifierKey(t.Context())
	require.Equal(t, status.SRSPoint, status.CodeOf(err), "%v", err)
	// Unequal lengths: the shortest vector counts.
	goldentest.WriteSRS(t, path, 4)
	short, err := os.ReadFile(path)
	require.NoError(t, err)
	f, err = open(append(append([]byte(nil), whole[:4+8*48]...), short[4+4*48:]...))
	require.NoError(t, err)
	require.Equal(t, 2, f.Proofs())
	_, err = f.ProverKey(context.Background(), 4, 2)
	require.ErrorContains(t, err, "srs.g_beta has 4 points, an aggregate of 4 proofs takes 8")
	for _, n := range []int{0, -1, 1<<20 + 2} {
		require.Equal(t, status.Argument, status.CodeOf(srs.CheckLength(n)))
	}
}
