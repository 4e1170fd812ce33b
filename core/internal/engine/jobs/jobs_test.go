package jobs

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// returns is work that ends at once.
func returns(result string, err error) func(context.Context, *Attempt) ([]byte, error) {
	return func(_ context.Context, a *Attempt) ([]byte, error) {
		a.Stage("prove", 0)
		return []byte(result), err
	}
}

// untilStopped is work that runs until its context ends, and then says whatever
// some room below says.
func untilStopped(ctx context.Context, a *Attempt) ([]byte, error) {
	a.Stage("prove", 0)
	<-ctx.Done()
	return []byte("must not leave"), errors.New("some room's own words")
}

func submit(t *testing.T, table *Table, r Request) *Job {
	t.Helper()
	j, err := table.Submit(context.Background(), r)
	require.NoError(t, err)
	return j
}

func TestResultAndReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := New(10)
		j := submit(t, table, Request{Kind: "porep", Run: func(_ context.Context, a *Attempt) ([]byte, error) {
			time.Sleep(time.Second) // waits for its turn
			a.Stage("solve", 3)
			a.Step(2)
			a.Advance(1, 3)
			time.Sleep(2 * time.Second)
			return []byte("proof"), nil
		}})
		synctest.Wait()
		require.Equal(t, Queued, j.Report().State)
		_, err := j.Result()
		require.Equal(t, status.Busy, status.CodeOf(err))
		result, err := j.Wait(t.Context())
		require.NoError(t, err)
		require.Equal(t, "proof", string(result))
		r := j.Report()
		require.Equal(t, Done, r.State)
		require.Equal(t, Progress{"solve", 2, 3}, r.Progress)
		require.Equal(t, []StageTime{{"queued", time.Second, time.Second, 0}, {"solve", 2 * time.Second, 2 * time.Second, 0}}, r.Stages)
		require.Equal(t, 3*time.Second, r.Ended.Sub(r.Submitted))
		require.Equal(t, time.Second, r.Started.Sub(r.Submitted))
		got, ok := table.Get(j.ID)
		require.True(t, ok)
		require.Same(t, j, got)
	})
}

// TestWaitTimesOutAndTheJobGoesOn: such a timeout was once ignored.
func TestWaitTimesOutAndTheJobGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := New(10)
		j := submit(t, table, Request{Run: func(context.Context, *Attempt) ([]byte, error) {
			time.Sleep(time.Hour)
			return []byte("late but right"), nil
		}})
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := j.Wait(ctx)
		require.Equal(t, status.Timeout, status.CodeOf(err))
		require.Equal(t, time.Minute, time.Since(began))
		result, err := j.Wait(t.Context())
		require.NoError(t, err)
		require.Equal(t, "late but right", string(result))
	})
}

// TestCancelInEveryState: a cancel once answered and did nothing.
func TestCancelInEveryState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := New(10)
		var ran atomic.Int64
		turn := make(chan struct{}) // never free
		queued := submit(t, table, Request{Run: func(ctx context.Context, a *Attempt) ([]byte, error) {
			select {
			case <-turn:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			ran.Add(1)
			return nil, nil
		}})
		running := submit(t, table, Request{Run: untilStopped})
		finished := submit(t, table, Request{Run: returns("proof", nil)})
		synctest.Wait()
		require.Equal(t, []State{Queued, Running, Done},
			[]State{queued.Report().State, running.Report().State, finished.Report().State})

		for _, j := range []*Job{queued, running} {
			require.True(t, j.Cancel())
			result, err := j.Wait(t.Context())
			require.Equal(t, status.Cancelled, status.CodeOf(err))
			require.Nil(t, result, "no byte leaves with an error")
			require.Equal(t, Cancelled, j.Report().State)
			require.False(t, j.Cancel(), "the second time it says so")
		}
		require.Zero(t, ran.Load(), "a cancelled queued job never runs")
		require.False(t, finished.Cancel())
		result, err := finished.Result()
		require.NoError(t, err)
		require.Equal(t, "proof", string(result))
		require.Equal(t, map[State]uint64{Cancelled: 2, Done: 1}, table.Counts().Ended)
	})
}

