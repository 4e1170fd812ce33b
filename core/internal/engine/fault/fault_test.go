package fault

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// work passes five points, two of them with data.
func work(i Injector, data []byte) error {
	for _, p := range []Point{Load, Solve, Solve, Prove} {
		if err := At(i, p); err != nil {
			return err
		}
	}
	Through(i, Proof, data[:4])
	Through(i, Page, data[4:])
	return At(i, Deliver)
}

func TestNoInjectorNoFault(t *testing.T) {
	data := make([]byte, 8)
	require.NoError(t, work(nil, data))
	require.Equal(t, make([]byte, 8), data)
}

func TestEachPointFailsOnce(t *testing.T) {
	seen := 0
	fired, err := Each(Error, 100, nil, func(f *Nth) error {
		if err := work(f, make([]byte, 8)); f.Fired() == 1 {
			seen++
			require.ErrorIs(t, err, Injected)
		} else {
			require.NoError(t, err)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []int{5, 5}, []int{fired, seen})

	fired, err = Each(Panic, 100, []Point{Solve}, func(f *Nth) error {
		err := spawn.Guard(func() error { return work(f, make([]byte, 8)) })
		require.Equal(t, f.Fired() == 1, status.CodeOf(err) == status.Panic)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 2, fired)

	var damaged [][]byte
	fired, err = Each(Flip, 100, nil, func(f *Nth) error {
		data := make([]byte, 8)
		damaged = append(damaged, data)
		return work(f, data)
	})
	require.NoError(t, err)
	require.Equal(t, 2, fired)
	require.Equal(t, [][]byte{{0, 0, 1, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 1, 0}, make([]byte, 8)}, damaged)
}

func TestEachStops(t *testing.T) {
	fired, err := Each(Error, 3, nil, func(f *Nth) error { _ = work(f, make([]byte, 8)); return nil })
	require.NoError(t, err)
	require.Equal(t, 3, fired)
	boom := errors.New("boom")
	_, err = Each(Error, 3, nil, func(f *Nth) error { return boom })
	require.ErrorIs(t, err, boom)
}

func TestStickyStaysBroken(t *testing.T) {
	f := &Nth{N: 2, Points: []Point{Device}, Sticky: true}
	require.NoError(t, At(f, Device))
	require.NoError(t, At(f, Solve))
	for range 3 {
		require.ErrorIs(t, At(f, Device), Injected)
	}
	require.Equal(t, 3, f.Fired())
	require.Equal(t, "flip", Flip.String())
}
