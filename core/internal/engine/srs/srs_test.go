package srs

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/sched"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

func acquire(t *testing.T, m *Manager, w Want) *Ref {
	t.Helper()
	r, err := m.Acquire(t.Context(), w)
	require.NoError(t, err)
	return r
}

func release(r *Ref) {
	r.Work.Release()
	r.Release()
}

// TestLoadsOnce: concurrent first jobs once each did the same expensive work.
func TestLoadsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, b := newDisk(t, map[string]int64{"porep": 40}), smallBudget()
		m := New(d, b)
		var wg sync.WaitGroup
		var told atomic.Int64
		for range 50 {
			wg.Go(func() {
				r, err := m.Acquire(context.Background(), Want{Name: "porep", Places: []Place{device0}, Beside: workOf(1),
					Progress: func(Progress) { told.Add(1) }})
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Second)
				release(r)
			})
		}
		wg.Wait()
		require.Equal(t, 1, d.count("porep", device0))
		require.Equal(t, 1, d.count("porep", mapped))
		require.Equal(t, 1, d.verified["porep"])
		require.GreaterOrEqual(t, told.Load(), int64(50), "everyone who waits sees the progress")
		require.NoError(t, m.Close(context.Background()))
		require.Empty(t, d.opened())
		require.Empty(t, b.Status().Used)
	})
}

func TestStatusHasRealSizes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, b := newDisk(t, map[string]int64{"porep": 40, "post": 5}), smallBudget()
		m := New(d, b)
		require.NoError(t, m.Preload(t.Context(), Want{Name: "post", Places: []Place{mapped}}))
		done := make(chan *Ref)
		new(sync.WaitGroup).Go(func() {
			r, err := m.Acquire(context.Background(), Want{Name: "porep", Places: []Place{device0}, Beside: workOf(10)})
			if err != nil {
				t.Error(err)
			}
			done <- r
		})
		time.Sleep(2500 * time.Millisecond) // a second to verify, 40 bytes in 4 s
		s := m.Status()
		require.Equal(t, []string{"porep", "post"}, []string{s[0].Name, s[1].Name})
		require.EqualValues(t, 40, s[0].File.Size, "a size was once shown as 0")
		require.Equal(t, Mapped, s[0].Tier)
		loading := s[0].Copies[1]
		require.True(t, loading.Loading)
		require.Equal(t, Progress{"load", 10, 40}, loading.Progress)
		require.Equal(t, budget.Amount{Device: 40, Host: 1}, loading.Amount)
		r := <-done
		s = m.Status()
		require.Equal(t, Device, s[0].Tier)
		require.True(t, s[0].Checked)
		require.Equal(t, budget.Amount{Device: 40}, s[0].Copies[1].Amount, "scratch is given back")
		require.Equal(t, 1, s[0].Copies[1].Refs)
		require.True(t, m.On("porep", device0))
		require.False(t, m.On("porep", device1))
		require.Equal(t, budget.Amount{Device: 10}, r.Work.Amount())
		release(r)
		require.Equal(t, "mapped", Mapped.String())
	})
}

// TestFallsToTheNextPlace: what can never fit on one device goes to the next, and
// what fits on none stays mapped.
func TestFallsToTheNextPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk(t, map[string]int64{"porep": 50, "huge": 500})
		m := New(d, smallBudget())
		want := Want{Name: "porep", Places: []Place{device1, device0, mapped}, Beside: workOf(10)}
		r := acquire(t, m, want)
		require.Equal(t, device0, r.Place, "50 + 10 do not fit 50 device bytes")
		release(r)
		want.Name = "huge"
		r = acquire(t, m, want)
		require.Equal(t, mapped, r.Place)
		release(r)
		require.NotContains(t, d.loads, slot{"huge", device0})
	})
}

// TestOversizeEvictsNothing: such a request once evicted all and waited for ever.
func TestOversizeEvictsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk(t, map[string]int64{"porep": 50, "huge": 101})
		m := New(d, smallBudget())
		release(acquire(t, m, Want{Name: "porep", Places: []Place{device0}}))
		began := time.Now()
		_, err := m.Acquire(t.Context(), Want{Name: "huge", Places: []Place{device1, device0}})
		require.Equal(t, status.Budget, status.CodeOf(err))
		require.ErrorContains(t, err, "101")
		require.ErrorContains(t, err, "100")
		_, err = m.Acquire(t.Context(), Want{Name: "porep", Places: []Place{device0}, Beside: workOf(51)})
		require.Equal(t, status.Budget, status.CodeOf(err), "50 + 51: neither alone is too much")
		require.Zero(t, time.Since(began))
		require.True(t, m.On("porep", device0))
		_, err = m.Acquire(t.Context(), Want{Name: "porep"})
		require.Equal(t, status.Argument, status.CodeOf(err))
		_, err = m.Acquire(t.Context(), Want{Name: "absent", Places: []Place{mapped}})
		require.Equal(t, status.SRSMissing, status.CodeOf(err))
	})
}

