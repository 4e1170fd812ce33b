package jobs

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

func TestDrainLetsJobsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := New(10)
		j := submit(t, table, Request{Run: func(context.Context, *Attempt) ([]byte, error) {
			time.Sleep(time.Minute)
			return []byte("proof"), nil
		}})
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.NoError(t, table.Closed())
		require.Equal(t, status.Deadline, status.CodeOf(table.Drain(short)))
		require.Equal(t, status.Closed, status.CodeOf(table.Closed()))
		_, err := table.Submit(t.Context(), Request{Run: untilStopped})
		require.Equal(t, status.Closed, status.CodeOf(err), "no more from the first drain on")
		require.NoError(t, table.Drain(t.Context()))
		result, err := j.Result()
		require.NoError(t, err)
		require.Equal(t, "proof", string(result))
		require.NoError(t, table.Close(t.Context()))
	})
}

func TestCloseWakesEveryWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := New(10)
		obeys := submit(t, table, Request{Run: untilStopped})
		stuck := submit(t, table, Request{Run: func(_ context.Context, a *Attempt) ([]byte, error) {
			a.Stage("prove", 0)
			time.Sleep(time.Hour) // deaf to its context
			a.Stage("late", 1)
			return []byte("too late"), nil
		}})
		var wg sync.WaitGroup
		for _, j := range []*Job{obeys, stuck, stuck} {
			wg.Go(func() {
				result, err := j.Wait(context.Background())
				if status.CodeOf(err) != status.Closed || result != nil {
					t.Errorf("%v, %v", result, err)
				}
			})
		}
		synctest.Wait()
		limit, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		began := time.Now()
		err := table.Close(limit)
		require.Equal(t, status.Busy, status.CodeOf(err))
		require.ErrorContains(t, err, "1 jobs")
		require.Equal(t, 5*time.Second, time.Since(began))
		wg.Wait()

		require.NoError(t, table.Close(t.Context()), "the second close waits for the stuck one")
		require.Equal(t, time.Hour, time.Since(began))
		result, err := stuck.Result()
		require.Nil(t, result, "the late result is not taken")
		require.Equal(t, status.Closed, status.CodeOf(err))
		require.Equal(t, "prove", stuck.Report().Progress.Stage)
		require.Empty(t, table.live)
		require.EqualValues(t, 2, table.Counts().Ended[Cancelled])
	})
}

// TestManyJobsManyEnds submits, shares, cancels and waits from many goroutines,
// and closes in the midst of it: every waiter is woken and the table is empty.
func TestManyJobsManyEnds(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	synctest.Test(t, func(t *testing.T) {
		table := New(20)
		var wg sync.WaitGroup
		for g := range 50 {
			r := rand.New(rand.NewPCG(seed, uint64(g)))
			wg.Go(func() {
				for {
					request := Request{Kind: "porep", Run: func(ctx context.Context, a *Attempt) ([]byte, error) {
						a.Stage("prove", 1)
						select {
						case <-time.After(time.Duration(a.ID%100) * time.Millisecond):
							return []byte("proof"), nil
						case <-ctx.Done():
							return nil, ctx.Err()
						}
					}}
					if k := r.IntN(20); k < 10 {
						request.Key = string(rune('a' + k))
					}
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(100))*time.Millisecond)
					j, err := table.Submit(ctx, request)
					if err != nil {
						cancel()
						if status.CodeOf(err) != status.Closed {
							t.Error(err)
						}
						return
					}
					if r.IntN(5) == 0 {
						time.Sleep(time.Duration(r.IntN(50)) * time.Millisecond)
						j.Cancel()
					}
					result, err := j.Wait(context.Background())
					if (string(result) == "proof") != (err == nil) {
						t.Errorf("%q, %v", result, err)
					}
					cancel()
				}
			})
		}
		time.Sleep(20 * time.Second)
		require.NoError(t, table.Close(t.Context()))
		wg.Wait()
		c := table.Counts()
		require.Empty(t, table.live)
		require.Empty(t, c.Now)
		require.Len(t, table.Reports(), 20)
		require.LessOrEqual(t, len(table.keys), 20)
		t.Logf("%v", c.Ended)
		require.Equal(t, c.Ended[Done]+c.Ended[Cancelled], table.lastID)
	})
}
