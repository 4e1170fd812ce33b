package engine

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/groth16/toy"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// TestReplacedParameters: when another process puts new parameters in the place
// of old ones, proofs are made with the new and verified by their key, also by
// an engine that only verifies.
func TestReplacedParameters(t *testing.T) {
	e := toyEngine(t, Config{})
	verifies := Open(Config{ParamsDir: e.config.ParamsDir, Threads: 1})
	defer verifies.Close()
	old, err := done(t, e, toyOf(1, 1)).Result()
	require.NoError(t, err)
	require.NoError(t, verifies.check(t.Context(), toyOf(1, 1), old))
	base := filepath.Join(e.config.ParamsDir, toyShape(1).ParamsName())
	require.NoError(t, params.Make(t.Context(), toy.Compile(toyRounds), params.ToxicFromLabel("other"), base+".params", base+".vk", params.MakeOptions{Workers: 1}))
	fresh, err := done(t, e, toyOf(1, 1)).Result()
	require.NoError(t, err)
	require.NoError(t, verifies.check(t.Context(), toyOf(1, 1), fresh))
	require.Equal(t, status.ProofInvalid, status.CodeOf(verifies.check(t.Context(), toyOf(1, 1), old)))
}

// TestKeyDigest: who asks for published digests gets them for the key too, also
// when nothing is proved and the .params file is never opened.
func TestKeyDigest(t *testing.T) {
	shape, err := filecoin.NewShape(filecoin.WinningPoSt, 2048)
	require.NoError(t, err)
	dir := t.TempDir()
	data := make([]byte, 3*96+3*192+4+96*(shape.NumInputs()+1))
	toyKey(t, data, shape.NumInputs()+1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, shape.ParamsName()+".vk"), data, 0o600))
	for digest, code := range map[bool]status.Code{false: 0, true: status.SRSDigest} {
		e := Open(Config{ParamsDir: dir, Threads: 1, Check: Check{Digest: digest}})
		_, err = e.verifier(t.Context(), shape)
		require.Equal(t, code, status.CodeOf(err), "%v", err)
		require.NoError(t, e.Close())
	}
}

// toyKey fills data with the key of a toy circuit, its last input repeated.
func toyKey(t *testing.T, data []byte, inputs int) {
	t.Helper()
	base := filepath.Join(t.TempDir(), "toy")
	require.NoError(t, params.Make(t.Context(), toy.Compile(toyRounds), params.ToxicFromLabel("toy"), base+".params", base+".vk", params.MakeOptions{Workers: 1}))
	small, err := os.ReadFile(base + ".vk")
	require.NoError(t, err)
	n := copy(data, small)
	data[n-96*2-1], data[n-96*2-2] = byte(inputs), byte(inputs>>8)
	for ; n < len(data); n += 96 {
		copy(data[n:], small[len(small)-96:])
	}
}

// TestLengthsDoNotOverflow: lengths that a C caller claims add up to something
// that no limit lets through.
func TestLengthsDoNotOverflow(t *testing.T) {
	e := Open(Config{ParamsDir: t.TempDir(), MaxInput: 1 << 30})
	defer e.Close()
	var one byte
	huge := []byte{}
	header := (*[3]uintptr)(unsafe.Pointer(&huge)) // a slice that is never read
	header[0], header[1], header[2] = uintptr(unsafe.Pointer(&one)), math.MaxInt64, math.MaxInt64
	require.Equal(t, status.InputValue, status.CodeOf(e.limitInput([][]byte{huge, huge, {1}})))
	_, err := e.admit(t.Context(), &request{input: [][]byte{huge, huge}}, 0)
	require.Equal(t, status.Budget, status.CodeOf(err))
}
