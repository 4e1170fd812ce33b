// Package spawn is the only place of libcuzk where goroutines start.
//
// A panic in a goroutine that nobody recovers ends the process, and libcuzk
// lives in processes of others. The helpers here catch it and hand it to the
// goroutine that waits: as an error where there is one to return ([Group],
// [Each]), otherwise as a panic there ([Range]), where the job's guard turns
// it into an error of code status.Panic. A lint test forbids the go statement
// elsewhere.
package spawn

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Group runs functions concurrently and keeps their first failure. The zero
// value is ready; it must not be copied after first use.
type Group struct {
	wg    sync.WaitGroup
	mu    sync.Mutex // guards first
	first error
}

// Go runs fn on a goroutine of its own. A panic in fn counts as its error.
func (g *Group) Go(fn func() error) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		if err := Guard(fn); err != nil {
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.first == nil {
				g.first = err
			}
		}
	}()
}

// Wait returns when all functions have, with the first error among them.
func (g *Group) Wait() error {
	g.wg.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.first
}

// Guard calls fn here and turns a panic into an error of code status.Panic,
// whose detail is the stack.
func Guard(fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = caught(v)
		}
	}()
	return fn()
}

// AfterFunc calls fn on a goroutine of its own once ctx has ended, as
// context.AfterFunc does. A panic in fn is dropped: nobody waits for it.
func AfterFunc(ctx context.Context, fn func()) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = Guard(func() error { fn(); return nil }) })
}

// After calls fn on a goroutine of its own when d has passed, as time.AfterFunc does.
// A panic in fn is dropped.
func After(d time.Duration, fn func()) *time.Timer {
	return time.AfterFunc(d, func() { _ = Guard(func() error { fn(); return nil }) })
}

// caught makes the error of a recovered panic; one that Range carried over
// keeps its first stack.
func caught(v any) *status.Error {
	if e, ok := v.(*status.Error); ok && e.Code == status.Panic {
		return e
	}
	return status.New(status.Panic, string(debug.Stack()), "caught panic: %s", fmt.Sprint(v))
}

// Each calls fn(0) … fn(n−1) on at most workers goroutines, each taking the
// next index when it is free. After the first error, or when ctx ends, no
// further index is started; that error, or the cause of ctx, is returned.
func Each(ctx context.Context, workers, n int, fn func(i int) error) error {
	var g Group
	var next, failed atomic.Int64
	for range min(max(workers, 1), n) {
		g.Go(func() error {
			for failed.Load() == 0 {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := Guard(func() error { return fn(i) }); err != nil {
					failed.Store(1)
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// Range splits 0…n into at most workers contiguous pieces and calls fn for each
// concurrently; worker numbers them from 0. A panic in a piece goes on in the
// caller once all pieces have returned.
func Range(workers, n int, fn func(worker, lo, hi int)) {
	workers = min(max(workers, 1), n)
	if workers <= 1 {
		if n > 0 {
			fn(0, 0, n)
		}
		return
	}
	var g Group
	for w := range workers {
		g.Go(func() error {
			fn(w, int(int64(n)*int64(w)/int64(workers)), int(int64(n)*int64(w+1)/int64(workers)))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		panic(err)
	}
}
