package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/gpu/fake"
)

// TestTiny: the smallest circuits are right on the host twin too.
func TestTiny(t *testing.T) {
	l := fake.Open(t, "../../..")
	set, err := device.OpenSet(l.Path, []string{"0"}, device.Options{})
	require.NoError(t, err)
	for _, rows := range []int{1, 2, 33} {
		require.NoError(t, one(t.Context(), set.Devices[0], rows, 1), "%d constraints", rows)
	}
	require.NoError(t, set.Close())
	require.Zero(t, l.Blocks())
}
