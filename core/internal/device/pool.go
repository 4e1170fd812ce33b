package device

import (
	"context"
	"slices"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Pool spreads the partitions of one circuit over several devices, each with
// the parameters resident. It implements groth16.Backend: a partition goes to
// the usable device with the fewest in flight; when a device fails, the
// partition goes on elsewhere.
type Pool struct {
	backends []*Backend

	mu       sync.Mutex // guards inFlight
	inFlight []int
}

// NewPool joins backends of the same circuit. It closes them when it is closed.
func NewPool(backends ...*Backend) *Pool {
	return &Pool{backends: backends, inFlight: make([]int, len(backends))}
}

// Sums proves one partition on one of the devices. Failures of a device count
// once for each device; the last one is returned.
func (p *Pool) Sums(ctx context.Context, c *r1cs.Circuit, plan *groth16.Plan, w *r1cs.Witness, t *groth16.Timings) (groth16.Sums, error) {
	var tried []int
	var failure error
	for {
		i := p.take(tried)
		if i < 0 {
			return groth16.Sums{}, p.exhausted(failure)
		}
		sums, err := p.backends[i].Sums(ctx, c, plan, w, t)
		p.put(i)
		if err == nil {
			return sums, nil
		}
		if code := status.CodeOf(err); code != status.Device && code != status.Memory {
			return sums, err
		}
		tried, failure = append(tried, i), err
	}
}

// take chooses a device that was not tried, or returns −1.
func (p *Pool) take(tried []int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := -1
	for i, b := range p.backends {
		if slices.Contains(tried, i) || b.device.Usable() != nil {
			continue
		}
		if best < 0 || p.inFlight[i] < p.inFlight[best] {
			best = i
		}
	}
	if best >= 0 {
		p.inFlight[best]++
	}
	return best
}

func (p *Pool) put(i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inFlight[i]--
}

// exhausted is the error when no device is left.
func (p *Pool) exhausted(failure error) error {
	if failure != nil {
		return failure
	}
	for _, b := range p.backends {
		if err := b.device.Usable(); err != nil {
			return err
		}
	}
	return status.New(status.NoDevice, "devices", "the pool has no device")
}

// Backends returns those that the pool joins. Callers must not change it.
func (p *Pool) Backends() []*Backend { return p.backends }

// Close closes all backends.
func (p *Pool) Close() {
	for _, b := range p.backends {
		b.Close()
	}
}
