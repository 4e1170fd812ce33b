// Package harness gives the black-box tests what they need from the build: the
// library, and 2 KiB PoRep parameters. Both are made when they are missing.
package harness

import (
	"context"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// Root is the top folder of the checkout: tests run in the folder of their
// package. The path of a source file would do, but not with -trimpath.
func Root() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	panic("no go.mod above the working folder")
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

// Params returns a folder with the 2 KiB parameters of the given kinds, made
// from the golden secrets: CUZK_TEST_PARAMS, or cuzk in the user's cache folder.
// What is missing is made by one of the test programs that ask.
func Params(tb testing.TB, kinds ...cuzk.Kind) string {
	tb.Helper()
	dir := os.Getenv("CUZK_TEST_PARAMS")
	if dir == "" {
		cache, err := os.UserCacheDir()
		require.NoError(tb, err)
		dir = filepath.Join(cache, "cuzk")
	}
	for _, kind := range kinds {
		makeParams(tb, dir, kind)
	}
	return dir
}

// makeParams makes the parameters of a kind unless they are there; a file of
// the published name is whole, because it is renamed when it is.
func makeParams(tb testing.TB, dir string, kind cuzk.Kind) {
	base := filepath.Join(dir, paramsNames[kind])
	defer lock(tb, base+".lock")()
	if _, err := os.Stat(base + ".params"); err == nil {
		return
	}
	tb.Logf("making 2 KiB %s test parameters in %s", kind, dir)
	e, err := cuzk.Open(cuzk.Options{ParamsDir: dir})
	require.NoError(tb, err)
	defer e.Close()
	_, err = e.MakeParams(context.Background(), cuzk.Params{Kind: kind, SectorSize: 2048, Dir: dir, SeedLabel: "golden"}, nil)
	require.NoError(tb, err)
}

// paramsNames are the published names of the 2 KiB parameters.
var paramsNames = map[cuzk.Kind]string{
	cuzk.KindPoRep: "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-" +
		"032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f",
	cuzk.KindWinningPoSt: "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-" +
		"3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e",
	cuzk.KindWindowPoSt: "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-" +
		"0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0",
	cuzk.KindUpdate: "v28-empty-sector-update-merkletree-poseidon_hasher-8-0-0-" +
		"fb9e095bebdd77511c0269b967b4d87ba8b8a525edaa0e165de23ba454510194",
}

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
