package cuzk

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/golden/testparams"
)

// TestCancelInALongPartition stops a PoRep in the midst of its one partition: it
// ends within 5 s, says so the second time, and gives its memory back.
func TestCancelInALongPartition(t *testing.T) {
	testparams.Open(t, filecoin.PoRep)
	e, err := Open(Options{ParamsDir: testparams.Dir(t), Backend: CPU})
	require.NoError(t, err)
	defer e.Close()
	r, _ := porepCase(t, "2k-v1_1/c1-0.json", "2k-v1_1/sector-0.json")
	var before uint64
	for _, job := range []JobOptions{{}, {Key: "again"}} { // what stays is made by the first
		r.Job = job
		j, err := e.Submit(t.Context(), r)
		require.NoError(t, err)
		size, err := j.Size(t.Context())
		require.NoError(t, err)
		require.Equal(t, 192, size)
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_, err = j.Wait(short)
		cancel()
		require.Equal(t, Timeout, CodeOf(err), "a timeout leaves the job running")
		require.Eventually(t, func() bool { return j.Report().Progress.Stage == "prove" }, time.Minute, 10*time.Millisecond)
		time.Sleep(time.Second)
		require.Contains(t, purposes(e), "partition")

		stopped := time.Now()
		require.True(t, j.Cancel())
		proof, err := j.Wait(t.Context())
		require.Equal(t, Cancelled, CodeOf(err))
		require.Nil(t, proof)
		require.False(t, j.Cancel(), "it had ended before")
		require.Eventually(t, func() bool { return len(purposes(e)) == 0 }, 5*time.Second-time.Since(stopped), time.Millisecond)
		if before == 0 {
			before = heapBytes()
		}
	}
	require.Less(t, heapBytes(), before+32<<20)
}

// purposes are what the engine's memory is used for.
func purposes(e *Engine) (names []string) {
	for _, u := range e.Status().Memory.Used {
		if u.Host+u.Pinned+u.Backlog > 0 {
			names = append(names, u.Purpose)
		}
	}
	return slices.Compact(names)
}

func heapBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
