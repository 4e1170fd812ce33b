package verification

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/groth16/toy"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

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
		_, err = New(Options{ParamsDir: dir, CheckDigest: digest}).Key(t.Context(), shape)
		require.Equal(t, code, status.CodeOf(err), "%v", err)
	}
}

// toyKey fills data with the key of a toy circuit, its last input repeated.
func toyKey(t *testing.T, data []byte, inputs int) {
	t.Helper()
	base := filepath.Join(t.TempDir(), "toy")
	require.NoError(t, params.Make(t.Context(), toy.Compile(20), params.ToxicFromLabel("toy"), base+".params", base+".vk", params.MakeOptions{Workers: 1}))
	small, err := os.ReadFile(base + ".vk")
	require.NoError(t, err)
	n := copy(data, small)
	data[n-96*2-1], data[n-96*2-2] = byte(inputs), byte(inputs>>8)
	for ; n < len(data); n += 96 {
		copy(data[n:], small[len(small)-96:])
	}
}
