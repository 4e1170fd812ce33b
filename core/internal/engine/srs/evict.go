package srs

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// drop ends one use of an item. The last one leaves the copy idle, frees it if
// its file was replaced, or gives up the load.
func (m *Manager) drop(it *item) {
	m.mu.Lock()
	it.refs--
	it.lastUse = time.Now()
	last := it.refs == 0
	switch {
	case !last:
	case !it.ready():
		it.given = true
		it.cancel(status.New(status.Cancelled, "", "nobody waits for %s any more", it.name))
	case it.err == nil:
		it.lease.SetIdle(func() { m.free(it) })
	}
	stale := last && it.ready() && it.err == nil && m.items[it.slot] != it
	m.mu.Unlock()
	if stale {
		it.lease.Evict()
	}
	m.budget.Relieve()
}

// ready reports whether the load has ended; Manager.mu is held.
func (it *item) ready() bool {
	select {
	case <-it.loaded:
		return true
	default:
		return false
	}
}

// free closes the copy of an item that the budget evicts.
func (m *Manager) free(it *item) {
	m.mu.Lock()
	if m.items[it.slot] == it {
		delete(m.items, it.slot)
	}
	m.mu.Unlock()
	_ = it.copy.Close() // nothing can be done about it, and nobody asked
}

// Evict frees all copies of a name, or with "" of every name, and returns the
// bytes that they held. It is refused with code status.Busy, and frees nothing,
// while one of them is in use or being loaded.
func (m *Manager) Evict(name string) (freed int64, err error) {
	m.mu.Lock()
	var found []*item
	for s, it := range m.items {
		if name != "" && s.name != name {
			continue
		}
		if it.refs > 0 {
			m.mu.Unlock()
			return 0, status.New(status.Busy, s.name, "%s is in use on %s", s.name, s.place.Tier)
		}
		found = append(found, it)
	}
	m.mu.Unlock()
	for _, it := range found {
		a := it.lease.Amount()
		if it.lease.Evict() {
			freed += a.Host + a.Pinned + a.Device
		}
	}
	return freed, nil
}

// Close refuses new uses, gives up loads and frees all copies. Copies that are
// still in use are an error of code status.Busy; they go with their last use. So
// are loads that have not ended when ctx has: what they may use is not freed.
func (m *Manager) Close(ctx context.Context) error {
	m.mu.Lock()
	m.closed = status.New(status.Closed, "", "engine is closed")
	for _, it := range m.items {
		it.cancel(m.closed)
	}
	m.mu.Unlock()
	ended := make(chan error, 1)
	var waiting spawn.Group // left behind if a load does not end
	waiting.Go(func() error { ended <- m.loads.Wait(); return nil })
	select {
	case err := <-ended:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		return status.New(status.Busy, "", "parameters are still being loaded")
	}
	m.mu.Lock()
	items := m.items
	m.items = map[slot]*item{}
	inUse := 0
	for _, it := range items {
		if it.refs > 0 {
			inUse++
		}
	}
	m.mu.Unlock()
	for _, it := range items {
		if it.lease != nil {
			it.lease.Evict()
		}
	}
	if inUse > 0 {
		return status.New(status.Busy, "", "%d copies of parameters are still in use", inUse)
	}
	return nil
}

// Status of the parameters of one name.
type Status struct {
	Name    string
	File    Identity
	Checked bool         // the file was verified
	Tier    Tier         // the fastest one that is ready; Disk: none
	Copies  []CopyStatus // by tier and device
}

// CopyStatus is one copy.
type CopyStatus struct {
	Place    Place
	Amount   budget.Amount // bytes that it holds, or reserved while it is loaded
	Refs     int           // uses
	Loading  bool
	Progress Progress
	LastUse  time.Time
}

// Bytes is what a copy takes where it is: a mapping as much as its file.
func (s Status) Bytes(c CopyStatus) int64 {
	if c.Place.Tier == Mapped {
		return s.File.Size
	}
	return c.Amount.Host + c.Amount.Pinned + c.Amount.Device
}

// Status returns what is known of all names that were ever asked for, sorted.
func (m *Manager) Status() (out []Status) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, id := range m.seen {
		s := Status{Name: name, File: id, Checked: m.checked[id]}
		for _, it := range m.items {
			if it.name == name {
				s.add(it)
			}
		}
		slices.SortFunc(s.Copies, func(a, b CopyStatus) int {
			return cmp.Or(cmp.Compare(a.Place.Tier, b.Place.Tier), cmp.Compare(a.Place.Device, b.Place.Device))
		})
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Status) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func (s *Status) add(it *item) {
	c := CopyStatus{Place: it.place, Refs: it.refs, Loading: !it.ready(), Progress: it.progress, LastUse: it.lastUse}
	if it.lease != nil {
		c.Amount = it.lease.Amount()
	}
	if !c.Loading {
		s.Tier = max(s.Tier, it.place.Tier)
	}
	s.Copies = append(s.Copies, c)
}

// Peek returns the copy of name that is ready at a place. It may go at any time:
// look at what cannot change, and do not use it.
func (m *Manager) Peek(name string, at Place) (Copy, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	it := m.items[slot{name, at}]
	if it == nil || !it.ready() || it.err != nil {
		return nil, false
	}
	return it.copy, true
}

// On reports whether a copy of name is ready at a place.
func (m *Manager) On(name string, at Place) bool {
	_, ok := m.Peek(name, at)
	return ok
}