func TestEvictsLeastRecentlyUsedUnderPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk(t, map[string]int64{"a": 40, "b": 40, "c": 40, "d": 20})
		m := New(d, smallBudget())
		on := func(name string) Want { return Want{Name: name, Places: []Place{device0}} }
		release(acquire(t, m, on("a")))
		release(acquire(t, m, on("b")))
		release(acquire(t, m, on("a"))) // a is the younger one now
		release(acquire(t, m, on("c")))
		require.False(t, m.On("b", device0))
		require.True(t, m.On("a", device0))
		release(acquire(t, m, on("d")))
		require.True(t, m.On("a", device0) && m.On("c", device0) && m.On("d", device0))
		require.Equal(t, 1, d.count("a", device0))
	})
}

func TestManualEvict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk(t, map[string]int64{"a": 40, "b": 30})
		m := New(d, smallBudget())
		release(acquire(t, m, Want{Name: "a", Places: []Place{device0}}))
		r := acquire(t, m, Want{Name: "b", Places: []Place{device0}})
		for _, name := range []string{"b", ""} {
			_, err := m.Evict(name)
			require.Equal(t, status.Busy, status.CodeOf(err))
		}
		freed, err := m.Evict("a")
		require.NoError(t, err)
		require.EqualValues(t, 40, freed)
		require.True(t, m.On("b", device0), "a refused evict frees nothing")
		release(r)
		freed, err = m.Evict("")
		require.NoError(t, err)
		require.EqualValues(t, 30, freed)
		require.Empty(t, d.opened())
		freed, err = m.Evict("a")
		require.NoError(t, err)
		require.Zero(t, freed)
	})
}

func TestReplacedFileIsCheckedAndLoadedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk(t, map[string]int64{"a": 20})
		m := New(d, smallBudget())
		w := Want{Name: "a", Places: []Place{device0}}
		old := acquire(t, m, w)
		release(acquire(t, m, w))
		require.Equal(t, 1, d.verified["a"])
		d.replace("a", 30)
		fresh := acquire(t, m, w)
		require.EqualValues(t, 30, fresh.Copy.Amount().Device)
		require.Equal(t, 2, d.verified["a"])
		require.Contains(t, d.opened(), "a device 20", "who uses the old one may go on")
		release(old)
		require.NotContains(t, d.opened(), "a device 20", "and then it goes")
		release(fresh)
		_, err := m.Evict("")
		require.NoError(t, err)
		require.Empty(t, d.opened())
	})
}

func TestFailedLoadIsToldAndForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, b := newDisk(t, map[string]int64{"a": 20}), smallBudget()
		m := New(d, b)
		w := Want{Name: "a", Places: []Place{device0}, Beside: workOf(5)}
		for _, fail := range []func(string, Place) error{
			func(string, Place) error { return status.New(status.SRSDigest, "a", "digest differs") },
			func(_ string, at Place) error {
				if at.Tier == Device {
					panic("sticky device error")
				}
				return nil
			},
			func(_ string, at Place) error {
				if at.Tier == Device {
					return errors.New("out of memory")
				}
				return nil
			},
		} {
			d.fail = fail
			var wg sync.WaitGroup
			for range 5 {
				wg.Go(func() {
					if _, err := m.Acquire(context.Background(), w); err == nil {
						t.Error("loaded")
					}
				})
			}
			wg.Wait()
			synctest.Wait() // callers hear of a failure before what it held is given back
			require.Zero(t, b.Status().Waiting)
			for _, u := range b.Status().Used {
				require.Zero(t, u.Device[0], "%s", u.Purpose)
			}
		}
		d.fail = nil
		release(acquire(t, m, w))
		require.NoError(t, m.Close(context.Background()))
		require.Empty(t, d.opened())
	})
}

