package groth16

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/libcuzk/libcuzk/core/internal/circuit"
	"github.com/libcuzk/libcuzk/core/internal/field"
	"github.com/libcuzk/libcuzk/core/internal/field/fieldtest"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/golden/testparams"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// BenchmarkProve proves one 2 KiB partition of each kind with a mapped SRS.
// The assignment is random: it satisfies nothing, but costs what a real one does.
// golden/proof_test.go holds the proofs to bellperson's bytes.
func BenchmarkProve(b *testing.B) {
	for _, kind := range []filecoin.Kind{filecoin.WindowPoSt, filecoin.WinningPoSt, filecoin.Update, filecoin.PoRep} {
		for _, level := range fieldtest.Levels(b) {
			if level == field.Portable || fieldtest.Emulated(level) {
				continue
			}
			b.Run(kind.String()+"/"+level.String(), func(b *testing.B) { benchmarkProve(b, kind, level) })
		}
	}
}

func benchmarkProve(b *testing.B, kind filecoin.Kind, level field.Level) {
	fieldtest.Use(b, level)
	started := time.Now()
	f, _, c := testparams.Open(b, kind)
	b.Logf("parameters and circuit: %v", time.Since(started))
	srs := f.SRS()
	p, err := New(c, NewPlan(c), srs.Key, f.Layout, NewCPU(srs, runtime.NumCPU()))
	require.NoError(b, err)
	w := randomWitness(b, c)
	var t Timings
	start, n := cpuSeconds(b), 0
	for b.Loop() {
		n++
		_, t, err = p.Prove(context.Background(), w, Randomness{})
		require.NoError(b, err)
	}
	b.ReportMetric((cpuSeconds(b)-start)/float64(n), "cpu-s/proof")
	b.Logf("%+v, total %v", t, t.Total())
}

// BenchmarkProveFirst proves one 32 GiB WinningPoSt with a file that was just opened, so
// that every point is checked, on each level of vectors that the machine has.
func BenchmarkProveFirst(b *testing.B) {
	shape, err := filecoin.NewShape(filecoin.WinningPoSt, 32*filecoin.GiB)
	require.NoError(b, err)
	c := circuit.Compile(shape)
	started := time.Now()
	path := testparams.Make(b, shape, c)
	b.Logf("parameters: %v", time.Since(started))
	w := randomWitness(b, c)
	for _, level := range fieldtest.Levels(b) {
		if level == field.Portable || fieldtest.Emulated(level) {
			continue
		}
		b.Run(level.String(), func(b *testing.B) {
			fieldtest.Use(b, level)
			var t Timings
			for b.Loop() {
				f, err := params.Open(context.Background(), path)
				require.NoError(b, err)
				srs := f.SRS()
				p, err := New(c, NewPlan(c), srs.Key, f.Layout, NewCPU(srs, runtime.NumCPU()))
				require.NoError(b, err)
				_, t, err = p.Prove(context.Background(), w, Randomness{})
				require.NoError(b, err)
				f.Close()
			}
			b.Logf("%+v, total %v", t, t.Total())
		})
	}
}

// randomWitness sets half of the bits and draws all scalars.
func randomWitness(t testing.TB, c *r1cs.Circuit) *r1cs.Witness {
	rng := seeded(t)
	w := &r1cs.Witness{
		Inputs:  randomVector(rng, c.NumInputs),
		Bits:    make([]uint64, (c.NumAux+63)/64),
		Scalars: randomVector(rng, c.NumScalars()),
	}
	for i, class := range c.BitMask() {
		w.Bits[i] = rng.Uint64() & class
	}
	return w
}

// cpuSeconds is the processor time of this process: unlike wall time it says
// something on a busy machine.
func cpuSeconds(t testing.TB) float64 {
	var r unix.Rusage
	require.NoError(t, unix.Getrusage(unix.RUSAGE_SELF, &r))
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}
