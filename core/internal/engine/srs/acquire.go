package srs

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Acquire returns the parameters at the best place that can ever hold them
// beside Want.Beside, loaded if need be. If no place can, the error has code
// status.Budget, and nothing was evicted.
//
// It never waits for memory while it keeps other memory in use: either all that
// is wanted is reserved at once, or the copy is given up for the time of waiting.
func (m *Manager) Acquire(ctx context.Context, w Want) (*Ref, error) {
	id, err := m.identify(ctx, w.Name)
	if err != nil {
		return nil, err
	}
	place, amount, err := m.place(ctx, w)
	if err != nil {
		return nil, err
	}
	for ctx.Err() == nil {
		it, mine, err := m.join(ctx, slot{w.Name, place}, id, w.Task)
		if err != nil {
			return nil, err
		}
		var work *budget.Lease
		if mine != nil {
			work, err = m.begin(ctx, it, mine, amount, w)
		} else {
			work, err = m.follow(ctx, it, w)
		}
		if err == nil {
			return &Ref{Copy: it.copy, Place: place, Work: work, manager: m, item: it}, nil
		}
		if err != errAgain {
			return nil, err
		}
	}
	return nil, status.Ended(ctx)
}

// Try returns the parameters at a place if they are loaded there and what is
// wanted beside them is free at once.
func (m *Manager) Try(w Want, at Place) (*Ref, bool) {
	m.mu.Lock()
	it := m.items[slot{w.Name, at}]
	ok := it != nil && it.ready() && it.err == nil && m.use(it)
	m.mu.Unlock()
	if !ok {
		return nil, false
	}
	work, ok := m.budget.Try(w.ask(at))
	if !ok {
		m.drop(it)
		return nil, false
	}
	return &Ref{Copy: it.copy, Place: at, Work: work, manager: m, item: it}, true
}

// errAgain says that the world has changed while waiting.
var errAgain = status.New(status.Busy, "", "again")

// Preload loads parameters and leaves them unused.
func (m *Manager) Preload(ctx context.Context, w Want) error {
	w.Beside = nil
	r, err := m.Acquire(ctx, w)
	if err != nil {
		return err
	}
	r.Work.Release()
	r.Release()
	return nil
}

// identify looks at the file; copies of a file that was replaced go. A file that
// cannot be looked at is taken for the one that copies were made of, if there are any.
func (m *Manager) identify(ctx context.Context, name string) (Identity, error) {
	loaded, known := m.loaded(name)
	id, err := m.loader.Identify(ctx, name, known)
	switch {
	case err != nil && ctx.Err() != nil:
		return id, status.Ended(ctx)
	case err != nil && known:
		id = loaded
	case err != nil:
		return id, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed != nil {
		return id, m.closed
	}
	m.seen[name] = id
	return id, nil
}

// loaded returns the file that copies of a name were made of; ok is false if there are none.
func (m *Manager) loaded(name string) (id Identity, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for s, it := range m.items {
		if s.name == name && it.ready() && it.err == nil {
			return it.id, true
		}
	}
	return id, false
}

// place chooses where the copy will be and what loading it there needs.
func (m *Manager) place(ctx context.Context, w Want) (place Place, amount budget.Amount, err error) {
	err = status.New(status.Argument, "places", "no place wanted for %s", w.Name)
	for _, place = range w.Places {
		if amount, err = m.loader.Plan(ctx, w.Name, place); err != nil {
			return place, amount, err
		}
		if err = m.budget.Never(amount.Plus(w.ask(place).Amount)); err == nil {
			return place, amount, nil
		}
	}
	return place, amount, err
}

// join returns the item of s with one more use of it. mine is not nil if the
// caller has to load it: because there was none, or because the one who waits for
// its memory is less urgent, who follows then. A copy of a file that was replaced
// is forgotten: it goes at once if nobody uses it, else with its last use.
func (m *Manager) join(ctx context.Context, s slot, id Identity, task sched.Task) (it *item, mine *wait, err error) {
	m.mu.Lock()
	if m.closed != nil {
		m.mu.Unlock()
		return nil, nil, m.closed
	}
	var stale *budget.Lease
	if old := m.items[s]; old != nil && old.id != id {
		stale = old.lease
		delete(m.items, s)
	}
	it = m.items[s]
	if it == nil || !m.use(it) {
		it = newItem(s, id)
		it.wait = newWait(ctx, task)
		m.items[s], mine = it, it.wait
	} else if before := it.wait; before != nil && task.Before(&before.task) {
		it.wait = newWait(ctx, task)
		mine = it.wait
		before.end(errAgain)
	}
	m.mu.Unlock()
	if stale != nil {
		stale.Evict()
	}
	return it, mine, nil
}

// follow waits for a copy that somebody else loads or has loaded, and reserves
// the working memory.
func (m *Manager) follow(ctx context.Context, it *item, w Want) (*budget.Lease, error) {
	if err := m.await(ctx, it, w); err != nil {
		return nil, err
	}
	return m.beside(ctx, it, w)
}

// use counts one more use, unless the copy is gone or its load was given up;
// then the item is forgotten. m.mu is held.
func (m *Manager) use(it *item) bool {
	if it.given || it.refs == 0 && !it.lease.Use() {
		if m.items[it.slot] == it {
			delete(m.items, it.slot)
		}
		return false
	}
	it.refs++
	return true
}

// await waits for the load of an item that the caller uses; after a failure the
// caller does not use it any more.
func (m *Manager) await(ctx context.Context, it *item, w Want) error {
	if w.Progress != nil {
		tell := w.Progress
		defer m.listen(it, &tell)()
	}
	select {
	case <-it.loaded:
	case <-ctx.Done():
		m.drop(it)
		return status.Ended(ctx)
	}
	if it.err != nil {
		m.drop(it)
	}
	return it.err
}

// listen registers for the progress of a load and returns what ends that.
func (m *Manager) listen(it *item, tell *func(Progress)) (end func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	it.tell[tell] = struct{}{}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(it.tell, tell)
	}
}

// beside reserves the working memory for a caller that uses the copy. If that
// takes waiting, the use is given up meanwhile, and the copy may be gone after.
func (m *Manager) beside(ctx context.Context, it *item, w Want) (*budget.Lease, error) {
	ask := w.ask(it.place)
	if work, ok := m.budget.Try(ask); ok {
		return work, nil
	}
	m.drop(it)
	work, err := m.budget.Reserve(ctx, ask)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	ok := m.items[it.slot] == it && m.use(it)
	m.mu.Unlock()
	if !ok {
		work.Release()
		return nil, errAgain
	}
	return work, nil
}

// ask is the request for what is wanted beside the parameters.
func (w *Want) ask(at Place) (ask budget.Ask) {
	if w.Beside != nil {
		ask = w.Beside(at)
	}
	ask.Task = w.Task
	return ask
}
