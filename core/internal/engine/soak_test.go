package engine

import (
	"bytes"
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
	"github.com/libcuzk/libcuzk/core/internal/engine/timeline"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/golden/testparams"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

var soak = flag.Duration("soak", 3*time.Second, "how long TestSoak runs")

// fixed is blinding that depends on the partition alone.
func fixed(k int) (z groth16.Randomness, err error) {
	z.R.SetUint64(uint64(1000 + k))
	z.S.SetUint64(uint64(2000 + k))
	return z, nil
}

// TestSoak submits mixed toy jobs with random priorities, keys, deadlines and
// cancels: every proof is the same as the first of its kind, and memory,
// goroutines and file descriptors stay flat.
func TestSoak(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	e := toyEngine(t, Config{test: knobs{blinding: fixed}})
	want := map[int][]byte{}
	for kind := range 4 {
		want[kind] = first(t, e, kind)
	}
	goroutines, files, heap := footprint()
	var wg sync.WaitGroup
	var proofs, stopped atomic.Int64
	end := time.Now().Add(*soak)
	for g := range 8 {
		r := rand.New(rand.NewPCG(seed, uint64(g)))
		wg.Go(func() {
			for time.Now().Before(end) {
				kind := r.IntN(4)
				result, err := oneOfMany(e, r, kind)
				switch {
				case err == nil && bytes.Equal(result, want[kind]):
					proofs.Add(1)
				case err != nil && status.Stopped(err):
					stopped.Add(1)
				default:
					t.Errorf("%d bytes, %v", len(result), err)
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, drained(e))
	atBase(t, e)
	t.Logf("%d proofs, %d stopped; solve, prove and verify overlap %.2f-fold", proofs.Load(), stopped.Load(),
		timeline.Overlap(e.trace.Events(), "solve", "prove", "verify"))
	require.Eventually(t, func() bool {
		g, f, h := footprint()
		return g <= goroutines+2 && f <= files && h < heap+64<<20
	}, 10*time.Second, 10*time.Millisecond, "goroutines, file descriptors and memory return to where they were")
}

// first proves a kind of job once: 1 or 2 as circuit, 1 or 3 partitions.
func first(t *testing.T, e *Engine, kind int) []byte {
	j, err := ofKind(kind).submit(e, t.Context(), "porep")
	require.NoError(t, err)
	result, err := j.Wait(t.Context())
	require.NoError(t, err)
	return result
}

func ofKind(kind int) toyJob { return toyOf(uint64(1+kind%2), 1+2*(kind/2)) }

// oneOfMany submits a job with random terms, waits and sometimes cancels.
func oneOfMany(e *Engine, r *rand.Rand, kind int) ([]byte, error) {
	s := ofKind(kind)
	s.options.Priority = []string{"", "low", "normal", "high", "critical"}[r.IntN(5)]
	if r.IntN(3) == 0 {
		s.options.Key = string(rune('a' + kind))
	}
	if r.IntN(10) == 0 {
		s.options.Deadline = time.Now().Add(time.Duration(r.IntN(500)) * time.Millisecond)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	j, err := s.submit(e, ctx, "porep")
	if err != nil {
		return nil, err
	}
	if r.IntN(10) == 0 {
		time.Sleep(time.Duration(r.IntN(200)) * time.Millisecond)
		j.Cancel()
	}
	return j.Wait(context.Background())
}

// footprint counts goroutines, open file descriptors and bytes of live heap.
func footprint() (goroutines, files int, heap uint64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	entries, _ := os.ReadDir("/proc/self/fd")
	return runtime.NumGoroutine(), len(entries), m.HeapAlloc
}

// TestSameBytesEveryTime proves with fixed blinding many times in one process;
// 500 times in a soak.
func TestSameBytesEveryTime(t *testing.T) {
	n := 25
	if *soak >= time.Minute {
		n = 500
	}
	e := toyEngine(t, Config{test: knobs{blinding: fixed}})
	want := first(t, e, 0)
	for range n {
		require.Equal(t, want, first(t, e, 0))
	}
}

// TestSameBytesOfRealProofs does so with a 2 KiB WinningPoSt, in a soak.
func TestSameBytesOfRealProofs(t *testing.T) {
	if *soak < time.Minute {
		t.Skip("make soak")
	}
	made(t, filecoin.WinningPoSt)
	e := Open(Config{ParamsDir: testparams.Dir(t), Threads: runtime.NumCPU(), MaxInput: 1 << 30, History: 10, test: knobs{blinding: fixed}})
	defer func() { require.NoError(t, e.Close()) }()
	prove := golden(t, e, filecoin.WinningPoSt)
	want := prove()
	for range 25 {
		require.Equal(t, want, prove())
	}
}

// TestDamagedParameters: a page that changes under the mapping, and one that a
// new mapping finds damaged, give an error; with the file restored the engine
// proves on.
func TestDamagedParameters(t *testing.T) {
	e := toyEngine(t, Config{})
	done(t, e, toyOf(1, 1))
	path := e.store.Path(toyShape(1).ParamsName())
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	for _, hidden := range []bool{true, false} {
		for _, at := range []int{len(good) / 4, len(good) / 2, len(good) - 100} {
			file, err := os.OpenFile(path, os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = file.WriteAt([]byte{good[at] ^ 1}, int64(at))
			require.NoError(t, err)
			if hidden { // as a fault of the disk or of memory would be
				require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
			}
			j, err := toyOf(1, 1).submit(e, t.Context(), "porep")
			require.NoError(t, err)
			proof, err := j.Wait(t.Context())
			code := status.CodeOf(err)
			require.Contains(t, []status.Code{status.SRSPoint, status.ProofInvalid, status.Unsatisfied}, code, "%v", err)
			require.Nil(t, proof)
			_, err = file.WriteAt(good[at:at+1], int64(at))
			require.NoError(t, err)
			require.NoError(t, file.Close())
			require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
			done(t, e, toyOf(1, 1))
		}
	}
	require.NoError(t, drained(e))
	atBase(t, e)
}

// BenchmarkOverhead reports what the engine adds to a job of one partition
// beyond its solve, prove and verify stages.
func BenchmarkOverhead(b *testing.B) {
	e := toyEngine(b, Config{})
	var over time.Duration
	for b.Loop() {
		j, err := toyOf(1, 1).submit(e, b.Context(), "winning_post")
		require.NoError(b, err)
		_, err = j.Wait(b.Context())
		require.NoError(b, err)
		r := j.Report()
		over += r.Ended.Sub(r.Submitted)
		for _, s := range r.Stages {
			if s.Name == "solve" || s.Name == "prove" || s.Name == "verify" {
				over -= s.Wall
			}
		}
		require.Equal(b, jobs.Done, r.State)
	}
	b.ReportMetric(float64(over.Microseconds())/float64(b.N), "overhead-µs/op")
}
