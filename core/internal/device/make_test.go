package device

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/gpu/fake"
)

// TestMake: a file made through a device has the bytes that the CPU makes,
// wherever its sections were kept meanwhile.
func TestMake(t *testing.T) {
	l := fake.Open(t, root)
	b := newBench(t, 30)
	want, err := os.ReadFile(b.path)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "made.params")
	for _, most := range []Limits{{}, {Host: 1 << 30, Stay: 1}} {
		d, err := open(t, l, Options{Part: 128})
		require.NoError(t, err)
		require.NoError(t, d.Make(t.Context(), b.circuit, b.plan, b.scalars, path, most))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, want, got, "%+v", most)
		require.NoError(t, os.Remove(path))

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err = d.Make(ctx, b.circuit, b.plan, b.scalars, path, most)
		require.Equal(t, status.Cancelled, status.CodeOf(err))
		err = d.Make(t.Context(), b.circuit, b.plan, b.scalars, filepath.Join(path, "nowhere"), most)
		require.Equal(t, status.FileIO, status.CodeOf(err))
		require.NoFileExists(t, path)
		require.NoError(t, d.Close())
		require.Zero(t, l.Blocks())
	}
}