// TestLoadOutlivesItsFirstCaller: who asked first may go away while others wait;
// when nobody waits any more the load stops.
func TestLoadOutlivesItsFirstCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, b := newDisk(t, map[string]int64{"a": 40}), smallBudget()
		m := New(d, b)
		w := Want{Name: "a", Places: []Place{device0}, Beside: workOf(5)}
		ask := func(ctx context.Context) <-chan error {
			out := make(chan error, 1)
			new(sync.WaitGroup).Go(func() {
				r, err := m.Acquire(ctx, w)
				if err == nil {
					release(r)
				}
				out <- err
			})
			synctest.Wait()
			return out
		}
		one, stopOne := context.WithCancel(t.Context())
		first, second := ask(one), ask(t.Context())
		time.Sleep(2 * time.Second)
		stopOne()
		require.Equal(t, status.Cancelled, status.CodeOf(<-first))
		require.NoError(t, <-second)
		require.Equal(t, 1, d.count("a", device0))
		_, err := m.Evict("a")
		require.NoError(t, err)

		two, stopTwo := context.WithCancel(t.Context())
		alone := ask(two)
		time.Sleep(time.Second)
		stopTwo()
		require.Equal(t, status.Cancelled, status.CodeOf(<-alone))
		require.NoError(t, <-ask(t.Context()), "one who comes while the load is being given up gets a new one")
		require.Equal(t, 3, d.count("a", device0))
	})
}

// TestFirstCallerGivesUpWaitingForMemory: then another one begins the load.
func TestFirstCallerGivesUpWaitingForMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, b := newDisk(t, map[string]int64{"a": 40}), smallBudget()
		m := New(d, b)
		full, ok := b.Try(budget.Ask{Amount: budget.Amount{Device: 100}})
		require.True(t, ok)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := m.Acquire(ctx, Want{Name: "a", Places: []Place{device0}}); status.CodeOf(err) != status.Deadline {
				t.Error(err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			r, err := m.Acquire(context.Background(), Want{Name: "a", Places: []Place{device0}})
			if err != nil {
				t.Error(err)
				return
			}
			release(r)
		})
		time.Sleep(2 * time.Minute)
		require.Zero(t, d.count("a", device0))
		full.Release()
		wg.Wait()
		require.Equal(t, 1, d.count("a", device0))
	})
}

// TestUrgentCallerTakesTheWaitOver: who joins a load that waits for memory does not
// wait in the place of whoever began it; who began it gets a copy all the same.
func TestUrgentCallerTakesTheWaitOver(t *testing.T) {
	for _, gives := range []bool{false, true} { // the urgent one gives up
		synctest.Test(t, func(t *testing.T) {
			d, b := newDisk(t, map[string]int64{"porep": 40}), smallBudget()
			m := New(d, b)
			others, err := b.Reserve(t.Context(), budget.Ask{Purpose: "other", Amount: budget.Amount{Device: 80}})
			require.NoError(t, err)
			got := make(chan sched.Priority, 3)
			use := func(ctx context.Context, p sched.Priority) {
				r, err := m.Acquire(ctx, Want{Name: "porep", Places: []Place{device0}, Beside: workOf(1), Task: sched.Task{Priority: p}})
				if err != nil {
					require.Equal(t, status.Cancelled, status.CodeOf(err))
					return
				}
				got <- p
				time.Sleep(time.Hour)
				release(r)
			}
			urgent, cancel := context.WithCancel(t.Context())
			defer cancel()
			var wg sync.WaitGroup
			wg.Go(func() { use(context.Background(), sched.Low) })
			synctest.Wait()
			wg.Go(func() {
				l, err := b.Reserve(context.Background(), budget.Ask{Purpose: "other", Task: sched.Task{Priority: sched.Normal}, Amount: budget.Amount{Device: 70}})
				require.NoError(t, err)
				got <- sched.Normal
				time.Sleep(2 * time.Hour)
				l.Release()
			})
			synctest.Wait()
			wg.Go(func() { use(urgent, sched.Critical) })
			synctest.Wait()
			if gives {
				cancel()
				synctest.Wait()
			}
			others.Release()
			time.Sleep(time.Minute)
			first := sched.Critical
			if gives {
				first = sched.Normal
			}
			require.Equal(t, first, <-got)
			require.Empty(t, got)
			wg.Wait()
			require.Equal(t, 3, len(got)+1+map[bool]int{true: 1}[gives], "all that did not give up")
			require.NoError(t, m.Close(context.Background()))
			require.Empty(t, d.opened())
			require.Empty(t, b.Status().Used)
		})
	}
}

