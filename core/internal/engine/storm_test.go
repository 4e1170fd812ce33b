package engine

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/engine/loading"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/gpu/fake"
)

// TestStormOnDevices proves on two devices that cannot hold both circuits at once
// and whose calls fail now and then, with cancels and priorities: what is returned
// is right, failures are those of devices, and nothing is left behind.
func TestStormOnDevices(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	l := twin(t)
	want := map[int][]byte{}
	for kind := range 4 {
		want[kind] = onTheCPU(t, ofKind(kind))
	}
	e := on(t, l, Config{test: knobs{blinding: fixed}}, DeviceOptions{MemoryLimit: int64(needed(t, 2).Best) + loading.Margin})
	var wg sync.WaitGroup
	var proofs, stopped, failed atomic.Int64
	end := time.Now().Add(*soak)
	for g := range 4 {
		r := rand.New(rand.NewPCG(seed, uint64(g)))
		wg.Go(func() {
			for time.Now().Before(end) {
				kind := r.IntN(4)
				result, err := oneOfMany(e, r, kind)
				switch code := status.CodeOf(err); {
				case err == nil && string(result) == string(want[kind]):
					proofs.Add(1)
				case status.Stopped(err):
					stopped.Add(1)
				case code == status.Device || code == status.Memory:
					failed.Add(1)
				default:
					t.Errorf("%d bytes, %v", len(result), err)
				}
			}
		})
	}
	r := rand.New(rand.NewPCG(seed, 99))
	for time.Now().Before(end) {
		l.Fail(uint64(1+r.IntN(400)), []int{fake.LaunchFailure, fake.OutOfMemory}[r.IntN(2)], false)
		time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond)
	}
	wg.Wait()
	l.Fail(0, 0, false)
	t.Logf("%d proofs, %d stopped, %d failed", proofs.Load(), stopped.Load(), failed.Load())
	require.Positive(t, proofs.Load())
	for kind := range 4 {
		j, err := ofKind(kind).submit(e, context.Background(), "porep")
		require.NoError(t, err)
		result, err := j.Wait(context.Background())
		require.NoError(t, err)
		require.Equal(t, want[kind], result, "the engine is as good as new")
	}
	require.NoError(t, drained(e))
	atBase(t, e)
	for _, s := range e.pipeline.Workers.All {
		require.NoError(t, s.Usable(), "no call was sticky")
	}
}
