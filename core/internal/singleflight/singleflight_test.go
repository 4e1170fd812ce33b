package singleflight

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

func TestMakesOnce(t *testing.T) {
	var c Cache[string, int]
	var made atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			v, err := c.Get(t.Context(), "key", func(context.Context) (int, error) {
				time.Sleep(time.Millisecond)
				return int(made.Add(1)), nil
			})
			if v != 1 || err != nil {
				t.Errorf("got %d, %v", v, err)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, made.Load())
}

func TestForgetsFailures(t *testing.T) {
	var c Cache[string, int]
	boom := errors.New("boom")
	_, err := c.Get(t.Context(), "key", func(context.Context) (int, error) { return 0, boom })
	require.ErrorIs(t, err, boom)
	_, err = c.Get(t.Context(), "key", func(context.Context) (int, error) { panic("in make") })
	require.Equal(t, status.Panic, status.CodeOf(err))
	v, err := c.Get(t.Context(), "key", func(context.Context) (int, error) { return 7, nil })
	require.NoError(t, err)
	require.Equal(t, 7, v)
}

// TestOutlivesTheFirstCaller cancels the caller that makes: the one
// that waits makes it anew instead of failing with a stranger's cancel.
func TestOutlivesTheFirstCaller(t *testing.T) {
	var c Cache[string, int]
	ctx, cancel := context.WithCancel(t.Context())
	making := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := c.Get(ctx, "key", func(ctx context.Context) (int, error) {
			close(making)
			<-ctx.Done()
			return 0, ctx.Err()
		})
		if status.CodeOf(err) != status.Cancelled {
			t.Errorf("first caller got %v", err)
		}
	})
	<-making
	time.AfterFunc(time.Millisecond, cancel)
	v, err := c.Get(t.Context(), "key", func(context.Context) (int, error) { return 2, nil })
	require.NoError(t, err)
	require.Equal(t, 2, v)
	wg.Wait()
}