// TestCancelledBeforeItsGoroutineRuns: the work is not even called.
func TestCancelledBeforeItsGoroutineRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	for range 200 {
		table := New(1)
		var called atomic.Bool
		j := newJob(table, 1, Request{Run: func(context.Context, *Attempt) ([]byte, error) { called.Store(true); return nil, nil }})
		j.Cancel()
		j.run()
		require.False(t, called.Load())
		_, err := j.Result()
		require.Equal(t, status.Cancelled, status.CodeOf(err))
	}
	cancel()
	j, err := New(1).Submit(ctx, Request{Run: untilStopped})
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	require.Equal(t, status.Cancelled, status.CodeOf(err), "the caller's context counts")
}

func TestDeadlineEndsTheJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		j := submit(t, New(1), Request{Deadline: began.Add(time.Minute), Run: untilStopped})
		_, err := j.Wait(t.Context())
		require.Equal(t, status.Deadline, status.CodeOf(err))
		require.Equal(t, time.Minute, time.Since(began))
	})
}

// TestIdempotencyKeys: such a key was once documented and ignored.
func TestIdempotencyKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := New(2)
		var runs atomic.Int64
		request := Request{Kind: "porep", Key: "sector-7", Digest: [32]byte{7}, Run: func(context.Context, *Attempt) ([]byte, error) {
			time.Sleep(time.Second)
			return []byte{byte(runs.Add(1))}, nil
		}}
		first := submit(t, table, request)
		var wg sync.WaitGroup
		for range 50 { // while it runs
			wg.Go(func() {
				j, err := table.Submit(context.Background(), request)
				if err != nil || j != first {
					t.Error("not the same job", err)
					return
				}
				if result, err := j.Wait(context.Background()); err != nil || string(result) != "\x01" {
					t.Error(result, err)
				}
			})
		}
		wg.Wait()
		again := submit(t, table, request) // when it is done
		require.Same(t, first, again)

		other := request
		other.Digest[0]++
		_, err := table.Submit(t.Context(), other)
		require.Equal(t, status.Conflict, status.CodeOf(err))
		require.ErrorContains(t, err, "sector-7")
		other = request
		other.Kind = "update"
		_, err = table.Submit(t.Context(), other)
		require.Equal(t, status.Conflict, status.CodeOf(err))
		require.EqualValues(t, 1, runs.Load())

		for range 2 { // push it out of the history
			_, err = submit(t, table, Request{Run: returns("", nil)}).Wait(t.Context())
			require.NoError(t, err)
		}
		require.NotSame(t, first, submit(t, table, request), "the history is bounded, and so is the memory of keys")
		require.NoError(t, table.Drain(t.Context()))
	})
}

func TestAcceptedAndEnded(t *testing.T) {
	table := New(10)
	var accepted, ended []string
	request := Request{Kind: "porep", Key: "k", Run: returns("", errors.New("broken")),
		Accepted: func() { accepted = append(accepted, "") },
		Ended:    func(r Report) { ended = append(ended, string(r.State)) }}
	hold := make(chan struct{})
	request.Run = func(context.Context, *Attempt) ([]byte, error) { <-hold; return nil, errors.New("broken") }
	j := submit(t, table, request)
	require.Same(t, j, submit(t, table, request))
	request.Digest[0]++
	_, err := table.Submit(t.Context(), request)
	require.Error(t, err)
	require.Len(t, accepted, 1, "once for the job, not for those who share or contradict it")
	close(hold)
	<-j.Done()
	require.Equal(t, []string{"failed"}, ended)
}

func TestKeyIsForgottenAfterFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := New(10)
		request := Request{Key: "k", Run: returns("", errors.New("broken"))}
		failed := submit(t, table, request)
		_, err := failed.Wait(t.Context())
		require.Error(t, err)

		request.Run = untilStopped
		cancelled := submit(t, table, request)
		require.NotSame(t, failed, cancelled)
		require.Same(t, cancelled, submit(t, table, request))
		cancelled.Cancel()
		request.Run = returns("fresh", nil)
		fresh := submit(t, table, request) // though the cancelled one may still be stopping
		result, err := fresh.Wait(t.Context())
		require.NoError(t, err)
		require.Equal(t, "fresh", string(result))
		synctest.Wait()
		require.Same(t, fresh, submit(t, table, request), "the late end of the cancelled one does not drop the key of the new one")
	})
}

