package sched

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

func oneSlot() *Queue { return NewQueue(Policy{}, []Resource{{"slots", 1}}, nil) }

// work is a task of now that needs one slot.
func work(job uint64, p Priority) Task {
	return Task{Job: job, Priority: p, Since: time.Now(), Need: Need{1}}
}

// wait acquires on a goroutine of its own and reports the result.
func wait(t *testing.T, q *Queue, ctx context.Context, task Task) <-chan error {
	out := make(chan error, 1)
	new(sync.WaitGroup).Go(func() {
		g, err := q.Acquire(ctx, task)
		if (g == nil) == (err == nil) {
			t.Errorf("grant %v with error %v", g, err)
		}
		out <- err
	})
	return out
}

func TestAcquireReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := oneSlot()
		g, err := q.Acquire(t.Context(), work(1, Normal))
		require.NoError(t, err)
		low, high := wait(t, q, t.Context(), work(2, Low)), wait(t, q, t.Context(), work(3, High))
		synctest.Wait()
		require.Equal(t, 1, q.Load().Waiting[High])
		require.Equal(t, Need{1}, q.Lack())
		g.Release()
		require.NoError(t, <-high)
		synctest.Wait()
		require.Empty(t, low)
		g.Release() // a second time: quiet
		synctest.Wait()
		require.Empty(t, low, "a second release frees nothing")
		require.True(t, g.gone)
		q.Close(status.New(status.Closed, "", "closing"))
		require.Equal(t, status.Closed, status.CodeOf(<-low))
		_, err = q.Acquire(t.Context(), work(4, High))
		require.Equal(t, status.Closed, status.CodeOf(err))
	})
}

func TestNeverFailsAtOnceWithBothNumbers(t *testing.T) {
	q := NewQueue(Policy{}, []Resource{{"slots", 1}, {"host bytes", 1000}}, func() { t.Error("asked for room") })
	for _, need := range []Need{{1, 1001}, {1, 0, 1}} {
		_, err := q.Acquire(t.Context(), Task{Need: need})
		require.Equal(t, status.Budget, status.CodeOf(err))
	}
	_, err := q.Acquire(t.Context(), Task{Need: Need{1, 1001}})
	require.ErrorContains(t, err, "1001")
	require.ErrorContains(t, err, "1000")
	_, err = q.Acquire(t.Context(), Task{Need: Need{1, -1}})
	require.Equal(t, status.Argument, status.CodeOf(err))
}

// TestLeavingWakesOthers: the waiter whose claim blocked another goes away; the
// other must start although nothing was released.
func TestLeavingWakesOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(Policy{}, []Resource{{"slots", 2}}, nil)
		_, err := q.Acquire(t.Context(), work(1, Normal))
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		both := work(2, Normal)
		both.Need = Need{2}
		big := wait(t, q, ctx, both)
		synctest.Wait()
		small := wait(t, q, t.Context(), work(3, Normal))
		synctest.Wait()
		require.Empty(t, small)
		cancel()
		require.Equal(t, status.Cancelled, status.CodeOf(<-big))
		require.NoError(t, <-small)
	})
}

func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := oneSlot()
		running := work(1, Normal)
		running.Cost = 10 * time.Second
		g, err := q.Acquire(t.Context(), running)
		require.NoError(t, err)

		began := time.Now()
		hopeless := work(2, Critical)
		hopeless.Cost, hopeless.Deadline = 5*time.Second, began.Add(14*time.Second)
		_, err = q.Acquire(t.Context(), hopeless)
		require.Equal(t, status.Deadline, status.CodeOf(err))
		require.Zero(t, time.Since(began), "known at once: it starts in 10 s at the earliest")

		hoping := hopeless
		hoping.Deadline = began.Add(16 * time.Second)
		_, err = q.Acquire(t.Context(), hoping)
		require.Equal(t, status.Deadline, status.CodeOf(err), "what runs took longer than it should")
		require.Equal(t, 11*time.Second, time.Since(began).Truncate(time.Microsecond), "as soon as it is too late, not later")

		inTime := work(3, Normal)
		inTime.Deadline = time.Now().Add(time.Second)
		done := wait(t, q, t.Context(), inTime)
		synctest.Wait()
		g.Release()
		require.NoError(t, <-done)
	})
}

