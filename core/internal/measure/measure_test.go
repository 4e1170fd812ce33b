package measure

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// TestParts runs every part at sizes around the edges of its blocks; Run checks
// the results.
func TestParts(t *testing.T) {
	for _, name := range Names() {
		for _, log2 := range []int{0, 1, 5, 10, 13} {
			p, err := New(name, log2)
			require.NoError(t, err)
			require.Positive(t, p.Bytes())
			told := 0
			times, err := p.Run(t.Context(), 2, 3, func() { told++ })
			require.NoError(t, err, p)
			require.Len(t, times, 2)
			require.Equal(t, 2, told)
			for _, d := range times {
				require.Positive(t, d, p)
			}
		}
	}
}

func TestPartsAreChecked(t *testing.T) {
	for _, bad := range []struct {
		name string
		log2 int
	}{{"fft", 10}, {"ntt", -1}, {"ntt", MaxLog + 1}} {
		_, err := New(bad.name, bad.log2)
		require.Equal(t, status.Argument, status.CodeOf(err), bad)
	}
	p, err := New("msm_g1", 20)
	require.NoError(t, err)
	require.Equal(t, "msm_g1 2^20", p.String())
}

func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	for _, name := range Names() {
		p, err := New(name, 10)
		require.NoError(t, err)
		_, err = p.Run(ctx, 1, 2, func() {})
		require.Equal(t, status.Cancelled, status.CodeOf(err), name)
	}
}

// TestWrongResultsAreNoticed: each check accepts what a run has computed and refuses
// it once it was changed, and also the lack of a result.
func TestWrongResultsAreNoticed(t *testing.T) {
	for _, k := range kinds {
		w, err := k.prepare(t.Context(), 64, 2)
		require.NoError(t, err)
		require.Equal(t, status.Internal, status.CodeOf(w.check(t.Context())), "%s before a run", k.name)
		w, err = k.prepare(t.Context(), 64, 2)
		require.NoError(t, err)
		require.NoError(t, w.run(t.Context()))
		require.NoError(t, w.check(t.Context()), k.name)
		require.NoError(t, w.run(t.Context()))
		w.spoil()
		require.Equal(t, status.Internal, status.CodeOf(w.check(t.Context())), "%s with a wrong result", k.name)
	}
}

// TestStopsWithinASecond cancels measurements of a size that takes many seconds while
// they prepare, and again while they run.
func TestStopsWithinASecond(t *testing.T) {
	for _, name := range Names() {
		for _, after := range []time.Duration{5 * time.Millisecond, 60 * time.Millisecond} {
			p, err := New(name, 21)
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			var at atomic.Int64
			time.AfterFunc(after, func() { at.Store(time.Now().UnixNano()); cancel() })
			_, err = p.Run(ctx, 1000, 2, func() {})
			took := time.Since(time.Unix(0, at.Load()))
			require.Equal(t, status.Cancelled, status.CodeOf(err), name)
			t.Logf("%s, cancelled after %s: %s", name, after, took)
			require.Less(t, took, time.Second, name)
		}
	}
}