// TestSharedJobLivesAsLongAsSomebodyWantsIt: one caller that goes away does not
// take the others' result with it.
func TestSharedJobLivesAsLongAsSomebodyWantsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := New(10)
		one, cancelOne := context.WithCancel(t.Context())
		two, cancelTwo := context.WithCancel(t.Context())
		defer cancelTwo()
		j, err := table.Submit(one, Request{Key: "k", Run: untilStopped})
		require.NoError(t, err)
		same, err := table.Submit(two, Request{Key: "k", Run: untilStopped})
		require.NoError(t, err)
		require.Same(t, j, same)
		cancelOne()
		synctest.Wait()
		require.Equal(t, Running, j.Report().State)
		cancelTwo()
		_, err = j.Wait(t.Context())
		require.Equal(t, status.Cancelled, status.CodeOf(err))
	})
}

// TestResultsAreNotShared: what one holder does to the bytes of a proof reaches
// no other.
func TestResultsAreNotShared(t *testing.T) {
	table := New(10)
	request := Request{Key: "k", Run: returns("proof", nil)}
	mine, err := submit(t, table, request).Wait(t.Context())
	require.NoError(t, err)
	clear(mine)
	theirs, err := submit(t, table, request).Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, "proof", string(theirs))
}

// TestNobodyJoinsAJobThatIsGivenUp: a submit that comes when the last holder has
// gone, but before the job knows, gets a job of its own.
func TestNobodyJoinsAJobThatIsGivenUp(t *testing.T) {
	table := New(10)
	request := Request{Key: "k", Run: untilStopped}
	table.mu.Lock() // keeps stop from going on
	j := newJob(table, 1, request)
	ctx, cancel := context.WithCancel(t.Context())
	require.True(t, j.hold(ctx))
	cancel()
	require.Eventually(t, func() bool {
		j.mu.Lock()
		defer j.mu.Unlock()
		return j.holders == 0
	}, time.Minute, time.Millisecond)
	require.False(t, j.hold(t.Context()))
	table.mu.Unlock()
	<-j.ctx.Done()
}

func TestPanicIsTheJobsError(t *testing.T) {
	table := New(10)
	j := submit(t, table, Request{Run: func(context.Context, *Attempt) ([]byte, error) { panic("in a room") }})
	_, err := j.Wait(t.Context())
	require.Equal(t, status.Panic, status.CodeOf(err))
	_, err = submit(t, table, Request{Run: returns("", nil)}).Wait(t.Context())
	require.NoError(t, err, "the table stays usable")
}

// TestLateDeliveriesAreForgotten: what a goroutine of a failed job reports after
// the job's end changes nothing.
func TestLateDeliveriesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := New(10)
		var late func()
		j := submit(t, table, Request{Run: func(_ context.Context, a *Attempt) ([]byte, error) {
			parts := a.Parts(2)
			a.Stage("prove", 2)
			slow, end := parts.Begin(0), a.Time("prove")
			late = func() {
				if err := slow.Deliver([]byte("old ")); status.CodeOf(err) != status.Cancelled {
					t.Errorf("delivered to an attempt that is over: %v", err)
				}
				a.Stage("late", 9)
				a.Step(100)
				a.Advance(1000, 1)
				a.Time("late")()
				end()
			}
			time.Sleep(time.Second)
			a.Step(1)
			return nil, errors.New("partition 1 failed")
		}})
		_, err := j.Wait(t.Context())
		require.ErrorContains(t, err, "partition 1 failed")
		before := j.Report()
		late()
		require.Equal(t, before, j.Report())
		require.Equal(t, Progress{"prove", 1, 2}, before.Progress)
		require.Equal(t, []StageTime{{"queued", 0, 0, 0}, {"prove", time.Second, time.Second, 0}}, before.Stages)
	})
}

func TestPartTriesReplaceEachOther(t *testing.T) {
	table := New(1)
	j := submit(t, table, Request{Run: func(_ context.Context, a *Attempt) ([]byte, error) {
		p := a.Parts(2)
		old, whole := p.Begin(0), p.Begin(1)
		if err := old.Deliver([]byte("wrong")); err != nil {
			return nil, err
		}
		if err := whole.Deliver([]byte("1")); err != nil {
			return nil, err
		}
		again := p.Begin(0) // verification failed: another device
		if _, err := p.Join(); status.CodeOf(err) != status.Internal {
			t.Errorf("joined without partition 0: %v", err)
		}
		if err := old.Deliver([]byte("wrong")); status.CodeOf(err) != status.Cancelled {
			t.Errorf("the old try delivered: %v", err)
		}
		if err := again.Deliver([]byte("0")); err != nil {
			return nil, err
		}
		if err := again.Deliver([]byte("0")); status.CodeOf(err) != status.Internal {
			t.Errorf("delivered twice: %v", err)
		}
		return p.Join()
	}})
	result, err := j.Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, "01", string(result))
}

