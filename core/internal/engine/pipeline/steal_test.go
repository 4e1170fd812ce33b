package pipeline

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

// yard is workers that prove by sleeping: three slots each, one at a time.
type yard struct {
	Workers
	t      *testing.T
	ready  readiness
	factor map[*Worker]float64 // how slow a worker is
	wg     sync.WaitGroup

	mu    sync.Mutex // guards what follows
	order []uint64   // jobs as they started
	moves int
}

func newYard(t *testing.T, factors ...float64) *yard {
	y := &yard{t: t, factor: map[*Worker]float64{}, ready: func(string, *Worker) bool { return true }}
	for _, f := range factors {
		one := func(n int64) *sched.Queue {
			return sched.NewQueue(sched.Policy{}, []sched.Resource{{Name: "slots", Capacity: n}}, nil)
		}
		s := &Worker{slots: one(3), starts: one(1)}
		y.All, y.factor[s] = append(y.All, s), f
	}
	return y
}

// prove is what a job does with a solved partition that was placed at a worker.
func (y *yard) prove(at *Worker, task sched.Task, cost time.Duration) {
	y.Workers.mu.Lock()
	at.assigned++ // as place does
	y.Workers.mu.Unlock()
	y.wg.Go(func() {
		s := &solved{order: task, worker: at}
		y.enqueue(context.Background(), s, y.ready)
		for errors.Is(y.once(s, at, task, cost), errStolen) {
			at = s.follow(context.Background())
			y.mu.Lock()
			y.moves++
			y.mu.Unlock()
		}
		last := y.dequeue(s, y.ready)
		y.release(last)
	})
}

func (y *yard) once(s *solved, at *Worker, task sched.Task, cost time.Duration) error {
	task.Need = sched.Need{1}
	slot, err := at.slots.Acquire(s.waiting(), task)
	if err != nil {
		return err
	}
	defer slot.Release()
	turn, err := at.starts.Acquire(s.waiting(), task)
	if err != nil {
		return err
	}
	defer turn.Release()
	if !s.start() {
		return errStolen
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

// TestIdleWorkersSteal: whatever was placed where, no worker is idle while work waits
// at another: all is done within the bound of list scheduling, which workers that keep
// what they were given miss.
func TestIdleWorkersSteal(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var spent, kept, least time.Duration
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			y := newYard(t, 1, 1)
			var sum, most time.Duration
			apart := map[*Worker]time.Duration{}
			start := time.Now()
			for job := range uint64(2 + rng.IntN(30)) {
				cost := time.Duration(500+rng.IntN(3000)) * time.Millisecond
				at := y.All[rng.IntN(2)]
				sum, most = sum+cost, max(most, cost)
				apart[at] += cost
				y.prove(at, sched.Task{Job: job, Since: start}, cost)
			}
			y.wg.Wait()
			took := time.Since(start)
			require.LessOrEqual(t, took, sum/2+most)
			spent, kept, least = spent+took, kept+max(apart[y.All[0]], apart[y.All[1]]), least+max(sum/2, most)
			for _, s := range y.All {
				require.Zero(t, s.assigned)
			}
			require.Empty(t, y.solved)
		})
	}
	t.Logf("%v; as sent %v; ideal %v", spent, kept, least)
	require.Less(t, spent, kept)
}

// TestStealsTheMostUrgent: an idle worker takes what is most urgent, and nothing that
// has started, failed there, or is next where it is.
func TestStealsTheMostUrgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := newYard(t, 1, 1)
		a, b := y.All[0], y.All[1]
		var ready atomic.Bool
		y.ready = func(_ string, s *Worker) bool { return s == a || ready.Load() }
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
