package pipeline

import (
	"sync"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
)

// costs remembers the least time that a partition of each circuit took to solve and
// prove. It is a lower bound, by which queues refuse deadlines that cannot be met.
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

// Cost returns the least time that a partition of a circuit has taken so far; 0 if
// none was made.
func (p *Pipeline) Cost(shape filecoin.Shape) time.Duration { return p.costs.of(shape) }

// Learn notes that a partition of a circuit took d.
func (p *Pipeline) Learn(shape filecoin.Shape, d time.Duration) { p.costs.note(shape, d) }
