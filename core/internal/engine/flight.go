package engine

import (
	"context"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// resident keeps things that are expensive to make and used by many jobs:
// compiled circuits, mapped parameters. Each is made once, however many jobs
// ask at the same time; a failure is told to all who waited and not kept. The
// zero value is ready.
type resident[K comparable, V any] struct {
	mu    sync.Mutex // guards items
	items map[K]*item[V]
}

// item is made or being made: value and err are set before ready is closed.
type item[V any] struct {
	ready chan struct{}
	value V
	err   error
}

// get returns the value of key, made with make if it is not there. The first
// caller makes it, on its own context: when that ends, a waiting caller with a
// living one makes it anew.
func (r *resident[K, V]) get(ctx context.Context, key K, make func(context.Context) (V, error)) (V, error) {
	for {
		it, mine := r.claim(key)
		if mine {
			r.fill(ctx, key, it, make)
			return it.value, it.err
		}
		select {
		case <-it.ready:
		case <-ctx.Done():
			var none V
			return none, status.Ended(ctx)
		}
		if it.err == nil {
			return it.value, nil
		}
		if !status.Stopped(it.err) {
			return it.value, it.err
		}
	}
}

// claim returns the item of key and whether the caller has to make it.
func (r *resident[K, V]) claim(key K) (it *item[V], mine bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if it, ok := r.items[key]; ok {
		return it, false
	}
	if r.items == nil {
		r.items = map[K]*item[V]{}
	}
	it = &item[V]{ready: make(chan struct{})}
	r.items[key] = it
	return it, true
}

// fill makes the item and forgets it again if that fails.
func (r *resident[K, V]) fill(ctx context.Context, key K, it *item[V], make func(context.Context) (V, error)) {
	it.err = spawn.Guard(func() (err error) {
		it.value, err = make(ctx)
		return err
	})
	if it.err != nil && ctx.Err() != nil {
		it.err = status.Ended(ctx)
	}
	if it.err != nil {
		r.mu.Lock()
		delete(r.items, key)
		r.mu.Unlock()
	}
	close(it.ready)
}

// each calls fn for every value that is ready.
func (r *resident[K, V]) each(fn func(K, V)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, it := range r.items {
		select {
		case <-it.ready:
			if it.err == nil {
				fn(key, it.value)
			}
		default:
		}
	}
}

// drain forgets everything and hands each value to drop. It is called when no
// job runs any more.
func (r *resident[K, V]) drain(drop func(V) error) error {
	var first error
	r.each(func(_ K, v V) {
		if err := drop(v); err != nil && first == nil {
			first = err
		}
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.items = nil
	return first
}
