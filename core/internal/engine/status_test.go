package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

func done(t *testing.T, e *Engine, s toyJob) *Job {
	t.Helper()
	j, err := s.submit(e, t.Context(), "porep")
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	require.NoError(t, err)
	return j
}

func TestJobOptions(t *testing.T) {
	e := toyEngine(t, Config{})
	s := toyOf(1, 1)
	s.options = JobOptions{Key: "sector-7", Priority: "low"}
	s.input = []byte("input")
	first := done(t, e, s)
	require.Equal(t, "low", first.Report().Priority.String())
	require.Same(t, first, done(t, e, s), "same key, same input: one execution")
	s.input = []byte("other")
	_, err := s.submit(e, t.Context(), "porep")
	require.Equal(t, status.Conflict, status.CodeOf(err))
	s.input, s.parts = []byte("input"), 2
	_, err = s.submit(e, t.Context(), "porep")
	require.Equal(t, status.Conflict, status.CodeOf(err))

	s.options = JobOptions{Priority: "urgent"}
	_, err = s.submit(e, t.Context(), "porep")
	require.Equal(t, status.Argument, status.CodeOf(err))
	s.options = JobOptions{Deadline: time.Now().Add(-time.Second)}
	j, err := s.submit(e, t.Context(), "porep")
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	require.Equal(t, status.Deadline, status.CodeOf(err))
	require.NoError(t, drained(e))
	atBase(t, e)
}

func TestDigestSeparatesParts(t *testing.T) {
	a := request{kind: "porep", options: JobOptions{Key: "k"}, input: [][]byte{{1, 2}, {3}}}
	b := request{kind: "porep", options: JobOptions{Key: "k"}, input: [][]byte{{1}, {2, 3}}}
	require.NotEqual(t, a.digest(), b.digest())
	b.input = a.input
	require.Equal(t, a.digest(), b.digest())
	b.rest = 1
	require.NotEqual(t, a.digest(), b.digest())
}

func TestWaitingInputsAreBounded(t *testing.T) {
	e := toyEngine(t, Config{Budget: 8 << 20, MaxInput: 2 << 20})
	require.EqualValues(t, 2<<20, e.memory.Status().Limits.Backlog, "the largest input fits")
	free, err := holdCPU(e)
	require.NoError(t, err)
	s := toyOf(1, 1)
	s.input = make([]byte, 1200<<10)
	s.options.Key = "first"
	j, err := s.submit(e, t.Context(), "porep")
	require.NoError(t, err)
	again, err := s.submit(e, t.Context(), "porep")
	require.NoError(t, err, "who joins a job needs no room")
	require.Same(t, j, again)
	s.options.Key = ""
	_, err = s.submit(e, t.Context(), "porep")
	require.Equal(t, status.Busy, status.CodeOf(err))
	require.True(t, err.(*status.Error).Retryable)
	s.input = make([]byte, 2<<20+1)
	_, err = s.submit(e, t.Context(), "porep")
	require.Equal(t, status.InputValue, status.CodeOf(err))
	free()
	_, err = j.Wait(t.Context())
	require.NoError(t, err)
	require.Zero(t, backlog(e), "the input is given back with the end of its job")

	small := toyEngine(t, Config{Budget: 2 << 20, MaxInput: 2 << 20})
	s.input = make([]byte, 1<<20+1)
	for _, s.options.Wait = range []bool{false, true} {
		_, err = s.submit(small, t.Context(), "porep")
		require.Equal(t, status.Budget, status.CodeOf(err), "not beyond half of the budget, and no waiting for it")
	}
}

