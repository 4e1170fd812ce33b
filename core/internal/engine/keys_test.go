package engine

import (
	"math"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

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
	require.NoError(t, verifies.verifier.Check(t.Context(), toyOf(1, 1), old))
	base := filepath.Join(e.config.ParamsDir, toyShape(1).ParamsName())
	require.NoError(t, params.Make(t.Context(), toy.Compile(toyRounds), params.ToxicFromLabel("other"), base+".params", base+".vk", params.MakeOptions{Workers: 1, Replace: true}))
	fresh, err := done(t, e, toyOf(1, 1)).Result()
	require.NoError(t, err)
	require.NoError(t, verifies.verifier.Check(t.Context(), toyOf(1, 1), fresh))
	require.Equal(t, status.ProofInvalid, status.CodeOf(verifies.verifier.Check(t.Context(), toyOf(1, 1), old)))
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
