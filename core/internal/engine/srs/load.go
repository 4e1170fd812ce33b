package srs

import (
	"context"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

func newItem(s slot, id Identity) *item {
	return &item{slot: s, id: id, loaded: make(chan struct{}), refs: 1, cancel: func(error) {},
		lastUse: time.Now(), progress: Progress{Stage: "load"}, tell: map[*func(Progress)]struct{}{}}
}

// begin reserves memory for a new item and for the work with it, in one request,
// and loads it. Others wait for the item meanwhile; if the memory is not to be
// had, because this caller gives up, one of them begins anew, and a more urgent one
// takes its place at once.
//
// A mapped copy takes no memory and must not wait for any: a load to a better
// place, which holds some already, may wait for it. Its work is reserved after.
func (m *Manager) begin(ctx context.Context, it *item, mine *wait, amount budget.Amount, w Want) (work *budget.Lease, err error) {
	joint := amount != budget.Amount{On: amount.On}
	ask := budget.Ask{Purpose: "srs", Amount: amount, Task: w.Task}
	beside := w.ask(it.place)
	if joint {
		ask.Amount = amount.Plus(beside.Amount)
	}
	lease, ok, err := m.reserve(it, mine, ask)
	if !ok {
		return m.follow(ctx, it, w)
	}
	if err != nil {
		m.fail(it, errAgain)
		return nil, err
	}
	if joint {
		work = lease.Split(beside.Purpose, beside.Amount)
	}
	if err = m.launch(it, lease); err == nil {
		err = m.await(ctx, it, w)
	}
	switch {
	case err == nil && !joint:
		return m.beside(ctx, it, w)
	case err != nil && joint:
		work.Release()
		return nil, err
	}
	return work, err
}

// reserve waits for memory; ok is false if somebody else does so now.
func (m *Manager) reserve(it *item, mine *wait, ask budget.Ask) (lease *budget.Lease, ok bool, err error) {
	lease, err = m.budget.Reserve(mine.ctx, ask)
	mine.end(nil)
	m.mu.Lock()
	if ok = it.wait == mine; ok {
		it.wait = nil
	}
	m.mu.Unlock()
	if !ok && err == nil {
		lease.Release()
	}
	return lease, ok, err
}

// launch starts the load of an item whose memory is reserved.
func (m *Manager) launch(it *item, lease *budget.Lease) error {
	m.mu.Lock()
	if closed := m.closed; closed != nil {
		m.mu.Unlock()
		m.fail(it, closed)
		lease.Release()
		return closed
	}
	defer m.mu.Unlock()
	ctx, cancel := context.WithCancelCause(context.Background())
	it.lease, it.cancel = lease, cancel
	m.loads.Go(func() error {
		defer cancel(nil)
		m.load(ctx, it)
		return nil
	})
	return nil
}

// fail ends an item before its load has begun.
func (m *Manager) fail(it *item, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	it.err = err
	if m.items[it.slot] == it {
		delete(m.items, it.slot)
	}
	close(it.loaded)
}

// load makes the copy of an item and tells all who wait for it. A copy that
// nobody waits for any more is not kept, even if it came out well.
func (m *Manager) load(ctx context.Context, it *item) {
	var c Copy
	err := spawn.Guard(func() error {
		made, err := m.make(ctx, it)
		if err == nil {
			c = made // a failed make may return a nil pointer, which is no nil Copy
		}
		return err
	})
	if err == nil {
		it.lease.Shrink(c.Amount())
	}
	m.mu.Lock()
	if ctx.Err() != nil && (err != nil || it.given) {
		err = status.Ended(ctx)
	}
	if err != nil && m.items[it.slot] == it {
		delete(m.items, it.slot)
	}
	it.copy, it.err = c, err
	close(it.loaded)
	m.mu.Unlock()
	if err != nil {
		defer it.lease.Release() // whatever becomes of Close
		if c != nil {
			_ = c.Close()
		}
	}
}

// make opens and verifies the file, and from there loads the copy: what is checked
// and what is used is one open file.
func (m *Manager) make(ctx context.Context, it *item) (Copy, error) {
	if it.place.Tier <= Mapped {
		return m.makeMapped(ctx, it)
	}
	below, err := m.Acquire(ctx, Want{Name: it.name, Places: []Place{{Tier: Mapped}},
		Progress: func(p Progress) { m.report(it, p.Stage)(p.Done, p.Total) }})
	if err != nil {
		return nil, err
	}
	defer below.Release()
	defer below.Work.Release()
	if below.item.id != it.id {
		return nil, replaced(it)
	}
	return m.loader.Load(ctx, it.name, it.place, below.Copy, m.report(it, "load"))
}

// makeMapped opens the file, and checks one that was not checked before.
func (m *Manager) makeMapped(ctx context.Context, it *item) (Copy, error) {
	c, err := m.loader.Load(ctx, it.name, it.place, nil, m.report(it, "load"))
	if err != nil {
		return nil, err
	}
	if c.Identity() != it.id {
		_ = c.Close()
		return nil, replaced(it)
	}
	m.mu.Lock()
	known := m.checked[it.id]
	m.mu.Unlock()
	if known {
		return c, nil
	}
	if err := m.loader.Verify(ctx, c, m.report(it, "verify")); err != nil {
		_ = c.Close()
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checked[it.id] = true
	return c, nil
}

func replaced(it *item) error {
	return status.New(status.SRSMismatch, it.name, "%s was replaced while it was loaded: %w", it.id.Path, status.ErrChanged)
}

// report returns a progress function that keeps the figures for the status and
// tells those who wait.
func (m *Manager) report(it *item, stage string) func(done, total int64) {
	return func(done, total int64) {
		m.mu.Lock()
		it.progress = Progress{stage, done, total}
		tell := make([]func(Progress), 0, len(it.tell))
		for fn := range it.tell {
			tell = append(tell, *fn)
		}
		m.mu.Unlock()
		for _, fn := range tell {
			fn(Progress{stage, done, total})
		}
	}
}
