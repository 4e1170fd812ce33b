// Package singleflight makes things once that are expensive to make and used by
// many: compiled circuits, prepared verifying keys.
package singleflight

import (
	"context"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Cache keeps the value of each key. A value is made once, however many callers ask
// at the same time; a failure is returned to all who waited and is not kept. The
// zero value is ready; safe for concurrent use.
//
// golang.org/x/sync/singleflight would not do: there a caller whose context ends
// fails all callers that wait for the same value.
type Cache[K comparable, V any] struct {
	mu    sync.Mutex // guards items
	items map[K]*item[V]
}

// item is a value that is made or being made: value and err are set before ready
// is closed.
type item[V any] struct {
	ready chan struct{}
	value V
	err   error
}

// Get returns the value of key and calls make if it is not there. The first caller
// makes it, on its own context: when that ends, a waiting caller whose context has
// not ended makes it anew.
func (c *Cache[K, V]) Get(ctx context.Context, key K, make func(context.Context) (V, error)) (V, error) {
	for {
		it, mine := c.claim(key)
		if mine {
			c.fill(ctx, key, it, make)
			return it.value, it.err
		}
		select {
		case <-it.ready:
		case <-ctx.Done():
			var none V
			return none, status.Ended(ctx)
		}
		if it.err == nil || !status.Stopped(it.err) {
			return it.value, it.err
		}
	}
}

// claim returns the item of key and whether the caller has to make it.
func (c *Cache[K, V]) claim(key K) (it *item[V], mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if it, ok := c.items[key]; ok {
		return it, false
	}
	if c.items == nil {
		c.items = map[K]*item[V]{}
	}
	it = &item[V]{ready: make(chan struct{})}
	c.items[key] = it
	return it, true
}

// fill makes the item and forgets it again if that fails.
func (c *Cache[K, V]) fill(ctx context.Context, key K, it *item[V], make func(context.Context) (V, error)) {
	it.err = spawn.Guard(func() (err error) {
		it.value, err = make(ctx)
		return err
	})
	if it.err != nil && ctx.Err() != nil {
		it.err = status.Ended(ctx)
	}
	if it.err != nil {
		c.mu.Lock()
		delete(c.items, key)
		c.mu.Unlock()
	}
	close(it.ready)
}
