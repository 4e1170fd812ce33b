package vanilla

import (
	"context"
	"sync/atomic"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// each calls do for 0..n−1 on at most workers goroutines and returns the error
// of the smallest index, so that the outcome does not depend on timing. Nothing
// new is started once an error or the end of ctx is known; a panic in do becomes
// an error.
func each(ctx context.Context, n, workers int, do func(i int) error) error {
	errs := make([]error, n)
	var next, stop atomic.Int64
	stop.Store(int64(n)) // the smallest index that failed
	var group spawn.Group
	for range min(max(workers, 1), n) {
		group.Go(func() error {
			for {
				i := next.Add(1) - 1
				if i >= stop.Load() || ctx.Err() != nil {
					return nil
				}
				if errs[i] = spawn.Guard(func() error { return do(int(i)) }); errs[i] != nil {
					lower(&stop, i)
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return status.Ended(ctx)
}

// lower sets v to i if that is smaller.
func lower(v *atomic.Int64, i int64) {
	for old := v.Load(); i < old; old = v.Load() {
		if v.CompareAndSwap(old, i) {
			return
		}
	}
}
