package budget

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

func small() *Budget {
	return New(Limits{Host: 100, Pinned: 40, Backlog: 10, Device: []int64{50, 60}}, sched.Policy{})
}

func host(n int64) Ask { return Ask{Purpose: "host", Amount: Amount{Host: n}} }

// reserve must succeed, without anyone's help.
// leaveIdle makes a lease idle as its owners do.
func leaveIdle(l *Lease, evict func()) {
	l.SetIdle(evict)
	l.budget.Relieve()
}

func reserve(t *testing.T, b *Budget, ask Ask) *Lease {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	l, err := b.Reserve(ctx, ask)
	require.NoError(t, err)
	return l
}

// later reserves on a goroutine.
func later(b *Budget, ctx context.Context, ask Ask) (<-chan *Lease, <-chan error) {
	leases, errs := make(chan *Lease, 1), make(chan error, 1)
	new(sync.WaitGroup).Go(func() {
		if l, err := b.Reserve(ctx, ask); err != nil {
			errs <- err
		} else {
			leases <- l
		}
	})
	return leases, errs
}

// TestOversizeFailsAtOnceAndEvictsNothing: such a request once evicted everything
// and then waited for ever.
func TestOversizeFailsAtOnceAndEvictsNothing(t *testing.T) {
	b := small()
	kept := reserve(t, b, host(90))
	leaveIdle(kept, func() { t.Error("evicted for a request that can never fit") })
	for want, ask := range map[string]Amount{
		"needs 101 bytes of host memory, there are never more than 100":      {Host: 101},
		"needs 110 bytes of host memory, there are never more than 100":      {Host: 80, Pinned: 30},
		"needs 41 bytes of pinned memory, there are never more than 40":      {Pinned: 41},
		"needs 61 bytes of device 1, there are never more than 60":           {Device: 61, On: 1},
		"needs 1 units of resource 4, there are never more than 0":           {Device: 1, On: 2},
		"needs 11 bytes of waiting inputs, there are never more than 10":     {Backlog: 11},
		"needs 1000000 bytes of device 0, there are never more than 50":      {Host: 1, Device: 1000000},
		"needs 100000000000 bytes of host memory, there are never more than": {Host: 100_000_000_000},
	} {
		_, err := b.Reserve(t.Context(), Ask{Amount: ask})
		require.Equal(t, status.Budget, status.CodeOf(err))
		require.ErrorContains(t, err, want)
		require.Error(t, b.Never(ask))
		_, ok := b.Try(Ask{Amount: ask})
		require.False(t, ok)
	}
	require.True(t, kept.Use())
}

func TestEvictsTheLeastRecentlyUsedAndNoMoreThanNeeded(t *testing.T) {
	b := small()
	var evicted []string
	keep := func(name string, amount Amount) *Lease {
		l := reserve(t, b, Ask{Purpose: name, Amount: amount})
		leaveIdle(l, func() { evicted = append(evicted, name) })
		return l
	}
	a, second := keep("a", Amount{Host: 20}), keep("b", Amount{Host: 30})
	keep("c", Amount{Host: 20})
	keep("device", Amount{Device: 50})
	keep("d", Amount{Host: 25})
	require.True(t, a.Use()) // now the most recent
	leaveIdle(a, func() { evicted = append(evicted, "a") })

	reserve(t, b, host(5))
	require.Empty(t, evicted, "5 are free")
	reserve(t, b, host(15))
	require.Equal(t, []string{"b"}, evicted)
	require.False(t, second.Use(), "its memory is gone")
	reserve(t, b, host(50)) // 15 free: lacks 35, so c and d, and a can stay
	require.Equal(t, []string{"b", "c", "d"}, evicted)
	require.True(t, a.Use())
}

// TestSparesWhatIsNotNeeded: an early small one is spared when a later big one
// covers the lack alone.
func TestSparesWhatIsNotNeeded(t *testing.T) {
	b := small()
	var evicted []int64
	for _, size := range []int64{10, 80} {
		leaveIdle(reserve(t, b, host(size)), func() { evicted = append(evicted, size) })
	}
	reserve(t, b, host(30)) // 10 free: lacks 20, which the older 10 are not, and the 80 need no help
	require.Equal(t, []int64{80}, evicted)
}

func TestNothingIsEvictedInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := small()
		inUse := reserve(t, b, host(60))
		kept := reserve(t, b, host(30))
		var evicted atomic.Bool
		leaveIdle(kept, func() { evicted.Store(true) })
		leases, _ := later(b, t.Context(), host(80))
		synctest.Wait()
		require.False(t, evicted.Load(), "30 + 10 do not make 80")
		inUse.Release()
		l := <-leases
		require.True(t, evicted.Load())
		require.EqualValues(t, 80, l.Amount().Host)
	})
}

