package params

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/circuit"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
)

// BenchmarkEvaluate times the scalars of test parameters; CUZK_TEST_LONG=1 adds
// the large circuits of 32 GiB, which take about 12 GiB of memory.
func BenchmarkEvaluate(b *testing.B) {
	for _, x := range []struct {
		kind filecoin.Kind
		size uint64
		long bool
	}{
		{filecoin.WinningPoSt, 32 << 30, false},
		{filecoin.Update, 2048, false},
		{filecoin.PoRep, 8 << 20, false},
		{filecoin.Update, 32 << 30, true},
		{filecoin.WindowPoSt, 32 << 30, true},
		{filecoin.PoRep, 32 << 30, true},
	} {
		if x.long && os.Getenv("CUZK_TEST_LONG") == "" {
			continue
		}
		b.Run(fmt.Sprint(x.kind, " ", x.size), func(b *testing.B) {
			shape, err := filecoin.NewShape(x.kind, x.size)
			require.NoError(b, err)
			c := circuit.Compile(shape)
			for b.Loop() {
				_, err := Evaluate(b.Context(), c, ToxicFromLabel(GoldenLabel), runtime.NumCPU())
				require.NoError(b, err)
			}
			b.ReportMetric(float64(c.NumRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(c.NumRows), "rows")
		})
	}
}
