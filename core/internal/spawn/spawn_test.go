package spawn

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

func TestGroupCatchesPanics(t *testing.T) {
	var g Group
	g.Go(func() error { panic("lost a wire") })
	err := g.Wait()
	require.Equal(t, status.Panic, status.CodeOf(err))
	require.ErrorContains(t, err, "lost a wire")
	require.ErrorContains(t, err, "spawn_test.go", "the stack must lead to the fault")
}

func TestEachStopsAtTheFirstError(t *testing.T) {
	var calls atomic.Int64
	boom := errors.New("boom")
	err := Each(t.Context(), 2, 1_000_000, func(i int) error {
		calls.Add(1)
		if i == 10 {
			return boom
		}
		return nil
	})
	require.ErrorIs(t, err, boom)
	require.Less(t, calls.Load(), int64(1_000_000))

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(boom)
	require.ErrorIs(t, Each(ctx, 2, 5, func(int) error { return nil }), boom)
}

func TestEachVisitsEveryIndexOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 100} {
		for _, workers := range []int{-1, 0, 1, 2, 7, 200} {
			seen := make([]atomic.Int32, n)
			require.NoError(t, Each(t.Context(), workers, n, func(i int) error { seen[i].Add(1); return nil }))
			for i := range seen {
				require.EqualValues(t, 1, seen[i].Load(), "n %d workers %d index %d", n, workers, i)
			}
		}
	}
}

func TestRangeCoversAndCarriesPanics(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 100, 101} {
		for _, workers := range []int{0, 1, 2, 7, 200} {
			var mu sync.Mutex
			covered := make([]int, n)
			Range(workers, n, func(_, lo, hi int) {
				mu.Lock()
				defer mu.Unlock()
				for i := lo; i < hi; i++ {
					covered[i]++
				}
			})
			for i, c := range covered {
				require.Equal(t, 1, c, "n %d workers %d index %d", n, workers, i)
			}
		}
	}
	err := Guard(func() error {
		Range(2, 2, func(worker, _, _ int) {
			if worker == 1 {
				panic("in a piece")
			}
		})
		return nil
	})
	require.Equal(t, status.Panic, status.CodeOf(err))
	require.ErrorContains(t, err, "in a piece")
}

// TestCallbacksAreGuarded: a panic in what a context or a timer calls ends nothing.
func TestCallbacksAreGuarded(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(2)
	ctx, cancel := context.WithCancel(t.Context())
	AfterFunc(ctx, func() { defer wg.Done(); panic("in a callback of a context") })
	After(time.Millisecond, func() { defer wg.Done(); panic("in a callback of a timer") })
	cancel()
	wg.Wait()
	stop := AfterFunc(context.Background(), func() { t.Error("called") })
	if !stop() {
		t.Error("not stopped")
	}
}
