package device

import (
	"sync"
	"time"
)

// clock maps the clock of a device, which counts from its opening, to that of
// the host. A host learns late that the device is done, never early: so the
// smallest difference seen is the best. It may grow slowly again, because the two
// clocks run apart by some millionths.
type clock struct {
	mu   sync.Mutex // guards what follows
	zero time.Time  // host time of the device's 0; unset: nothing seen
	seen time.Time  // when it was last looked at
}

// drift is how much the clocks may run apart.
const drift = 50e-6

// epoch returns the host time of the device's 0, given that the host learned at
// back of something that ended at end.
func (c *clock) epoch(end time.Duration, back time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	zero := back.Add(-end)
	if !c.zero.IsZero() {
		most := c.zero.Add(time.Duration(drift * float64(max(0, back.Sub(c.seen)))))
		if zero.After(most) {
			zero = most
		}
	}
	c.zero = zero
	if back.After(c.seen) {
		c.seen = back
	}
	return zero
}
