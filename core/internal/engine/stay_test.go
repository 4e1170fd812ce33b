package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
)

// yard is sites that prove by sleeping: three slots each, one at a time.
type yard struct {
	sites
	t      *testing.T
	ready  readiness
	factor map[*site]float64 // how slow a site is
	wg     sync.WaitGroup

	mu    sync.Mutex // guards what follows
	order []uint64   // jobs as they started
	moves int
}

func newYard(t *testing.T, factors ...float64) *yard {
	y := &yard{t: t, factor: map[*site]float64{}, ready: func(string, *site) bool { return true }}
	for _, f := range factors {
		one := func(n int64) *sched.Queue {
			return sched.NewQueue(sched.Policy{}, []sched.Resource{{Name: "slots", Capacity: n}}, nil)
		}
		s := &site{slots: one(3), turns: one(1)}
		y.all, y.factor[s] = append(y.all, s), f
	}
	return y
}

// prove is what a run does with a solved partition that was sent to a site.
func (y *yard) prove(at *site, task sched.Task, cost time.Duration) {
	y.sites.mu.Lock()
	at.chosen++ // as choose does
	y.sites.mu.Unlock()
	y.wg.Go(func() {
		s := &stay{order: task, at: at}
		y.arrive(context.Background(), s, y.ready)
		for errors.Is(y.once(s, at, task, cost), errMoved) {
			at = s.follow(context.Background())
			y.mu.Lock()
			y.moves++
			y.mu.Unlock()
		}
		last := y.depart(s, y.ready)
		y.leave(last)
	})
}

func (y *yard) once(s *stay, at *site, task sched.Task, cost time.Duration) error {
	task.Need = sched.Need{1}
	slot, err := at.slots.Acquire(s.waiting(), task)
	if err != nil {
		return err
	}
	defer slot.Release()
	turn, err := at.turns.Acquire(s.waiting(), task)
	if err != nil {
		return err
	}
	defer turn.Release()
	if !s.start() {
		return errMoved
	}
	y.mu.Lock()
	y.order = append(y.order, task.Job)
	y.mu.Unlock()
	time.Sleep(time.Duration(y.factor[at] * float64(cost)))
	return nil
}

func (y *yard) started() []uint64 {
	y.mu.Lock()
	defer y.mu.Unlock()
	return slices.Clone(y.order)
}

// TestIdleSitesTakeOver: whatever was sent where, no site is idle while work waits
// at another: all is done within the bound of list scheduling, which sites that keep
// what they were sent miss.
func TestIdleSitesTakeOver(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var spent, kept, least time.Duration
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			y := newYard(t, 1, 1)
			var sum, most time.Duration
			apart := map[*site]time.Duration{}
			start := time.Now()
			for job := range uint64(2 + rng.IntN(30)) {
				cost := time.Duration(500+rng.IntN(3000)) * time.Millisecond
				at := y.all[rng.IntN(2)]
				sum, most = sum+cost, max(most, cost)
				apart[at] += cost
				y.prove(at, sched.Task{Job: job, Since: start}, cost)
			}
			y.wg.Wait()
			took := time.Since(start)
			require.LessOrEqual(t, took, sum/2+most)
			spent, kept, least = spent+took, kept+max(apart[y.all[0]], apart[y.all[1]]), least+max(sum/2, most)
			for _, s := range y.all {
				require.Zero(t, s.chosen)
			}
			require.Empty(t, y.stays)
		})
	}
	t.Logf("%v; as sent %v; ideal %v", spent, kept, least)
	require.Less(t, spent, kept)
}

// TestTakesTheMostUrgent: an idle site takes what is most urgent, and nothing that
// has started, failed there, or is next where it is.
func TestTakesTheMostUrgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newYard(t, 1, 1)
		a, b := y.all[0], y.all[1]
		var ready atomic.Bool
		y.ready = func(_ string, s *site) bool { return s == a || ready.Load() }
		for job, p := range []sched.Priority{sched.Normal, sched.Low, sched.Critical, sched.High, sched.Normal} {
			y.prove(a, sched.Task{Job: uint64(job), Priority: p, Since: time.Now()}, time.Hour)
			synctest.Wait()
		}
		require.Equal(t, []uint64{0}, y.started(), "b has no parameters")
		ready.Store(true)
		y.prove(b, sched.Task{Job: 10, Since: time.Now()}, time.Minute) // and when it is done, b is idle
		time.Sleep(2 * time.Minute)
		require.Equal(t, []uint64{0, 10, 2}, y.started())
		y.wg.Wait()
		require.Equal(t, []uint64{0, 10, 2, 3, 4, 1}, y.started())
		require.Equal(t, 2, y.moves, "b takes 4 while a is at 3")
	})
}
