package engine

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/engine/jobs"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// block is work that runs until its context ends.
func block(ctx context.Context, j *pipeline.Task) ([]byte, error) {
	j.Stage("block", 0)
	<-ctx.Done()
	return []byte("must not leave"), errors.New("some room's own words")
}

func quick(_ context.Context, j *pipeline.Task) ([]byte, error) {
	j.Stage("count", 3)
	j.Step(3)
	return []byte("result"), nil
}

func TestJobRunsAndReports(t *testing.T) {
	e := Open(Config{Threads: 1})
	j, err := e.submit(t.Context(), request{kind: "porep"}, quick)
	require.NoError(t, err)
	result, err := j.Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, "result", string(result))
	r := j.Report()
	require.Equal(t, jobs.Done, r.State)
	require.Equal(t, Progress{Stage: "count", Done: 3, Total: 3}, r.Progress)
	require.Equal(t, []string{"queued", "count"}, []string{r.Stages[0].Name, r.Stages[1].Name})
	require.NoError(t, e.Close())
}

func TestJobEndsAreTyped(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*Engine, *Job, context.CancelFunc)
		want status.Code
	}{
		"cancelled":        {func(_ *Engine, j *Job, _ context.CancelFunc) { j.Cancel() }, status.Cancelled},
		"caller cancelled": {func(_ *Engine, _ *Job, stop context.CancelFunc) { stop() }, status.Cancelled},
		"engine closed":    {func(e *Engine, _ *Job, _ context.CancelFunc) { _ = e.Close() }, status.Closed},
	} {
		e := Open(Config{Threads: 1})
		ctx, stop := context.WithCancel(t.Context())
		j, err := e.submit(ctx, request{kind: "porep"}, block)
		require.NoError(t, err)

		_, err = j.Result()
		require.Equal(t, status.Busy, status.CodeOf(err), name)
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_, err = j.Wait(short)
		cancel()
		require.Equal(t, status.Timeout, status.CodeOf(err), name)

		c.end(e, j, stop)
		result, err := j.Wait(t.Context())
		require.Equal(t, c.want, status.CodeOf(err), "%s: %v", name, err)
		require.Nil(t, result, "no byte leaves a failed job")
		require.Equal(t, jobs.Cancelled, j.Report().State)
		stop()
		require.NoError(t, e.Close())
	}
}

func TestDeadlineOfTheCaller(t *testing.T) {
	e := Open(Config{Threads: 1})
	ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	j, err := e.submit(ctx, request{kind: "porep"}, block)
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	require.Equal(t, status.Deadline, status.CodeOf(err))
}

func TestPanicFailsTheJobAlone(t *testing.T) {
	e := Open(Config{Threads: 1})
	j, err := e.submit(t.Context(), request{kind: "porep"}, func(context.Context, *pipeline.Task) ([]byte, error) {
		var nothing []int
		return nil, errors.New(string(rune(nothing[1])))
	})
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	require.Equal(t, status.Panic, status.CodeOf(err))

	j, err = e.submit(t.Context(), request{kind: "porep"}, quick)
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	require.NoError(t, err)
	require.NoError(t, e.Close())
	_, err = e.submit(t.Context(), request{kind: "porep"}, quick)
	require.Equal(t, status.Closed, status.CodeOf(err))
}

// TestCloseMeetsSubmit closes while many goroutines submit: every job that was
// accepted ends, and nothing is accepted afterwards.
func TestCloseMeetsSubmit(t *testing.T) {
	for range 20 {
		e := Open(Config{Threads: 1})
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for {
					j, err := e.submit(context.Background(), request{kind: "porep"}, block)
					if err != nil {
						return
					}
					if _, err = j.Wait(context.Background()); status.CodeOf(err) != status.Closed {
						t.Errorf("ended with %v", err)
					}
				}
			})
		}
		require.NoError(t, e.Close())
		wg.Wait()
		require.Empty(t, e.table.Counts().Now)
	}
}

// TestCloseGivesUpWhatDoesNotStop: waiters of a job that is deaf return, and who
// waits for room for an input; what the job uses stays until it has stopped.
func TestCloseGivesUpWhatDoesNotStop(t *testing.T) {
	e := Open(Config{Threads: 1, Budget: 16 << 20, MaxInput: 2 << 20, CloseWait: 50 * time.Millisecond})
	hold, begun := make(chan struct{}), make(chan struct{})
	deaf := func(context.Context, *pipeline.Task) ([]byte, error) { close(begun); <-hold; return nil, nil }
	input := [][]byte{make([]byte, 2<<20)}
	j, err := e.submit(t.Context(), request{kind: "porep", input: input}, deaf)
	require.NoError(t, err)
	<-begun
	errs := make(chan error, 2)
	var wg sync.WaitGroup
	wg.Go(func() { _, err := j.Wait(context.Background()); errs <- err })
	wg.Go(func() {
		_, err := e.submit(context.Background(), request{kind: "porep", input: input, options: JobOptions{Wait: true}}, quick)
		errs <- err
	})
	require.Eventually(t, func() bool { return e.memory.Status().Waiting == 1 }, 10*time.Second, time.Millisecond)
	require.Equal(t, status.Busy, status.CodeOf(e.Close()))
	wg.Wait()
	require.Equal(t, status.Closed, status.CodeOf(<-errs))
	require.Equal(t, status.Closed, status.CodeOf(<-errs))
	select {
	case <-j.Stopped():
		t.Error("it still runs")
	default:
	}
	close(hold)
	<-j.Stopped()
	require.NoError(t, e.Close())
}
