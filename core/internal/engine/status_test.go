package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"libcuzk/core/internal/engine/jobs"
	"libcuzk/core/internal/status"
)

func done(t *testing.T, e *Engine, s toyJob) *Job {
	t.Helper()
	j, err := s.submit(e, t.Context(), "porep")
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	require.NoError(t, err)
	return j
}

func TestTerms(t *testing.T) {
	e := toyEngine(t, Config{})
	s := toyOf(1, 1)
	s.terms = Terms{Key: "sector-7", Priority: "low"}
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

	s.terms = Terms{Priority: "urgent"}
	_, err = s.submit(e, t.Context(), "porep")
	require.Equal(t, status.Argument, status.CodeOf(err))
	s.terms = Terms{Deadline: time.Now().Add(-time.Second)}
	j, err := s.submit(e, t.Context(), "porep")
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	require.Equal(t, status.Deadline, status.CodeOf(err))
	require.NoError(t, drained(e))
	atBase(t, e)
}

func TestDigestSeparatesParts(t *testing.T) {
	a := request{kind: "porep", terms: Terms{Key: "k"}, input: [][]byte{{1, 2}, {3}}}
	b := request{kind: "porep", terms: Terms{Key: "k"}, input: [][]byte{{1}, {2, 3}}}
	require.NotEqual(t, a.digest(), b.digest())
	b.input = a.input
	require.Equal(t, a.digest(), b.digest())
	b.rest = 1
	require.NotEqual(t, a.digest(), b.digest())
}

func TestWaitingInputsAreBounded(t *testing.T) {
	e := toyEngine(t, Config{Budget: 8 << 20})
	free, err := (&task{}).hold(e.proves)
	require.NoError(t, err)
	s := toyOf(1, 1)
	s.input = make([]byte, 600<<10)
	j, err := s.submit(e, t.Context(), "porep")
	require.NoError(t, err)
	_, err = s.submit(e, t.Context(), "porep")
	require.Equal(t, status.Busy, status.CodeOf(err))
	require.True(t, err.(*status.Error).Retryable)
	s.input = make([]byte, 1<<20+1)
	_, err = s.submit(e, t.Context(), "porep")
	require.Equal(t, status.Budget, status.CodeOf(err))
	free()
	_, err = j.Wait(t.Context())
	require.NoError(t, err)
	require.Zero(t, backlog(e), "the input is given back with the end of its job")
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
	j, err := e.submit(t.Context(), request{kind: "porep"}, func(context.Context, *task) ([]byte, error) { return nil, status.New(status.InputSyntax, "", "bad") })
	require.NoError(t, err)
	<-j.Done()
	require.NoError(t, drained(e))

	s := e.Status()
	require.Equal(t, map[jobs.State]uint64{jobs.Done: 2, jobs.Failed: 1}, s.Jobs.Ended)
	require.Len(t, s.Params, 2)
	require.Equal(t, "mapped", s.Params[0].Tier.String())
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