// TestNoDeadlockBetweenCircuits: two circuits fit the device together, but not
// with the working memory of both. Whoever waits gives way.
func TestNoDeadlockBetweenCircuits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, b := newDisk(t, map[string]int64{"a": 45, "b": 45}), smallBudget()
		m := New(d, b)
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				r, err := m.Acquire(context.Background(), Want{Name: []string{"a", "b"}[i%2], Places: []Place{device0}, Beside: workOf(20),
					Task: sched.Task{Job: uint64(i), Since: time.Now()}})
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Second)
				release(r)
			})
		}
		wg.Wait()
		t.Logf("a loaded %d times, b %d times", d.count("a", device0), d.count("b", device0))
		require.NoError(t, m.Close(context.Background()))
		require.Empty(t, d.opened())
		require.Empty(t, b.Status().Used)
	})
}

func TestCloseStopsLoads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, b := newDisk(t, map[string]int64{"a": 40, "b": 10}), smallBudget()
		m := New(d, b)
		used := acquire(t, m, Want{Name: "b", Places: []Place{device1}})
		done := make(chan error)
		new(sync.WaitGroup).Go(func() {
			_, err := m.Acquire(context.Background(), Want{Name: "a", Places: []Place{device0}})
			done <- err
		})
		time.Sleep(2 * time.Second)
		closed := make(chan error, 1)
		new(sync.WaitGroup).Go(func() { closed <- m.Close(context.Background()) })
		require.Equal(t, status.Closed, status.CodeOf(<-done))
		require.Equal(t, status.Busy, status.CodeOf(<-closed))
		require.Equal(t, []string{"b device 10"}, d.opened(), "what is used stays")
		release(used)
		require.Empty(t, d.opened())
		_, err := m.Acquire(t.Context(), Want{Name: "b", Places: []Place{mapped}})
		require.Equal(t, status.Closed, status.CodeOf(err))
		require.Empty(t, b.Status().Used)
	})
}

// TestRandomUse mixes everything: names, places, cancels, failures, replaced
// files, evictions. Nothing is used after it was freed, nothing is freed twice,
// nobody waits for ever, and all comes back.
func TestRandomUse(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	synctest.Test(t, func(t *testing.T) {
		d, b := newDisk(t, map[string]int64{"a": 45, "b": 30, "c": 20, "d": 60}), smallBudget()
		m := New(d, b)
		boom := errors.New("boom")
		dice := rand.New(rand.NewPCG(seed, 99)) // used under d.mu or by one goroutine at a time
		var luck sync.Mutex
		d.fail = func(string, Place) error {
			luck.Lock()
			defer luck.Unlock()
			if dice.IntN(40) == 0 {
				return boom
			}
			return nil
		}
		var wg sync.WaitGroup
		var used, cancelled, failed atomic.Int64
		for g := range 30 {
			r := rand.New(rand.NewPCG(seed, uint64(g)))
			wg.Go(func() {
				for i := range 60 {
					ctx, cancel := context.WithCancel(context.Background())
					if r.IntN(5) == 0 {
						time.AfterFunc(time.Duration(r.IntN(10_000))*time.Millisecond, cancel)
					}
					places := []Place{{Tier: Device, Device: r.IntN(2)}, device0, mapped}[r.IntN(3):]
					name := string(rune('a' + r.IntN(4)))
					ref, err := m.Acquire(ctx, Want{Name: name, Places: places, Beside: workOf(r.Int64N(30)),
						Task: sched.Task{Job: uint64(i), Since: time.Now(), Priority: sched.Priority(r.IntN(3))}})
					switch {
					case err == nil:
						used.Add(1)
						time.Sleep(time.Duration(r.IntN(2000)) * time.Millisecond)
						c := ref.Copy.(*fakeCopy)
						d.mu.Lock()
						if !d.open[c] || c.name != name || c.place != ref.Place {
							t.Errorf("%v: used while freed, or not what was asked for", c.slot)
						}
						d.mu.Unlock()
						release(ref)
					case ctx.Err() != nil:
						cancelled.Add(1)
					case errors.Is(err, boom) || status.CodeOf(err) == status.SRSMismatch:
						failed.Add(1)
					default:
						t.Error(err)
					}
					cancel()
					switch r.IntN(20) {
					case 0:
						_, _ = m.Evict(name)
					case 1:
						d.replace(name, 10+r.Int64N(50))
					}
				}
			})
		}
		wg.Wait()
		t.Logf("%d used, %d cancelled, %d failed, loads %v", used.Load(), cancelled.Load(), failed.Load(), d.loads)
		require.NoError(t, m.Close(context.Background()))
		require.Empty(t, d.opened())
		require.Empty(t, b.Status().Used)
		require.Zero(t, b.Status().Waiting)
	})
}
