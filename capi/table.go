package main

import (
	"fmt"
	"sync"

	cuzk "github.com/libcuzk/libcuzk/core"
)

// table maps handles to live values. A handle is serial<<4 | tag, with a
// serial that is never used again, so that a stale, foreign or invented one
// finds nothing. Safe for concurrent use.
type table[T any] struct {
	tag uint64

	mu   sync.RWMutex // guards the rest
	last uint64       // serial of the newest handle
	live map[uint64]T
}

func newTable[T any](tag uint64) *table[T] {
	return &table[T]{tag: tag, live: map[uint64]T{}}
}

// put stores v and returns its new handle.
func (t *table[T]) put(v T) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	handle := t.last<<4 | t.tag
	t.live[handle] = v
	return handle
}

// get returns the value of a live handle, or an error of code Handle. what
// names the argument.
func (t *table[T]) get(handle uint64, what string) (T, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	v, ok := t.live[handle]
	if !ok {
		return v, &cuzk.Error{Code: cuzk.Handle, Detail: what,
			Message: fmt.Sprintf("%s %#x is not a live handle: freed, or never returned by this library", what, handle)}
	}
	return v, nil
}

// take removes a handle and returns its value, if it was live.
func (t *table[T]) take(handle uint64) (v T, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok = t.live[handle]
	delete(t.live, handle)
	return v, ok
}