// TestIdleWakesWaiters: memory that becomes idle is room for one that waits,
// although nothing is released.
func TestIdleWakesWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := small()
		l := reserve(t, b, Ask{Amount: Amount{Device: 50, On: 1}})
		leases, _ := later(b, t.Context(), Ask{Amount: Amount{Device: 20, On: 1}})
		synctest.Wait()
		require.Empty(t, leases)
		require.Equal(t, 1, b.Status().Waiting)
		leaveIdle(l, func() {})
		<-leases
		require.False(t, l.Use())
		l.Release() // quiet
		require.EqualValues(t, 20, b.Status().Used[0].Device[1])
	})
}

func TestManualEvict(t *testing.T) {
	b := small()
	l := reserve(t, b, host(10))
	require.False(t, l.Evict(), "in use")
	calls := 0
	leaveIdle(l, func() { calls++ })
	require.True(t, l.Evict())
	require.False(t, l.Evict())
	require.Equal(t, 1, calls)
	require.Empty(t, b.Status().Used)
}

func TestPanicInEvictGivesTheBytesBack(t *testing.T) {
	b := small()
	leaveIdle(reserve(t, b, host(100)), func() { panic("munmap") })
	reserve(t, b, host(100))
}

func TestSplitShrinkAndStatus(t *testing.T) {
	b := small()
	l := reserve(t, b, Ask{Purpose: "job", Amount: Amount{Host: 30, Pinned: 20, Device: 40, On: 1}})
	srs := l.Split("srs", Amount{Pinned: 20, Device: 30, On: 1})
	l.Shrink(Amount{Host: 10, Pinned: 99, Device: 10, On: 1})
	require.Equal(t, Amount{Host: 10, Device: 10, On: 1}, l.Amount())
	leaveIdle(srs, func() {})
	require.Equal(t, []Use{
		{Purpose: "job", Host: 10, Device: []int64{0, 10}, Leases: 1},
		{Purpose: "srs", Pinned: 20, Device: []int64{0, 30}, Idle: 50, Leases: 1},
	}, b.Status().Used)
	require.Panics(t, func() { l.Split("", Amount{Host: 11}) })
	l.Release()
	require.True(t, srs.Evict())
	require.Equal(t, sched.Need{100, 40, 50, 60}, b.queue.Load().Free)
	require.Equal(t, Amount{Host: 1, Pinned: 2, Device: 3, On: 1}, Amount{Host: 1}.Plus(Amount{Pinned: 2, Device: 3, On: 1}))
}

// TestInputsDoNotHoldUpPartitions: one who waits for room for an input stands
// before no partition, also not where memory has to be evicted for that one: it
// is the partition's end that makes room for inputs.
func TestInputsDoNotHoldUpPartitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := small()
		input := reserve(t, b, Ask{Amount: Amount{Backlog: 10}})
		waits, _ := later(b, t.Context(), Ask{Amount: Amount{Backlog: 1}, Task: sched.Task{Priority: sched.Critical}})
		synctest.Wait()
		leaveIdle(reserve(t, b, host(60)), func() {})
		reserve(t, b, host(70)).Release()
		require.Equal(t, 1, b.Status().Waiting)
		input.Release()
		(<-waits).Release()
	})
}

func TestCloseWakesWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := small()
		reserve(t, b, host(60))
		_, errs := later(b, t.Context(), host(60))
		synctest.Wait()
		b.Close(status.New(status.Closed, "", "closing"))
		require.Equal(t, status.Closed, status.CodeOf(<-errs))
	})
}

// TestRandomUse lets many goroutines reserve, keep, reuse, evict and release at
// random: nothing is over-committed, everyone is served, all comes back.
func TestRandomUse(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	synctest.Test(t, func(t *testing.T) {
		limits := Limits{Host: 1000, Pinned: 400, Device: []int64{500, 500}}
		b := New(limits, sched.Policy{Ageing: time.Minute, Share: 4})
		var wg sync.WaitGroup
		var inHand, evictions atomic.Int64
		for g := range 40 {
			r := rand.New(rand.NewPCG(seed, uint64(g)))
			wg.Go(func() {
				for range 300 {
					a := Amount{Host: r.Int64N(600), Pinned: r.Int64N(400), Device: r.Int64N(500), On: r.IntN(2)}
					l, err := b.Reserve(t.Context(), Ask{Amount: a, Task: sched.Task{Since: time.Now(), Priority: sched.Priority(r.IntN(3))}})
					if err != nil {
						t.Error(err)
						return
					}
					size := a.Host + a.Pinned
					if inHand.Add(size) > limits.Host {
						t.Error("over-committed")
					}
					free := sync.OnceFunc(func() { inHand.Add(-size) })
					time.Sleep(time.Duration(r.IntN(1000)))
					for r.IntN(3) > 0 {
						slow := time.Duration(r.IntN(50))
						leaveIdle(l, func() { evictions.Add(1); time.Sleep(slow); free() })
						time.Sleep(time.Duration(r.IntN(1000)))
						if !l.Use() {
							break
						}
					}
					free()
					l.Release()
				}
			})
		}
		wg.Wait()
		require.Equal(t, sched.Need{1000, 400, 500, 500}, b.queue.Load().Free)
		require.Empty(t, b.leases)
		t.Logf("%d evictions", evictions.Load())
		require.Positive(t, evictions.Load())
	})
}
