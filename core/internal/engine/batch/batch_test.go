package batch

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

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// recorder runs batches that take a second and double their members.
type recorder struct {
	mu      sync.Mutex
	batches [][]int
	starts  []time.Duration
	began   time.Time
	running atomic.Int64
	most    int64
}

func (r *recorder) run(ctx context.Context, circuit string, members []int) []Outcome[int] {
	now := r.running.Add(1)
	defer r.running.Add(-1)
	r.mu.Lock()
	r.most = max(r.most, now)
	r.batches = append(r.batches, append([]int(nil), members...))
	r.starts = append(r.starts, time.Since(r.began))
	r.mu.Unlock()
	out := make([]Outcome[int], len(members))
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
	for i, m := range members {
		if out[i].Value = 2 * m; m < 0 {
			out[i] = Outcome[int]{Err: errors.New("negative")}
		}
	}
	return out
}

func newRecorder() *recorder { return &recorder{began: time.Now()} }

// do adds a job and checks its own result.
func do(t *testing.T, wg *sync.WaitGroup, c *Collector[int, int], circuit string, value int, waits bool) {
	wg.Go(func() {
		got, err := c.Do(context.Background(), circuit, value, func() bool { return waits })
		if value < 0 {
			if err == nil || err.Error() != "negative" {
				t.Errorf("%d: %v", value, err)
			}
		} else if err != nil || got != 2*value {
			t.Errorf("%d: got %d, %v", value, got, err)
		}
	})
	synctest.Wait()
}

var threeIn10s = Options{MaxSize: 3, MaxWait: 10 * time.Second}

func TestSingleDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		c := New(threeIn10s, r.run)
		var wg sync.WaitGroup
		do(t, &wg, c, "porep", 1, false)
		wg.Wait()
		require.Equal(t, time.Second, time.Since(r.began))
		alone := New(Options{MaxSize: 1, MaxWait: time.Hour}, r.run)
		do(t, &wg, alone, "porep", 1, true)
		wg.Wait()
		require.Equal(t, 2*time.Second, time.Since(r.began), "a batch of one is full")
	})
}

func TestFullBatchStartsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		c := New(threeIn10s, r.run)
		var wg sync.WaitGroup
		do(t, &wg, c, "porep", 1, true)
		time.Sleep(2 * time.Second)
		do(t, &wg, c, "porep", -2, true)
		do(t, &wg, c, "update", 7, true) // another circuit: another batch
		do(t, &wg, c, "porep", 3, true)
		wg.Wait()
		require.Equal(t, [][]int{{1, -2, 3}, {7}}, r.batches, "one failure is one member's")
		require.Equal(t, []time.Duration{2 * time.Second, 12 * time.Second}, r.starts)
	})
}

func TestTimeoutFlushesWhatIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		c := New(threeIn10s, r.run)
		var wg sync.WaitGroup
		do(t, &wg, c, "porep", 1, true)
		time.Sleep(9 * time.Second)
		do(t, &wg, c, "porep", 2, true)
		wg.Wait()
		require.Equal(t, [][]int{{1, 2}}, r.batches)
		require.Equal(t, []time.Duration{10 * time.Second}, r.starts, "counted from the first")
	})
}

func TestBatchesOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		c := New(threeIn10s, r.run)
		var wg sync.WaitGroup
		for i := range 7 {
			do(t, &wg, c, "porep", i, true)
			time.Sleep(100 * time.Millisecond)
		}
		wg.Wait()
		require.Equal(t, [][]int{{0, 1, 2}, {3, 4, 5}, {6}}, r.batches)
		require.EqualValues(t, 2, r.most, "the second started while the first ran")
		require.Equal(t, []time.Duration{200 * time.Millisecond, 500 * time.Millisecond, 10600 * time.Millisecond}, r.starts,
			"the timers of full batches do not flush later ones")
	})
}

func TestUrgentTakesTheOthersWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		c := New(threeIn10s, r.run)
		var wg sync.WaitGroup
		do(t, &wg, c, "porep", 1, true)
		do(t, &wg, c, "porep", 2, false)
		do(t, &wg, c, "porep", 3, true)
		c.Flush()
		c.Flush()
		wg.Wait()
		require.Equal(t, [][]int{{1, 2}, {3}}, r.batches)
		require.Equal(t, time.Second, time.Since(r.began))
	})
}

func TestLeaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		c := New(Options{MaxSize: 4, MaxWait: 10 * time.Second}, r.run)
		var wg sync.WaitGroup
		leave := func(value int, after time.Duration) {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), after)
				defer cancel()
				if _, err := c.Do(ctx, "porep", value, always); status.CodeOf(err) != status.Deadline {
					t.Errorf("%d: %v", value, err)
				}
			})
			synctest.Wait()
		}
		leave(1, 5*time.Second) // while collecting
		do(t, &wg, c, "porep", 2, true)
		leave(3, 10500*time.Millisecond) // while running
		time.Sleep(6 * time.Second)
		wg.Wait()
		require.Equal(t, [][]int{{2, 3}}, r.batches[:1], "who leaves in time makes room and is not computed")

		before := len(r.batches)
		leave(4, 5*time.Second)
		wg.Wait()
		time.Sleep(time.Minute)
		require.Len(t, r.batches, before, "an empty batch does not run")

		began := time.Now()
		for i := range 4 {
			leave(i, 500*time.Millisecond)
		}
		wg.Wait()
		require.NoError(t, c.Wait())
		require.Equal(t, 500*time.Millisecond, time.Since(began), "a batch that nobody wants stops")
	})
}

func TestFaultsReachEveryMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for want, run := range map[status.Code]func(context.Context, string, []int) []Outcome[int]{
			status.Panic:    func(context.Context, string, []int) []Outcome[int] { panic("in a kernel") },
			status.Internal: func(context.Context, string, []int) []Outcome[int] { return make([]Outcome[int], 2) },
		} {
			c := New(threeIn10s, run)
			var wg sync.WaitGroup
			for i := range 3 {
				wg.Go(func() {
					if _, err := c.Do(context.Background(), "porep", i, always); status.CodeOf(err) != want {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		}
	})
}

// TestPays: PoSt never waits, and others only where it can gain something.
func TestPays(t *testing.T) {
	require.True(t, Facts{}.Pays())
	for _, f := range []Facts{{PoSt: true}, {Loaded: true}, {Idle: true}, {true, true, true}} {
		require.False(t, f.Pays(), "%+v", f)
	}
}

// TestRandomBatches: whatever arrives, leaves and overlaps, everyone gets their
// own result, no batch is too big, and nobody waits longer than allowed.
func TestRandomBatches(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		c := New(threeIn10s, r.run)
		dice := rand.New(rand.NewPCG(seed, 0))
		var wg sync.WaitGroup
		for i := range 5000 {
			circuit, waits, limit := string(rune('a'+dice.IntN(3))), dice.IntN(5) > 0, time.Duration(dice.IntN(12_000))*time.Millisecond
			wg.Go(func() {
				began := time.Now()
				ctx, cancel := context.WithTimeout(context.Background(), limit)
				defer cancel()
				got, err := c.Do(ctx, circuit, i, func() bool { return waits })
				if took := time.Since(began); took > min(limit, threeIn10s.MaxWait+time.Second) {
					t.Errorf("took %v", took)
				}
				if err == nil && got != 2*i || err != nil && status.CodeOf(err) != status.Deadline {
					t.Errorf("%d: %d, %v", i, got, err)
				}
			})
			time.Sleep(time.Duration(dice.IntN(3000)) * time.Millisecond)
		}
		wg.Wait()
		require.NoError(t, c.Wait())
		require.Empty(t, c.open)
		for _, b := range r.batches {
			require.LessOrEqual(t, len(b), 3)
		}
	})
}

func always() bool { return true }
