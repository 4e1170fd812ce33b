// Package harness gives the black-box tests what they need from the build: the
// library, and 2 KiB PoRep parameters. Both are made when they are missing.
package harness

import (
	"context"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"libcuzk/core"
)

// Root is the top folder of the checkout.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// Golden is the folder of golden data.
func Golden() string { return filepath.Join(Root(), "tests", "golden") }

// Build runs make for the targets and returns the folder build/lib.
func Build(tb testing.TB, targets ...string) string {
	tb.Helper()
	defer lock(tb, filepath.Join(Root(), "build", "make.lock"))()
	Run(tb, "make", append([]string{"-s", "-C", Root()}, targets...)...)
	return filepath.Join(Root(), "build", "lib")
}

// Run runs a program and fails the test with its output if it fails.
func Run(tb testing.TB, name string, args ...string) string {
	tb.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	require.NoError(tb, err, "%s %v\n%s", name, args, out)
	return string(out)
}

// Params returns a folder with the 2 KiB PoRep parameters of the golden
// secrets: CUZK_TEST_PARAMS, or cuzk in the user's cache folder. They are
// made if they are not there, by one of the test programs that ask.
func Params(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("CUZK_TEST_PARAMS")
	if dir == "" {
		cache, err := os.UserCacheDir()
		require.NoError(tb, err)
		dir = filepath.Join(cache, "cuzk")
	}
	base := filepath.Join(dir, porepName)
	defer lock(tb, base+".lock")()
	if _, err := os.Stat(base + ".params"); err == nil {
		return dir
	}
	tb.Logf("making 2 KiB PoRep test parameters in %s", dir)
	e, err := core.Open(core.Options{ParamsDir: dir})
	require.NoError(tb, err)
	defer e.Close()
	_, err = e.MakeParams(context.Background(),
		core.Params{Kind: core.KindPoRep, SectorSize: 2048, SeedLabel: "golden"}, nil)
	require.NoError(tb, err)
	return dir
}

// porepName is the published name of the 2 KiB PoRep parameters; a file of this
// name is whole, because it is renamed when it is.
const porepName = "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-" +
	"032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f"

// lock takes a lock among processes; the result gives it back.
func lock(tb testing.TB, path string) (unlock func()) {
	tb.Helper()
	require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o755))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	require.NoError(tb, err)
	require.NoError(tb, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	return func() { f.Close() }
}

// Hex32 is 32 bytes that golden JSON has as hex.
type Hex32 [32]byte

// UnmarshalText decodes 64 hex digits.
func (h *Hex32) UnmarshalText(text []byte) error {
	n, err := hex.Decode(h[:], text)
	if err == nil && n != len(h) {
		err = hex.ErrLength
	}
	return err
}
