// Package fake drives the stand-in for the device library that tests use: the
// same C++ sources over a CUDA runtime on the host (gpu/cuda/host), in which
// any call can be made to fail. It computes on the CPU.
package fake

// #include <stdint.h>
// static void call_fail(void *f, uint64_t call, int32_t code, int32_t sticky) { ((void (*)(uint64_t, int32_t, int32_t))f)(call, code, sticky); }
// static uint64_t call_count(void *f) { return ((uint64_t (*)(void))f)(); }
// static void call_corrupt(void *f, uint64_t n) { ((void (*)(uint64_t))f)(n); }
// static void call_locking(void *f, int32_t refused) { ((void (*)(int32_t))f)(refused); }
// static void call_slow(void *f, uint64_t us) { ((void (*)(uint64_t))f)(us); }
// static void call_cards(void *f, uint64_t bytes, int32_t n) { ((void (*)(uint64_t, int32_t))f)(bytes, n); }
import "C"

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/libcuzk/libcuzk/gpu"
)

// Library is the stand-in with its controls. They act on the whole process, so
// tests that use it do not run in parallel.
type Library struct {
	*gpu.Library
	fail, calls, corrupt, cards, blocks, locking, slow unsafe.Pointer
}

// CUDA codes to inject.
const (
	OutOfMemory    = 2
	IllegalAddress = 700
	LaunchFailure  = 719
)

// Open builds the stand-in if needed (root is the top of the source tree) and
// opens it without faults. Without a C++ compiler the test is skipped.
func Open(t testing.TB, root string) *Library {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no C++ compiler: ", err)
	}
	path, err := filepath.Abs(filepath.Join(root, "build/gpu/host/libcuzk_cuda.so"))
	require.NoError(t, err)
	build(t, root, filepath.Dir(path))
	l, err := gpu.Load(path)
	require.NoError(t, err)
	f := &Library{l, l.Symbol("cuzk_fake_fail"), l.Symbol("cuzk_fake_calls"), l.Symbol("cuzk_fake_corrupt"),
		l.Symbol("cuzk_fake_cards"), l.Symbol("cuzk_fake_blocks"), l.Symbol("cuzk_fake_locking"), l.Symbol("cuzk_fake_slow")}
	for _, p := range []unsafe.Pointer{f.fail, f.calls, f.corrupt, f.cards, f.blocks, f.locking, f.slow} {
		require.NotNil(t, p, "%s is not the stand-in", path)
	}
	f.Heal()
	t.Cleanup(f.Heal)
	return f
}

// build runs make on all cores, one test program at a time: a core-minute where
// nothing is made yet. make holds the lock too, so that a test program that is
// stopped meanwhile does not let another write the same files.
func build(t testing.TB, root, dir string) {
	require.NoError(t, os.MkdirAll(dir, 0o755))
	lock, err := os.OpenFile(filepath.Join(dir, "make.lock"), os.O_CREATE|os.O_RDWR, 0o644)
	require.NoError(t, err)
	defer lock.Close()
	require.NoError(t, unix.Flock(int(lock.Fd()), unix.LOCK_EX))
	jobs := "-j" + strconv.Itoa(runtime.NumCPU())
	cmd := exec.Command("make", "-s", jobs, "-C", root, "-f", "gpu/cuda/host/host.mk")
	cmd.ExtraFiles = []*os.File{lock}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// Heal takes all faults away: two cards of 16 GiB that work.
func (f *Library) Heal() {
	f.Fail(0, 0, false)
	f.Corrupt(0)
	f.Cards(16<<30, 2)
	f.Locking(true)
	f.Slow(0)
}

// Fail makes the call with this number, counted from now on, return a CUDA code;
// if sticky, every later call on that device does so too.
func (f *Library) Fail(call uint64, code int, sticky bool) {
	s := C.int32_t(0)
	if sticky {
		s = 1
	}
	C.call_fail(f.fail, C.uint64_t(call), C.int32_t(code), s)
}

// Calls is the number of CUDA calls since Fail.
func (f *Library) Calls() uint64 { return uint64(C.call_count(f.calls)) }

// Corrupt flips a bit in what the n-th copy to the host from now on brings.
func (f *Library) Corrupt(n uint64) { C.call_corrupt(f.corrupt, C.uint64_t(n)) }

// Cards sets the memory of each card and how many there are, at most two.
func (f *Library) Cards(bytes uint64, n int) { C.call_cards(f.cards, C.uint64_t(bytes), C.int32_t(n)) }

// Locking sets whether host memory may be locked.
func (f *Library) Locking(allowed bool) {
	refused := C.int32_t(1)
	if allowed {
		refused = 0
	}
	C.call_locking(f.locking, refused)
}

// Slow makes every wait of the host for an event take so long.
func (f *Library) Slow(wait time.Duration) { C.call_slow(f.slow, C.uint64_t(wait.Microseconds())) }

// Blocks is the number of allocations and locks that are not freed.
func (f *Library) Blocks() uint64 { return uint64(C.call_count(f.blocks)) }
