package engine

import (
	"sync"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
)

// costs remembers the least time that a partition of each circuit took to solve
// and prove: the lower bound by which the queues refuse deadlines that cannot be
// met.
type costs struct {
	mu    sync.Mutex // guards least
	least map[filecoin.Shape]time.Duration
}

// note learns from a partition that took d.
func (c *costs) note(shape filecoin.Shape, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.least == nil {
		c.least = map[filecoin.Shape]time.Duration{}
	}
	if old, ok := c.least[shape]; !ok || d < old {
		c.least[shape] = d
	}
}

// of returns the bound, 0 if nothing is known.
func (c *costs) of(shape filecoin.Shape) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.least[shape]
}
