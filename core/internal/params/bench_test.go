package params

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"libcuzk/core/internal/circuit"
	"libcuzk/core/internal/filecoin"
)

// BenchmarkEvaluate times the scalars of test parameters.
func BenchmarkEvaluate(b *testing.B) {
	for _, x := range []struct {
		kind filecoin.Kind
		size uint64
	}{{filecoin.WinningPoSt, 32 << 30}, {filecoin.Update, 2048}, {filecoin.PoRep, 8 << 20}} {
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
