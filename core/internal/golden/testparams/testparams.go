// Package testparams makes the golden test parameters once and shares them
// between all tests and commands that need them.
package testparams

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/libcuzk/libcuzk/core/internal/circuit"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Dir is the folder of test parameters: CUZK_TEST_PARAMS, or cuzk in the user's
// cache folder.
func Dir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("CUZK_TEST_PARAMS")
	if dir == "" {
		cache, err := os.UserCacheDir()
		require.NoError(t, err)
		dir = filepath.Join(cache, "cuzk")
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	return dir
}

// Make sees to it that the golden .params and .vk of a circuit are in Dir,
// under their official names, and returns the path of the former. Other
// processes that want the same file wait for it.
func Make(t testing.TB, shape filecoin.Shape, c *r1cs.Circuit) string {
	t.Helper()
	base := filepath.Join(Dir(t), shape.ParamsName())
	lock, err := os.OpenFile(base+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	require.NoError(t, err)
	defer lock.Close()
	require.NoError(t, unix.Flock(int(lock.Fd()), unix.LOCK_EX))
	_, errParams := os.Stat(base + ".params")
	_, errKey := os.Stat(base + ".vk")
	if errParams != nil || errKey != nil {
		opts := params.MakeOptions{Workers: runtime.NumCPU()}
		toxic := params.ToxicFromLabel(params.GoldenLabel)
		require.NoError(t, params.Make(context.Background(), c, toxic, base+".params", base+".vk", opts))
	}
	return base + ".params"
}

// Open makes the parameters of a kind at 2 KiB and opens them.
func Open(t testing.TB, kind filecoin.Kind) (*params.File, filecoin.Shape, *r1cs.Circuit) {
	t.Helper()
	shape, err := filecoin.NewShape(kind, 2*filecoin.KiB)
	require.NoError(t, err)
	c := circuit.Compile(shape)
	f, err := params.Open(t.Context(), Make(t, shape, c))
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f, shape, c
}
