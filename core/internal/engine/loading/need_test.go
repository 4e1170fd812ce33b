package loading

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
)

// TestDivisionOfADevice: how cards of several sizes are divided, with figures like those of
// 32 GiB sectors.
func TestDivisionOfADevice(t *testing.T) {
	const gib = int64(1) << 30
	porep := need{device.Need{Stream: 15 << 30, Resident: 60 << 30, Best: 210 << 30}, 45 << 30}
	winning := need{device.Need{Stream: 1 << 29, Resident: 1 << 30, Best: 4 << 30}, 1 << 28}
	for _, c := range []struct {
		name        string
		card        int64 // GiB
		big, little int64 // GiB at least, of device memory
		pinned      bool  // the big one comes in pieces
		side        bool  // both fit at the same time
		never       bool  // the big one does not fit at all
	}{
		{"H200", 139, 130, 4, false, true, false},
		{"80 GB", 79, 74, 4, false, true, false},
		{"60 GiB: all of it", 61, 60, 3, false, false, false},
		{"48 GB", 47, 44, 2, true, true, false},
		{"24 GB", 23, 21, 1, true, true, false},
		{"16 GB: all of it", 16, 15, 4, true, false, false},
		{"12 GB", 12, 15, 4, true, false, true},
	} {
		limit := c.card * gib
		big, little := porep.of(limit, 64*gib, 1), winning.of(limit, 64*gib, 1)
		require.GreaterOrEqual(t, big.Device, c.big*gib-Margin, c.name)
		require.GreaterOrEqual(t, little.Device, c.little*gib-Margin, c.name)
		require.Equal(t, c.pinned, big.Pinned > 0, c.name)
		require.Zero(t, little.Pinned, c.name)
		require.Equal(t, c.side, big.Device+little.Device <= limit-Margin, c.name)
		require.Equal(t, c.never, big.Device > limit, c.name)
		require.Equal(t, budget.Amount{On: 1, Device: big.Device, Pinned: big.Pinned}, big)
	}
	require.Equal(t, 20*gib, porep.of(47*gib, 20*gib, 0).Pinned, "as much of host memory as is allowed")
}
