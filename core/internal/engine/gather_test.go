package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/gpu/fake"
)

// busyStream opens an engine to whose device the parameters of circuit 1 come in
// pieces, and which has another job under way that release ends.
func busyStream(t *testing.T, l *fake.Library, size int, most time.Duration) (e *Engine, release func()) {
	return busyDevice(t, l, Config{BatchSize: size, BatchWait: most, test: knobs{stayLimit: 1}})
}

// busyDevice opens an engine on one device, with a job of circuit 1 under way that
// release ends.
func busyDevice(t *testing.T, l *fake.Library, config Config) (e *Engine, release func()) {
	e = on(t, l, config, DeviceOptions{Names: []string{"0"}})
	done(t, e, toyOf(1, 1))
	reached, hold := make(chan struct{}), make(chan struct{})
	s := toyOf(1, 1)
	s.before = func(int) { close(reached); <-hold }
	end := later(t, e, s)
	<-reached
	return e, func() {
		close(hold)
		end()
	}
}

// later submits a job of circuit 1 and returns what waits for its end.
func later(t *testing.T, e *Engine, s toyJob) (end func()) {
	j, err := s.submit(e, t.Context(), "porep")
	require.NoError(t, err)
	return func() {
		_, err := j.Wait(t.Context())
		require.NoError(t, err)
	}
}

func started(t *testing.T, e *Engine, batches, jobs string) bool {
	return metric(t, e, "cuzk_batches_total "+batches) && metric(t, e, "cuzk_batched_jobs_total "+jobs)
}

// TestBatchIsFull: jobs whose parameters come in pieces wait for each other while
// the device is busy, until there are enough.
func TestBatchIsFull(t *testing.T) {
	e, release := busyStream(t, twin(t), 3, time.Hour)
	ends := []func(){later(t, e, toyOf(1, 1)), later(t, e, toyOf(1, 1))}
	time.Sleep(50 * time.Millisecond)
	require.True(t, started(t, e, "2", "2"), "both wait")
	ends = append(ends, later(t, e, toyOf(1, 1)))
	for _, end := range ends {
		end()
	}
	require.True(t, started(t, e, "3", "5"), "the three went together")
	release()
	require.NoError(t, drained(e))
	atBase(t, e)
}

// TestBatchOfWhatIsThere: time, or a device without work, ends the wait.
func TestBatchOfWhatIsThere(t *testing.T) {
	l := twin(t)
	e, release := busyStream(t, l, 3, 100*time.Millisecond)
	later(t, e, toyOf(1, 2))()
	require.True(t, started(t, e, "3", "3"), "time was up")
	release()

	e, release = busyStream(t, l, 3, time.Hour)
	ends := []func(){later(t, e, toyOf(1, 1)), later(t, e, toyOf(1, 1))}
	time.Sleep(50 * time.Millisecond)
	require.True(t, started(t, e, "2", "2"))
	release()
	for _, end := range ends {
		end()
	}
	require.True(t, started(t, e, "3", "4"), "the device had nothing to do")
}

// TestNothingToWaitFor: a job alone, a PoSt, and one whose parameters stay do not
// wait.
func TestNothingToWaitFor(t *testing.T) {
	l := twin(t)
	e, release := busyStream(t, l, 3, time.Hour)
	j, err := toyOf(1, 2).submit(e, t.Context(), filecoin.WindowPoSt.String())
	require.NoError(t, err)
	_, err = j.Wait(t.Context())
	require.NoError(t, err)
	release()
	later(t, e, toyOf(1, 1))()
	require.True(t, started(t, e, "4", "4"))

	e, release = busyDevice(t, l, Config{BatchSize: 3, BatchWait: time.Hour})
	later(t, e, toyOf(1, 1))()
	release()
	require.True(t, started(t, e, "3", "3"))
}
