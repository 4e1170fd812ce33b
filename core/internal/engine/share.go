package engine

import (
	"context"
	"math"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/device"
	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/engine/srs"
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

// Devices of more than reserveFrom bytes keep a sixteenth, within these bounds, for
// small circuits: a 32 GiB WinningPoSt, whose parameters and work areas take 5.0 GiB
// at most, is proved beside a PoRep that could use all memory for copies of its
// bases. A PoRep with 3 GiB less takes 0.3 s longer on a card of 141 GB.
const (
	reserveFrom         = 20 << 30
	smallCircuitReserve = 3 << 29  // at least
	smallCircuitMost    = 11 << 29 // at most
)

// margin is left of every device for the bytes by which partitions stand in line.
const margin = 1 << 12

// share returns what the parameters of a circuit may take of the i-th device, and
// of host memory if they do not fit there.
func (e *Engine) share(ctx context.Context, name string, i int) (budget.Amount, error) {
	n, err := e.need(ctx, name)
	if err != nil {
		return budget.Amount{}, err
	}
	if e.config.Stay > 0 {
		n.Resident = math.MaxInt64 // as if they did not fit
	}
	return n.of(e.limits.Device[i], e.limits.Pinned/2, i), nil
}

// of divides a device of limit bytes, with so many of host memory beside it. A
// circuit that fits into the room for small ones stays there; others get what all
// copies of bases take that pay, or as many as leave that room; all of the device
// if they would not stay there otherwise.
func (n need) of(limit, host int64, i int) budget.Amount {
	limit -= margin
	room := int64(0)
	if limit > reserveFrom {
		room = min(max(limit/16, smallCircuitReserve), smallCircuitMost)
	}
	best, resident := int64(n.Best), int64(n.Resident)
	a := budget.Amount{On: i}
	switch {
	case resident <= room:
		a.Device = min(best, room)
	case resident <= limit:
		a.Device = max(min(best, limit-room), resident)
	default:
		a.Device = max(limit-room, int64(n.Stream))
		a.Pinned = min(int64(n.host), host)
	}
	return a
}

// need returns what a circuit's parameters take. Their mapped copy knows the plan
// of the circuit, which is large.
func (e *Engine) need(ctx context.Context, name string) (need, error) {
	e.needs.mu.Lock()
	n, ok := e.needs.known[name]
	e.needs.mu.Unlock()
	if ok {
		return n, nil
	}
	ref, err := e.params.Acquire(ctx, srs.Want{Name: name, Places: []srs.Place{{Tier: srs.Mapped}}, Task: sched.Task{}})
	if err != nil {
		return need{}, err
	}
	defer ref.Release()
	defer ref.Work.Release()
	p := ref.Copy.(*prover)
	n = need{device.NeedOf(p.circuit, p.plan), device.HostBytes(p.layout)}
	e.needs.mu.Lock()
	defer e.needs.mu.Unlock()
	if e.needs.known == nil {
		e.needs.known = map[string]need{}
	}
	e.needs.known[name] = n
	return n, nil
}
