package metrics

import (
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func text(t *testing.T, r *Registry) string {
	t.Helper()
	var b strings.Builder
	n, err := r.WriteTo(&b)
	require.NoError(t, err)
	require.EqualValues(t, b.Len(), n)
	return b.String()
}

func TestTextFormat(t *testing.T) {
	r := &Registry{}
	jobs := r.Counter("cuzk_jobs_total", "Jobs by kind\nand \\ end.", "kind", "end")
	r.Counter("cuzk_retries_total", "Partitions that were tried again.")
	memory := r.Gauge("cuzk_memory_bytes", "Memory in use.", "purpose")
	stages := r.Histogram("cuzk_stage_seconds", "Wall time.", []float64{0.5, 1, 2.5}, "stage")
	jobs.Add(2, "porep", "done")
	jobs.Add(1, "porep", "failed")
	jobs.Add(0.5, "porep", "done")
	memory.Set(1<<40, "srs")
	memory.Set(3, "a \"quoted\"\npurpose \\")
	for _, x := range []float64{0.5, 0.6, 2.5, 100} {
		stages.Observe(x, "prove")
	}
	require.Equal(t, `# HELP cuzk_jobs_total Jobs by kind\nand \\ end.
# TYPE cuzk_jobs_total counter
cuzk_jobs_total{kind="porep",end="done"} 2.5
cuzk_jobs_total{kind="porep",end="failed"} 1
# HELP cuzk_retries_total Partitions that were tried again.
# TYPE cuzk_retries_total counter
cuzk_retries_total 0
# HELP cuzk_memory_bytes Memory in use.
# TYPE cuzk_memory_bytes gauge
cuzk_memory_bytes{purpose="a \"quoted\"\npurpose \\"} 3
cuzk_memory_bytes{purpose="srs"} 1.099511627776e+12
# HELP cuzk_stage_seconds Wall time.
# TYPE cuzk_stage_seconds histogram
cuzk_stage_seconds_bucket{stage="prove",le="0.5"} 1
cuzk_stage_seconds_bucket{stage="prove",le="1"} 2
cuzk_stage_seconds_bucket{stage="prove",le="2.5"} 3
cuzk_stage_seconds_bucket{stage="prove",le="+Inf"} 4
cuzk_stage_seconds_sum{stage="prove"} 103.6
cuzk_stage_seconds_count{stage="prove"} 4
`, text(t, r))
	memory.Reset()
	require.NotContains(t, text(t, r), "purpose=")
}

func TestCountersNeverDecrease(t *testing.T) {
	r := &Registry{}
	c := r.Counter("c_total", "")
	c.Add(5)
	for _, n := range []float64{-3, math.NaN(), math.Inf(-1), 0} {
		c.Add(n)
		require.Contains(t, text(t, r), "c_total 5\n")
	}
	h := r.Histogram("h", "", []float64{1})
	h.Observe(math.NaN())
	h.Observe(math.Inf(1))
	require.Contains(t, text(t, r), "h_count 1\n")
	require.Contains(t, text(t, r), "h_sum +Inf\n")
}

func TestMistakesPanic(t *testing.T) {
	r := &Registry{}
	c := r.Counter("c_total", "", "kind")
	require.Panics(t, func() { r.Gauge("c_total", "") })
	require.Panics(t, func() { c.Add(1) })
	require.Panics(t, func() { c.Add(1, "a", "b") })
	for _, bad := range []string{"", "1a", "a-b", "a:b", "\u00e4"} {
		require.Panics(t, func() { r.Counter(bad, "") }, bad)
		require.Panics(t, func() { r.Counter("fine_total", "", bad) }, bad)
	}
	require.Panics(t, func() { r.Histogram("h", "", []float64{2, 1}) })
	require.Panics(t, func() { r.Histogram("h", "", nil) })
}

func TestConcurrentUse(t *testing.T) {
	r := &Registry{}
	c, h := r.Counter("c_total", "", "k"), r.Histogram("h", "", []float64{1})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 1000 {
				c.Add(1, string(rune('a'+i%3)))
				h.Observe(float64(i % 3))
				if i%100 == 0 {
					_ = text(t, r)
				}
			}
		})
	}
	wg.Wait()
	require.Contains(t, text(t, r), "h_count 8000\n")
	require.Contains(t, text(t, r), `c_total{k="a"} 2672`)
}
