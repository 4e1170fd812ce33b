package loading

import (
	"context"
	"math"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// needs remembers what the parameters of each circuit take on a device.
type needs struct {
	mu    sync.Mutex // guards known
	known map[string]need
}

type need struct {
	device.Need
	host uint64 // bytes of host memory for all sections
}

// A device of more than reserveAbove bytes keeps a reserve for small circuits: a
// sixteenth of its memory, within these bounds. So a 32 GiB WinningPoSt, whose
// parameters and work areas take 5.0 GiB at most, is proved while a PoRep runs that
// could use all memory for copies of its bases. A PoRep with 3 GiB less takes 0.3 s
// longer on a card of 141 GB.
const (
	reserveAbove = 20 << 30
	leastReserve = 3 << 29
	mostReserve  = 11 << 29
)

// Margin is what is left of every device for the one-byte reservations by which
// partitions queue for its memory.
const Margin = 1 << 12

// share returns what the parameters of a circuit may take of the i-th device, and
// of host memory if they do not fit there.
func (s *Store) share(ctx context.Context, name string, i int) (budget.Amount, error) {
	n, err := s.need(ctx, name)
	if err != nil {
		return budget.Amount{}, err
	}
	if s.options.StayLimit > 0 {
		n.Resident = math.MaxInt64 // as if they did not fit
	}
	return n.of(s.options.Limits.Device[i], s.options.Limits.Pinned/2, i), nil
}

// of returns what a circuit may take of device i with limit bytes, and of host bytes
// of host memory. A circuit that fits the reserve for small circuits stays within it.
// Others get what all copies of their bases take that save time, or as much as leaves
// the reserve free; and all of the device if their parameters would not fit otherwise.
func (n need) of(limit, host int64, i int) budget.Amount {
	limit -= Margin
	reserve := int64(0)
	if limit > reserveAbove {
		reserve = min(max(limit/16, leastReserve), mostReserve)
	}
	best, resident := int64(n.Best), int64(n.Resident)
	a := budget.Amount{On: i}
	switch {
	case resident <= reserve:
		a.Device = min(best, reserve)
	case resident <= limit:
		a.Device = max(min(best, limit-reserve), resident)
	default:
		a.Device = max(limit-reserve, int64(n.Stream))
		a.Pinned = min(int64(n.host), host)
	}
	return a
}

// need returns what a circuit's parameters take on a device. It follows from the
// plan of the circuit, which is large and belongs to the mapped copy.
func (s *Store) need(ctx context.Context, name string) (need, error) {
	s.needs.mu.Lock()
	n, ok := s.needs.known[name]
	s.needs.mu.Unlock()
	if ok {
		return n, nil
	}
	ref, err := s.Acquire(ctx, srs.Want{Name: name, Places: []srs.Place{{Tier: srs.Mapped}}, Task: sched.Task{}})
	if err != nil {
		return need{}, err
	}
	defer ref.Release()
	defer ref.Work.Release()
	p := ref.Copy.(*Loaded)
	n = need{device.NeedOf(p.circuit, p.plan), device.HostBytes(p.layout)}
	s.needs.mu.Lock()
	defer s.needs.mu.Unlock()
	if s.needs.known == nil {
		s.needs.known = map[string]need{}
	}
	s.needs.known[name] = n
	return n, nil
}

// MeasureShare returns what a measurement may take of device i. Parameters that came
// in pieces would measure something else, so they must fit as a whole.
func (s *Store) MeasureShare(c *r1cs.Circuit, p *groth16.Plan, i int) (budget.Amount, error) {
	n := need{Need: device.NeedOf(c, p)}
	limit := s.options.Limits.Device[i]
	amount := n.of(limit, 0, i)
	if amount.Device < int64(n.Resident) {
		return amount, status.New(status.Budget, "device_memory_limit",
			"measuring takes %d bytes of a device, the limit is %d", n.Resident, limit)
	}
	return amount, nil
}
