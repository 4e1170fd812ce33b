package measure

import (
	"context"
	"errors"
	"testing"

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

// TestWrongResultsAreNoticed breaks each check's input.
func TestWrongResultsAreNoticed(t *testing.T) {
	for _, k := range kinds {
		w, err := k.prepare(t.Context(), 64, 2)
		require.NoError(t, err)
		if k.name == "ntt" {
			continue // its check runs the transform itself
		}
		// Without a run there is no result: that must not pass.
		require.Equal(t, status.Internal, status.CodeOf(w.check(t.Context())), k.name)
	}
}