// TestBlockingCallersWaitForRoom: the most urgent first, however many come; each
// gets in when one is out.
func TestBlockingCallersWaitForRoom(t *testing.T) {
	e := toyEngine(t, Config{Budget: 8 << 20, MaxInput: 1 << 20})
	free, err := holdCPU(e)
	require.NoError(t, err)
	s := toyOf(1, 1)
	s.input = make([]byte, 800<<10)
	first, err := s.submit(e, t.Context(), "porep")
	require.NoError(t, err)
	s.options.Wait = true

	gone, stop := context.WithCancel(t.Context())
	errs := make(chan error, 2)
	late := s
	late.options.Deadline = time.Now().Add(50 * time.Millisecond)
	var wg sync.WaitGroup
	wg.Go(func() { _, err := s.submit(e, gone, "porep"); errs <- err })
	wg.Go(func() { _, err := late.submit(e, t.Context(), "porep"); errs <- err })
	require.Equal(t, status.Deadline, status.CodeOf(<-errs))
	stop()
	require.Equal(t, status.Cancelled, status.CodeOf(<-errs))

	order := make(chan string, 4)
	for i, priority := range []string{"low", "critical", "normal", "high"} {
		mine := s
		mine.options.Priority = priority
		wg.Go(func() {
			j, err := mine.submit(e, t.Context(), "porep")
			order <- priority
			if err == nil {
				_, err = j.Wait(t.Context())
			}
			if err != nil {
				t.Error(err)
			}
		})
		require.Eventually(t, func() bool { return e.memory.Status().Waiting == i+1 }, 10*time.Second, time.Millisecond)
	}
	free()
	_, err = first.Wait(t.Context())
	require.NoError(t, err)
	for _, want := range []string{"critical", "high", "normal", "low"} {
		require.Equal(t, want, <-order)
	}
	wg.Wait()
	require.NoError(t, drained(e))
	require.Zero(t, backlog(e))
	atBase(t, e)

	// Closing wakes who waits.
	free, err = holdCPU(e)
	require.NoError(t, err)
	defer free()
	s.options.Wait = false
	_, err = s.submit(e, t.Context(), "porep")
	require.NoError(t, err)
	s.options.Wait = true
	wg.Go(func() { _, err := s.submit(e, context.Background(), "porep"); errs <- err })
	require.Eventually(t, func() bool { return e.memory.Status().Waiting == 1 }, 10*time.Second, time.Millisecond)
	require.NoError(t, e.Close())
	require.Equal(t, status.Closed, status.CodeOf(<-errs))
}

// TestSizeIsKnownBeforeProving, so that a short buffer is its owner's failure and
// not the job's, which others may wait for.
func TestSizeIsKnownBeforeProving(t *testing.T) {
	e := toyEngine(t, Config{})
	free, err := holdCPU(e)
	require.NoError(t, err)
	j, err := toyOf(1, 3).submit(e, t.Context(), "porep")
	require.NoError(t, err)
	size, err := j.Size(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3*verify.ProofSize, size)
	j.Cancel()
	<-j.Done()
	free()
	size, err = j.Size(t.Context())
	require.NoError(t, err, "whatever became of it")
	require.Equal(t, 3*verify.ProofSize, size)
	size, err = done(t, e, toyOf(1, 2)).Size(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2*verify.ProofSize, size)

	bad, err := e.submit(t.Context(), request{kind: "porep"}, func(context.Context, *pipeline.Task) ([]byte, error) {
		return nil, status.New(status.InputSyntax, "", "bad")
	})
	require.NoError(t, err)
	_, err = bad.Size(t.Context())
	require.Equal(t, status.InputSyntax, status.CodeOf(err))
	blocked, err := e.submit(t.Context(), request{kind: "porep"}, block)
	require.NoError(t, err)
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = blocked.Size(short)
	require.Equal(t, status.Timeout, status.CodeOf(err))
	plain, err := e.submit(t.Context(), request{kind: "load"}, quick)
	require.NoError(t, err)
	size, err = plain.Size(t.Context())
	require.NoError(t, err)
	require.Equal(t, len("result"), size)
}

func backlog(e *Engine) (n int64) {
	for _, u := range e.memory.Status().Used {
		n += u.Backlog
	}
	return n
}

