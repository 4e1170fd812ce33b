package engine

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/gpu/fake"
)

// TestMeasureOnDevice: what a device is measured with is a whole proof, which is
// verified, and nothing of it stays there.
func TestMeasureOnDevice(t *testing.T) {
	l := twin(t)
	e := on(t, l, Config{}, DeviceOptions{Names: []string{"1"}})
	for _, what := range []string{"ntt", "msm_g1"} {
		j, err := e.SubmitMeasure(t.Context(), Measure{What: what, Log2: 6, Repeats: 2})
		require.NoError(t, err)
		times, err := j.Wait(t.Context())
		require.NoError(t, err, what)
		require.Len(t, times, 2*8)
		require.Positive(t, binary.LittleEndian.Uint64(times))
	}
	_, err := e.SubmitMeasure(t.Context(), Measure{What: "poseidon", Log2: 6})
	require.Equal(t, status.Unsupported, status.CodeOf(err))
	_, err = e.SubmitMeasure(t.Context(), Measure{What: "ntt", Log2: 4})
	require.Equal(t, status.Argument, status.CodeOf(err))

	l.Fail(1, fake.LaunchFailure, false)
	j, err := e.SubmitMeasure(t.Context(), Measure{What: "ntt", Log2: 6})
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	require.Equal(t, status.Device, status.CodeOf(err))
	require.NoError(t, drained(e))
	atBase(t, e)
}

// TestMeasureNeedsResidentParameters: a device on which they would come in pieces
// is not measured.
func TestMeasureNeedsResidentParameters(t *testing.T) {
	e := on(t, twin(t), Config{}, DeviceOptions{MemoryLimit: 400 << 20})
	j, err := e.SubmitMeasure(t.Context(), Measure{What: "ntt", Log2: 17})
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	require.Equal(t, status.Budget, status.CodeOf(err))
}
