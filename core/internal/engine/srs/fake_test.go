package srs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// disk is a loader whose files exist in its head. Loading takes a second for
// every ten bytes of fake time.
type disk struct {
	t *testing.T

	mu       sync.Mutex
	files    map[string]Identity
	verified map[string]int // calls, by name
	loads    map[slot]int   // calls
	open     map[*fakeCopy]bool
	fail     func(name string, at Place) error
}

type fakeCopy struct {
	disk *disk
	slot
	id     Identity
	amount budget.Amount
}

func (c *fakeCopy) Amount() budget.Amount { return c.amount }

func (c *fakeCopy) Identity() Identity { return c.id }

func (c *fakeCopy) Close() error {
	c.disk.mu.Lock()
	defer c.disk.mu.Unlock()
	if !c.disk.open[c] {
		c.disk.t.Errorf("%v closed twice", c.slot)
	}
	delete(c.disk.open, c)
	return nil
}

func newDisk(t *testing.T, sizes map[string]int64) *disk {
	d := &disk{t: t, files: map[string]Identity{}, verified: map[string]int{}, loads: map[slot]int{}, open: map[*fakeCopy]bool{}}
	for name, size := range sizes {
		d.files[name] = Identity{Path: "/params/" + name, Size: size, Inode: uint64(size)}
	}
	return d
}

func (d *disk) Identify(_ context.Context, name string, _ bool) (Identity, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, ok := d.files[name]
	if !ok {
		return id, status.New(status.SRSMissing, name, "no file %s", name)
	}
	return id, nil
}

func (d *disk) Verify(ctx context.Context, mapped Copy, progress func(done, total int64)) error {
	name := mapped.(*fakeCopy).name
	d.mu.Lock()
	d.verified[name]++
	d.mu.Unlock()
	progress(0, 1)
	return d.spend(ctx, name, Place{}, 10)
}

func (d *disk) Plan(_ context.Context, name string, at Place) (budget.Amount, error) {
	id, err := d.Identify(context.Background(), name, false)
	if at.Tier == Device {
		return budget.Amount{Device: id.Size, On: at.Device, Host: 1}, err // a byte of scratch
	}
	return budget.Amount{}, err
}

func (d *disk) Load(ctx context.Context, name string, at Place, below Copy, progress func(done, total int64)) (Copy, error) {
	id, err := d.Identify(context.Background(), name, false)
	if err != nil {
		return nil, err
	}
	if (below == nil) != (at.Tier == Mapped) {
		d.t.Errorf("load at %v from %v", at, below)
	}
	d.mu.Lock()
	d.loads[slot{name, at}]++
	d.mu.Unlock()
	amount, _ := d.Plan(context.Background(), name, at)
	amount.Host = 0
	if at.Tier > Mapped {
		for done := int64(0); done < id.Size; done += 10 {
			progress(done, id.Size)
			if err := d.spend(ctx, name, at, 10); err != nil {
				return nil, err
			}
		}
	}
	progress(id.Size, id.Size)
	c := &fakeCopy{disk: d, slot: slot{name, at}, id: id, amount: amount}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[c] = true
	return c, nil
}

func (d *disk) spend(ctx context.Context, name string, at Place, bytes int64) error {
	d.mu.Lock()
	fail := d.fail
	d.mu.Unlock()
	if fail != nil {
		if err := fail(name, at); err != nil {
			return err
		}
	}
	select {
	case <-time.After(time.Duration(bytes) * time.Second / 10):
		return nil
	case <-ctx.Done():
		return errors.New("some room's own words")
	}
}

// replace puts another file in place.
func (d *disk) replace(name string, size int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files[name] = Identity{Path: "/params/" + name, Size: size, Inode: d.files[name].Inode + 1000}
}

func (d *disk) opened() (out []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for c := range d.open {
		out = append(out, fmt.Sprintf("%s %s %d", c.name, c.place.Tier, c.id.Size))
	}
	return out
}

func (d *disk) count(name string, at Place) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.loads[slot{name, at}]
}

var (
	mapped  = Place{Tier: Mapped}
	device0 = Place{Tier: Device}
	device1 = Place{Tier: Device, Device: 1}
)

// smallBudget has 100 bytes of host, 60 of which may be pinned, and two devices.
func smallBudget() *budget.Budget {
	return budget.New(budget.Limits{Host: 100, Pinned: 60, Device: []int64{100, 50}}, sched.Policy{})
}

// workOf wants so many bytes of the device, or of the host, beside a copy.
func workOf(n int64) func(Place) budget.Ask {
	return func(at Place) budget.Ask {
		if at.Tier == Device {
			return budget.Ask{Purpose: "work", Amount: budget.Amount{Device: n, On: at.Device}}
		}
		return budget.Ask{Purpose: "work", Amount: budget.Amount{Host: n}}
	}
}