func TestStatusMetricsAndTrace(t *testing.T) {
	e := toyEngine(t, Config{})
	done(t, e, toyOf(1, 2))
	done(t, e, toyOf(2, 1))
	j, err := e.submit(t.Context(), request{kind: "porep"}, func(context.Context, *pipeline.Task) ([]byte, error) {
		return nil, status.New(status.InputSyntax, "", "bad")
	})
	require.NoError(t, err)
	<-j.Done()
	require.NoError(t, drained(e))

	s := e.Status()
	require.Equal(t, map[jobs.State]uint64{jobs.Done: 2, jobs.Failed: 1}, s.Jobs.Ended)
	require.Len(t, s.Params, 2)
	require.Equal(t, "mapped", s.Params[0].Tier.String())
	require.GreaterOrEqual(t, s.Overlap, 1.0)
	require.Positive(t, s.Params[0].File.Size, "a size was once shown as 0")
	var view struct {
		Params []struct {
			FileBytes int64 `json:"file_bytes"`
			Copies    []struct{ Bytes, Refs int64 }
		}
		Memory struct{ Limits map[string]any }
		Queues []struct {
			Name    string
			Waiting map[string]int
		}
	}
	require.NoError(t, json.Unmarshal(s.JSON(), &view))
	require.Equal(t, view.Params[0].FileBytes, view.Params[0].Copies[0].Bytes)
	require.Equal(t, map[string]int{"critical": 0, "high": 0, "normal": 0, "low": 0}, view.Queues[1].Waiting)

	var text strings.Builder
	require.NoError(t, e.WriteMetrics(&text))
	for _, line := range []string{
		`cuzk_jobs_total{kind="porep",state="done"} 2`,
		`cuzk_jobs_total{kind="porep",state="failed"} 1`,
		`cuzk_job_seconds_count{kind="porep"} 2`,
		`cuzk_partition_retries_total 0`,
		`cuzk_jobs{state="running"} 0`,
		`cuzk_waiting_partitions{queue="prove",priority="critical"} 0`,
	} {
		require.Contains(t, text.String(), line+"\n")
	}
	require.Contains(t, text.String(), `cuzk_stage_wall_seconds_total{kind="porep",stage="prove"} `)

	var trace bytes.Buffer
	require.NoError(t, e.WriteTrace(&trace))
	require.True(t, json.Valid(trace.Bytes()))
	require.Equal(t, 3, strings.Count(trace.String(), `"name":"prove","ph":"X"`))
	reports := e.Jobs()
	idle := e.Idle(reports[0].Submitted, reports[1].Ended)
	require.Positive(t, idle.Busy)
	require.LessOrEqual(t, idle.Busy+idle.Wanted, idle.Window)
	got, ok := e.Job(reports[0].ID)
	require.True(t, ok)
	require.Equal(t, reports[0].ID, got.ID)
}

// TestWaitingJobsAreBounded: beyond the number of jobs that may wait, submit answers
// busy and says which limit was met; a place is free again when a job has ended.
func TestWaitingJobsAreBounded(t *testing.T) {
	e := toyEngine(t, Config{MaxWaiting: 2})
	stop := make(chan struct{})
	waits := func(context.Context, *pipeline.Task) ([]byte, error) { <-stop; return nil, nil }
	var all []*Job
	for range 2 {
		j, err := e.submit(t.Context(), request{kind: "porep"}, waits)
		require.NoError(t, err)
		all = append(all, j)
	}
	_, err := e.submit(t.Context(), request{kind: "porep"}, waits)
	require.Equal(t, status.Busy, status.CodeOf(err))
	close(stop)
	for _, j := range all {
		<-j.Stopped()
	}
	j, err := e.submit(t.Context(), request{kind: "porep"}, waits)
	require.NoError(t, err)
	<-j.Done()
}

