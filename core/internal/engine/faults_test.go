package engine

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/gpu/fake"
)

// withData are the points that bits can be flipped at; at all others errors and
// panics happen, and at some both.
var withData = []fault.Point{fault.Proof, fault.Page, fault.Device}

// TestFaults lets every point of a job fail at its nth call, for every n, by an
// error, a panic and a flipped bit: the job gets its error, or is repaired where
// it can be; the engine stays usable, and all counters return to base.
func TestFaults(t *testing.T) {
	dir := toyEngine(t, Config{}).config.ParamsDir
	before := runtime.NumGoroutine()
	for _, kind := range []fault.Kind{fault.Error, fault.Panic} {
		for _, point := range fault.Points() {
			if point != fault.Proof {
				failAt(t, kind, point, open(t, dir))
			}
		}
	}
	for _, point := range withData {
		failAt(t, fault.Flip, point, open(t, dir))
	}
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, 10*time.Second, time.Millisecond, "goroutines return to base")
}

// open returns what opens an engine on the CPU.
func open(t *testing.T, dir string) func(*fault.Nth) *Engine {
	return func(f *fault.Nth) *Engine { return toyEngine(t, Config{ParamsDir: dir, test: knobs{faults: f}}) }
}

// TestDeviceFaults does the same where a device proves, whose own failures cost
// another try and not the job. Then the library of the device fails at its nth
// call, for many n. It takes a minute, because a device is emulated: make faults.
func TestDeviceFaults(t *testing.T) {
	if os.Getenv("CUZK_TEST_LONG") == "" {
		t.Skip("set CUZK_TEST_LONG=1")
	}
	l, dir := twin(t), toyEngine(t, Config{}).config.ParamsDir
	device := DeviceOptions{Names: []string{"0"}}
	for _, kind := range []fault.Kind{fault.Error, fault.Panic} {
		for _, point := range fault.Points() {
			if point != fault.Proof && point != fault.Page { // pages go to the device as they are
				failAt(t, kind, point, func(f *fault.Nth) *Engine { return on(t, l, Config{ParamsDir: dir, test: knobs{faults: f}}, device) })
			}
		}
	}
	const step = 11
	calls := uint64(1) // of a job on a fresh engine, known after the first that is longer than it
	for call := uint64(1); call <= calls; call += step {
		e := on(t, l, Config{ParamsDir: dir}, device)
		l.Fail(call, fake.LaunchFailure, false)
		done(t, e, toyOf(1, 1))
		calls = max(calls, l.Calls())
		require.NoError(t, drained(e))
		atBase(t, e)
		l.Heal()
		require.NoError(t, e.Close())
	}
	t.Logf("%d calls of the device's library", calls)
	require.Greater(t, calls, uint64(50))
}

// failAt loops n over one point.
func failAt(t *testing.T, kind fault.Kind, point fault.Point, open func(*fault.Nth) *Engine) {
	t.Helper()
	fired, err := fault.Each(kind, 1000, []fault.Point{point}, func(f *fault.Nth) error {
		e := open(f)
		j, err := toyOf(1, 2).submit(e, t.Context(), "porep")
		require.NoError(t, err)
		proof, err := j.Wait(t.Context())
		judge(t, e, f, proof, err)
		require.NoError(t, drained(e))
		atBase(t, e)
		if f.Fired() == 0 {
			return e.Close() // the point has failed at each of its calls before
		}
		again, err := toyOf(1, 1).submit(e, t.Context(), "porep")
		require.NoError(t, err)
		_, err = again.Wait(t.Context())
		require.NoError(t, err, "the engine stays usable")
		require.NoError(t, drained(e))
		atBase(t, e)
		return e.Close()
	})
	require.NoError(t, err)
	t.Logf("%s at %s: %d times", kind, point, fired)
	require.Positive(t, fired)
}

// judge says what may have become of a job in which f has fired or not.
func judge(t *testing.T, e *Engine, f *fault.Nth, proof []byte, err error) {
	t.Helper()
	switch {
	case f.Fired() == 0:
		require.NoError(t, err)
	case f.Kind == fault.Error && f.Points[0] == fault.Device && e.pipeline.Workers.All[0].Device != nil:
		require.NoError(t, err, "the last device gets a second chance")
	case f.Kind == fault.Error:
		require.ErrorIs(t, err, fault.Injected)
	case f.Kind == fault.Panic:
		require.Equal(t, status.Panic, status.CodeOf(err))
	case f.Points[0] == fault.Page && err != nil:
		require.Equal(t, status.SRSPoint, status.CodeOf(err))
	default:
		require.NoError(t, err, "a wrong partition is made once more")
	}
	if err != nil {
		require.Nil(t, proof)
		return
	}
	require.NoError(t, e.verifier.Check(t.Context(), toyOf(1, 2), proof))
}
