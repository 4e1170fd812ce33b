package device

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClock: a late host does not move the device's time, a slow drift does.
func TestClock(t *testing.T) {
	var c clock
	opened := time.Now()
	at := func(end, late time.Duration) time.Duration { return c.epoch(end, opened.Add(end+late)).Sub(opened) }
	require.Equal(t, 5*time.Millisecond, at(time.Second, 5*time.Millisecond))
	require.Equal(t, 10*time.Microsecond, at(2*time.Second, 10*time.Microsecond), "an earlier notice is a better one")
	late := at(3*time.Second, 80*time.Millisecond)
	require.Less(t, late, 100*time.Microsecond, "a busy host is late, the device was not")
	require.GreaterOrEqual(t, late, 10*time.Microsecond)
	require.Equal(t, 30*time.Millisecond, at(2*time.Hour, 30*time.Millisecond), "clocks run apart by some millionths")
}