// TestWaitingJobsCostWhatTheyAreChargedFor: what thousands of waiting jobs hold is no
// more than is reserved for them.
func TestWaitingJobsCostWhatTheyAreChargedFor(t *testing.T) {
	e := toyEngine(t, Config{})
	stop := make(chan struct{})
	defer close(stop)
	const n = 4000
	before := heapAndStacks()
	for range n {
		_, err := e.submit(t.Context(), request{kind: "porep"}, func(context.Context, *pipeline.Task) ([]byte, error) { <-stop; return nil, nil })
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return runtime.NumGoroutine() > n }, 10*time.Second, time.Millisecond)
	grown := heapAndStacks() - before
	t.Logf("%d bytes a job, charged %d", grown/n, jobBytes)
	require.Less(t, grown/n, int64(jobBytes))
	require.EqualValues(t, n*jobBytes, backlog(e))
}

func heapAndStacks() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// TestSmallMemoryLeavesRoomToProve: where memory is short, what is kept for inputs
// yields to what proves, and errors name what limits it.
func TestSmallMemoryLeavesRoomToProve(t *testing.T) {
	l := limits(810<<20, "sys/fs/cgroup/memory.max", Config{MaxInput: 1 << 30}, nil)
	require.Greater(t, l.Host, int64(525<<20), "a 2 KiB PoRep fits")
	require.Greater(t, l.Backlog, int64(64<<20))
	l = limits(64<<30, "x", Config{MaxInput: 10 << 30}, nil)
	require.EqualValues(t, 10<<30, l.Backlog, "with enough memory the largest input fits")
	e := toyEngine(t, Config{Budget: 1 << 16})
	_, err := outcome(t, e, toyOf(1, 1))
	require.Equal(t, status.Budget, status.CodeOf(err))
	require.ErrorContains(t, err, "limited by memory_budget (65536 bytes, of which")
}

// outcome runs a job and returns its result.
func outcome(t *testing.T, e *Engine, s toyJob) ([]byte, error) {
	j, err := s.submit(e, t.Context(), "porep")
	require.NoError(t, err)
	return j.Wait(t.Context())
}

// TestScrapesAtOnceLoseNothing: two readers of the metrics at the same time both get
// every series.
func TestScrapesAtOnceLoseNothing(t *testing.T) {
	e := toyEngine(t, Config{})
	done(t, e, toyOf(1, 1))
	names := func() []string {
		var text strings.Builder
		if err := e.WriteMetrics(&text); err != nil {
			t.Error(err)
		}
		var out []string
		for line := range strings.Lines(text.String()) {
			if !strings.HasPrefix(line, "#") {
				out = append(out, line[:strings.LastIndexByte(line, ' ')])
			}
		}
		return out
	}
	want := names()
	require.Contains(t, want, `cuzk_waiting_partitions{queue="prove",priority="critical"}`)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				if got := names(); !slices.Equal(want, got) {
					t.Errorf("%d series instead of %d", len(got), len(want))
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestPreloadAndEvict(t *testing.T) {
	e := toyEngine(t, Config{})
	_, err := e.Evict("porep", 7)
	require.Equal(t, status.Unsupported, status.CodeOf(err))
	require.Error(t, e.Preload(t.Context(), "sealing", 2048, nil))
	require.Equal(t, status.SRSMissing, status.CodeOf(e.Preload(t.Context(), "porep", 2048, nil)))

	reached, hold := make(chan struct{}), make(chan struct{})
	s := toyOf(1, 1)
	s.before = func(int) { close(reached); <-hold }
	j, err := s.submit(e, t.Context(), "porep")
	require.NoError(t, err)
	<-reached
	_, err = e.Evict("", 0)
	require.Equal(t, status.Busy, status.CodeOf(err))
	close(hold)
	_, err = j.Wait(t.Context())
	require.NoError(t, err)
	require.NoError(t, drained(e))
	_, err = e.Evict("", 0)
	require.NoError(t, err)
	require.Empty(t, e.Status().Params[0].Copies)
	done(t, e, toyOf(1, 1)) // and it comes back on demand
}