func TestTryAndShrink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(Policy{}, []Resource{{"bytes", 100}}, nil)
		g, ok := q.Try(Task{Need: Need{70}})
		require.True(t, ok)
		_, ok = q.Try(Task{Need: Need{31}})
		require.False(t, ok)
		require.Zero(t, len(q.waiting), "a failed try leaves nothing behind")
		claim := wait(t, q, t.Context(), Task{Need: Need{80}})
		synctest.Wait()
		_, ok = q.Try(Task{Need: Need{10}, Job: 1})
		require.False(t, ok, "past the claim of one that waits")

		g.Shrink(Need{20})
		require.NoError(t, <-claim)
		require.Equal(t, Need{20}, g.task.Need)
		g.Shrink(Need{90})
		require.Equal(t, Need{20}, g.task.Need, "it does not grow")
		g.Release()
		g.Shrink(Need{})
		require.Equal(t, Need{20}, q.Load().Free)
	})
}

func TestSplit(t *testing.T) {
	q := NewQueue(Policy{}, []Resource{{"bytes", 100}, {"slots", 2}}, nil)
	g, ok := q.Try(Task{Need: Need{70, 1}})
	require.True(t, ok)
	part := g.Split(Need{30})
	require.Equal(t, []Need{{40, 1}, {30}}, []Need{g.task.Need, part.task.Need})
	g.Release()
	require.Equal(t, Need{70, 2}, q.Load().Free)
	require.Panics(t, func() { part.Split(Need{31}) })
	require.Panics(t, func() { g.Split(Need{1}) })
	part.Release()
	require.Equal(t, Need{100, 2}, q.Load().Free)
}

// TestHundredThousandJobs sends random jobs through the moving queue on their own
// goroutines, some of which give up; the bubble fails if all sleep for ever, which
// a lost wake-up or a deadlock would cause.
func TestHundredThousandJobs(t *testing.T) {
	jobs := 100_000
	if testing.Short() {
		jobs = 10_000
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(seed, 2))
		capacity := []Resource{{"slots", 4}, {"bytes", 1 << 30}}
		q := NewQueue(Policy{Ageing: 10 * time.Second, Share: 4}, capacity, nil)
		var wg sync.WaitGroup
		var held, done, gaveUp, late atomic.Int64
		for id := range jobs {
			time.Sleep(time.Duration(r.ExpFloat64() * float64(130*time.Millisecond)))
			task := randomJob(r, uint64(id), time.Now(), Need{4, 1 << 30})[0]
			ctx, cancel := context.WithCancel(t.Context())
			if r.IntN(10) == 0 {
				time.AfterFunc(time.Duration(r.IntN(3000))*time.Millisecond, cancel)
			}
			if r.IntN(20) == 0 {
				task.Deadline = time.Now().Add(task.Cost + time.Duration(r.IntN(2000))*time.Millisecond)
			}
			wg.Go(func() {
				defer cancel()
				g, err := q.Acquire(ctx, task)
				switch status.CodeOf(err) {
				case status.OK:
					if held.Add(1) > 4 {
						t.Error("more tasks than slots")
					}
					time.Sleep(task.Cost)
					held.Add(-1)
					g.Release()
					done.Add(1)
				case status.Cancelled:
					gaveUp.Add(1)
				case status.Deadline:
					late.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		require.Equal(t, Need{4, 1 << 30}, q.Load().Free, "counters return to base")
		require.Empty(t, q.running)
		require.Nil(t, q.Lack())
		t.Logf("%d done, %d gave up, %d too late", done.Load(), gaveUp.Load(), late.Load())
		require.EqualValues(t, jobs, done.Load()+gaveUp.Load()+late.Load())
	})
}