// TestEndedJobsHoldNothing: the assembler of a failed job once stayed in a map
// for ever. Here neither input nor partitions survive the end, though the job is
// in the history.
func TestEndedJobsHoldNothing(t *testing.T) {
	table := New(10)
	input, parts := inputAndParts(t, table)
	for range 100 {
		runtime.GC()
		if input.Value() == nil && parts.Value() == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	require.Nil(t, input.Value(), "the input is still held")
	require.Nil(t, parts.Value(), "the partitions are still held")
	require.Len(t, table.Reports(), 1)
	require.Empty(t, table.live)
}

func inputAndParts(t *testing.T, table *Table) (weak.Pointer[[1 << 20]byte], weak.Pointer[Parts]) {
	big := new([1 << 20]byte)
	var parts weak.Pointer[Parts]
	j := submit(t, table, Request{Run: func(_ context.Context, a *Attempt) ([]byte, error) {
		p := a.Parts(10)
		parts = weak.Make(p)
		_ = p.Begin(3).Deliver(big[:100])
		return nil, errors.New("partition 4 failed")
	}})
	_, err := j.Wait(t.Context())
	require.Error(t, err)
	<-j.stopped
	return weak.Make(big), parts
}

// TestWallAndSumAreApart: the duration of a window once posed as a total.
func TestWallAndSumAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := submit(t, New(1), Request{Run: func(_ context.Context, a *Attempt) ([]byte, error) {
			a.Show("prove", 3)
			time.Sleep(time.Second) // not yet a piece of it
			var wg sync.WaitGroup
			for k := range 3 { // 0…10 s, 5…15 s, 30…40 s
				wg.Go(func() {
					time.Sleep([]time.Duration{0, 5, 30}[k] * time.Second)
					defer a.Time("prove")()
					time.Sleep(10 * time.Second)
				})
			}
			wg.Wait()
			return nil, nil
		}})
		_, err := j.Wait(t.Context())
		require.NoError(t, err)
		require.Equal(t, StageTime{"prove", 25 * time.Second, 30 * time.Second, 3}, j.Report().Stages[1])
	})
}

func TestReportAsJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := submit(t, New(1), Request{Kind: "porep", Key: "k", Run: func(_ context.Context, a *Attempt) ([]byte, error) {
			a.Stage("prove", 2)
			time.Sleep(1500 * time.Millisecond)
			a.Spent("ntt", 250*time.Millisecond)
			a.Spent("h", time.Second)
			a.Spent("ntt", 250*time.Millisecond)
			return nil, status.New(status.DeviceWrong, "device 0", "wrong result")
		}})
		<-j.Done()
		require.JSONEq(t, `{"id":1,"kind":"porep","key":"k","state":"failed","priority":"normal","attempts":1,"stage":"prove","done":0,"total":2,
			"wall_ms":1500,"overlap":1,"stages":[{"name":"queued","wall_ms":0,"sum_ms":0},{"name":"prove","wall_ms":1500,"sum_ms":1500}],
			"parts":[{"name":"ntt","wall_ms":500,"sum_ms":500},{"name":"h","wall_ms":1000,"sum_ms":1000}],
			"error":{"code":-42,"name":"device_wrong","message":"wrong result","detail":"device 0"}}`, string(j.Report().JSON()))
		running := submit(t, New(1), Request{Kind: "porep", Run: untilStopped})
		time.Sleep(time.Second)
		require.Contains(t, string(running.Report().JSON()), `"wall_ms":1000,"overlap":1,"stages":`)
		running.Cancel()
	})
}

func TestHistoryIsBounded(t *testing.T) {
	for _, history := range []int{0, 1, 3} {
		table := New(history)
		for range 5 {
			_, err := submit(t, table, Request{Run: returns("", nil)}).Wait(t.Context())
			require.NoError(t, err)
		}
		require.NoError(t, table.Drain(t.Context()))
		require.Len(t, table.Reports(), history)
		_, ok := table.Get(5)
		require.Equal(t, history > 0, ok)
		_, ok = table.Get(1)
		require.False(t, ok)
		require.EqualValues(t, 5, table.Counts().Ended[Done])
	}
}
