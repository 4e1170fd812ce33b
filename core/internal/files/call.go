package files

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Call is a system call that has not returned although nobody waits for it any more.
type Call struct {
	Name  string // "read"
	Path  string
	Since time.Time // it began
}

// Each path has at most maxPending of them: beyond that further calls on it fail at once, so that a file
// system that does not answer cannot use up the threads of the process.
const maxPending = 8

// pending are the calls of the process that were left behind, and how many there ever were.
var pending struct {
	mu    sync.Mutex
	calls map[*running]struct{}
	now   atomic.Int64 // len(calls)
	total atomic.Uint64
}

// Pending returns the calls that were left behind and have not returned, oldest first.
func Pending() []Call {
	pending.mu.Lock()
	defer pending.mu.Unlock()
	out := make([]Call, 0, len(pending.calls))
	for r := range pending.calls {
		out = append(out, r.Call)
	}
	slices.SortFunc(out, func(a, b Call) int { return a.Since.Compare(b.Since) })
	return out
}

// LeftBehind returns how many calls were ever left behind.
func LeftBehind() uint64 { return pending.total.Load() }

// Stalled reports whether a call on path was left behind and has not returned.
func Stalled(path string) bool { return pendingOn(path) > 0 }

func pendingOn(path string) (n int) {
	if pending.now.Load() == 0 {
		return 0
	}
	pending.mu.Lock()
	defer pending.mu.Unlock()
	for r := range pending.calls {
		if r.Path == path {
			n++
		}
	}
	return n
}

// running is a call under way. Its state decides, once, who has its result.
type running struct {
	Call
	state atomic.Int32
}

const (
	underWay int32 = iota
	returned       // the caller takes the result
	left           // the caller has gone
)

// call runs fn on a goroutine of its own until it returns or ctx ends, whichever is first. A result that comes
// too late goes to dispose, if there is one.
func call[T any](ctx context.Context, name, path string, fn func() (T, error), dispose func(T)) (out T, err error) {
	if err := admit(ctx, path); err != nil {
		return out, err
	}
	return launch(ctx, name, path, fn, dispose)
}

// admit says why no call on path may begin.
func admit(ctx context.Context, path string) error {
	if ctx.Err() != nil {
		return status.Ended(ctx)
	}
	if n := pendingOn(path); n >= maxPending {
		e := status.New(status.FileIO, path, "%s does not answer: %d calls have not returned", path, n)
		e.Retryable = true
		return e
	}
	return nil
}

// launch is call for a path that was admitted: fn will run.
func launch[T any](ctx context.Context, name, path string, fn func() (T, error), dispose func(T)) (out T, err error) {
	type result struct {
		value T
		err   error
	}
	r := &running{Call: Call{name, path, time.Now()}}
	done := make(chan result, 1)
	var g spawn.Group // nobody waits for it
	g.Go(func() error {
		var got result
		got.err = spawn.Guard(func() (err error) { got.value, err = fn(); return err })
		if r.state.CompareAndSwap(underWay, returned) {
			done <- got
			return nil
		}
		pending.mu.Lock()
		delete(pending.calls, r)
		pending.now.Add(-1)
		pending.mu.Unlock()
		if got.err == nil && dispose != nil {
			dispose(got.value)
		}
		return nil
	})
	select {
	case got := <-done:
		return got.value, got.err
	case <-ctx.Done():
	}
	if !r.leave() {
		got := <-done // it returned at the same moment
		return got.value, got.err
	}
	return out, status.Ended(ctx)
}

// leave leaves the call behind, unless it has returned.
func (r *running) leave() bool {
	pending.mu.Lock()
	defer pending.mu.Unlock()
	if !r.state.CompareAndSwap(underWay, left) {
		return false
	}
	if pending.calls == nil {
		pending.calls = map[*running]struct{}{}
	}
	pending.calls[r] = struct{}{}
	pending.now.Add(1)
	pending.total.Add(1)
	return true
}
