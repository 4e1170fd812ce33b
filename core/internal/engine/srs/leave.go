package srs

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
)

// Identify looks at the file of a name without reading it: an error of code
// status.SRSMissing if there is none and nothing was loaded of it.
func (m *Manager) Identify(ctx context.Context, name string) (Identity, error) {
	return m.identify(ctx, name)
}

// EvictIdle frees the copies at a place that nobody uses and returns the bytes
// that they held.
func (m *Manager) EvictIdle(at Place) (freed int64) {
	for _, lease := range m.idleAt(at) {
		a := lease.Amount()
		if lease.Evict() {
			freed += a.Host + a.Pinned + a.Device
		}
	}
	return freed
}

// Abandon forgets all copies at a place that cannot be used any more: those that
// nobody uses go at once, the others with their last use.
func (m *Manager) Abandon(at Place) {
	var idle []*budget.Lease
	m.mu.Lock()
	for s, it := range m.items {
		if s.place == at {
			if it.refs == 0 && it.lease != nil {
				idle = append(idle, it.lease)
			}
			delete(m.items, s)
		}
	}
	m.mu.Unlock()
	for _, lease := range idle {
		lease.Evict()
	}
}

func (m *Manager) idleAt(at Place) (idle []*budget.Lease) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for s, it := range m.items {
		if s.place == at && it.refs == 0 && it.lease != nil {
			idle = append(idle, it.lease)
		}
	}
	return idle
}
