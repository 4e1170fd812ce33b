package curve

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/field/fieldtest"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// seeded returns a generator of test values and prints how to repeat it.
func seeded(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("CUZK_TEST_SEED"); s != "" {
		fmt.Sscan(s, &seed)
	}
	t.Logf("CUZK_TEST_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func randomScalar(rng *rand.Rand) (k fr.Element) {
	k.SetBigInt(new(big.Int).SetBits([]big.Word{big.Word(rng.Uint64()), big.Word(rng.Uint64()), big.Word(rng.Uint64()), big.Word(rng.Uint64())}))
	return k
}

// mixedScalars are random ones between the values where digits turn around.
func mixedScalars(rng *rand.Rand, n int) []fr.Element {
	out := make([]fr.Element, n)
	for i := range out {
		switch rng.IntN(8) {
		case 0: // 0, ±1, ±2
			out[i].SetInt64(int64(rng.IntN(5)) - 2)
		case 1: // ±2^k
			out[i].SetBigInt(new(big.Int).Lsh(big.NewInt(1), uint(rng.IntN(255))))
			if rng.IntN(2) == 0 {
				out[i].Neg(&out[i])
			}
		case 2: // (r ± 1)/2
			half := new(big.Int).Rsh(fr.Modulus(), 1)
			out[i].SetBigInt(half.Add(half, big.NewInt(int64(rng.IntN(2)))))
		default:
			out[i] = randomScalar(rng)
		}
	}
	return out
}

// pointsG1 returns multiples of the generator with duplicates, negatives and
// the identity among them.
func pointsG1(rng *rand.Rand, n int) []G1Affine {
	g := GeneratorG1()
	out := make([]G1Affine, n)
	k := big.NewInt(0).SetUint64(rng.Uint64())
	var p G1Affine
	p.ScalarMultiplication(&g, k)
	for i := range out {
		switch c := rng.IntN(16); {
		case c == 0:
		case c == 1 && i > 0:
			out[i] = out[rng.IntN(i)]
		case c == 2 && i > 0:
			out[i].Neg(&out[rng.IntN(i)])
		default:
			p.Add(&p, &g)
			out[i] = p
		}
	}
	return out
}

func pointsG2(rng *rand.Rand, n int) []G2Affine {
	g := GeneratorG2()
	out := make([]G2Affine, n)
	var p G2Affine
	p.ScalarMultiplication(&g, big.NewInt(int64(rng.Uint32())+1))
	for i := range out {
		switch c := rng.IntN(16); {
		case c == 0:
		case c == 1 && i > 0:
			out[i] = out[rng.IntN(i)]
		case c == 2 && i > 0:
			out[i].Neg(&out[rng.IntN(i)])
		default:
			p.Add(&p, &g)
			out[i] = p
		}
	}
	return out
}

var sizes = []int{0, 1, 2, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 5000}

// addAll sets dst[i] = p[i] + q[i] with a batch adder of G1 or G2.
func addAll[P any](w interface {
	push(dst, p, q *P)
	flush()
}, dst, p, q []P) {
	for i := range dst {
		w.push(&dst[i], &p[i], &q[i])
	}
	w.flush()
}

func TestAddBatchComplete(t *testing.T) {
	rng := seeded(t)
	for _, n := range sizes {
		p, q := pointsG1(rng, n), pointsG1(rng, n)
		for i := range p { // q = p, −p or identity more often than by chance
			switch rng.IntN(4) {
			case 0:
				q[i] = p[i]
			case 1:
				q[i].Neg(&p[i])
			}
		}
		dst := make([]G1Affine, n)
		addAll(new(adderG1), dst, p, q)
		for i := range dst {
			var want G1Affine
			require.Equal(t, *want.Add(&p[i], &q[i]), dst[i])
		}
		p2, q2 := pointsG2(rng, n), pointsG2(rng, n)
		copy(q2, p2[:n/2])
		dst2 := make([]G2Affine, n)
		addAll(new(adderG2), dst2, p2, q2)
		for i := range dst2 {
			var want G2Affine
			require.Equal(t, *want.Add(&p2[i], &q2[i]), dst2[i])
		}
	}
}

func TestSumSelected(t *testing.T) {
	rng := seeded(t)
	for _, n := range append(sizes, 3*sumChunk+7) {
		p, p2 := pointsG1(rng, n), pointsG2(rng, min(n, 3000))
		bitmap := make([]uint64, (n+63)/64)
		var want, got G1Jac
		var want2 G2Jac
		for i := range bitmap {
			bitmap[i] = rng.Uint64() & rng.Uint64()
			if n%64 != 0 && i == len(bitmap)-1 {
				bitmap[i] &= 1<<(n%64) - 1
			}
		}
		for i := range p {
			if bitmap[i/64]>>(i%64)&1 == 1 {
				want.AddMixed(&p[i])
				if i < len(p2) {
					want2.AddMixed(&p2[i])
				}
			}
		}
		for _, workers := range []int{1, 3} {
			sum, err := SumSelectedG1(context.Background(), SliceG1(p), bitmap, workers)
			require.NoError(t, err)
			got.FromAffine(&sum)
			require.True(t, got.Equal(&want), "n=%d", n)
			// The bits beyond the last point of p2 are ignored.
			sum2, err := SumSelectedG2(context.Background(), SliceG2(p2), bitmap, workers)
			require.NoError(t, err)
			var got2 G2Jac
			got2.FromAffine(&sum2)
			require.True(t, got2.Equal(&want2), "n=%d", n)
		}
	}
}

func TestMSM(t *testing.T) {
	rng := seeded(t)
	for _, n := range append(sizes, 40000) {
		for name, scalars := range map[string][]fr.Element{
			"mixed":  mixedScalars(rng, n),
			"equal":  equalScalars(rng, n),
			"zeroes": make([]fr.Element, n),
		} {
			p := pointsG1(rng, n)
			var want G1Affine
			if n > 0 {
				_, err := want.MultiExp(p, scalars, ecc.MultiExpConfig{})
				require.NoError(t, err)
			}
			for _, workers := range []int{1, 2, 40} {
				got, err := MSMG1(context.Background(), SliceG1(p), scalars, workers)
				require.NoError(t, err)
				require.Equal(t, want, got, "%s n=%d workers=%d", name, n, workers)
			}
			if n > 5000 {
				continue
			}
			p2 := pointsG2(rng, n)
			var want2 G2Affine
			if n > 0 {
				_, err := want2.MultiExp(p2, scalars, ecc.MultiExpConfig{})
				require.NoError(t, err)
			}
			got2, err := MSMG2(context.Background(), SliceG2(p2), scalars, 2)
			require.NoError(t, err)
			require.Equal(t, want2, got2, "%s n=%d", name, n)
		}
	}
}

func equalScalars(rng *rand.Rand, n int) []fr.Element {
	out := make([]fr.Element, n)
	k := randomScalar(rng)
	for i := range out {
		out[i] = k
	}
	return out
}

// TestReduceBuckets covers the side-by-side summation of large bucket sets.
func TestReduceBuckets(t *testing.T) {
	rng := seeded(t)
	buckets := pointsG1(rng, 8*reduceSegments)
	weights := make([]fr.Element, len(buckets))
	for i := range weights {
		weights[i].SetUint64(uint64(i + 1))
	}
	var want, got G1Affine
	_, err := want.MultiExp(buckets, weights, ecc.MultiExpConfig{})
	require.NoError(t, err)
	sum := reduceBucketsG1(buckets, new(adderG1))
	require.Equal(t, want, *got.FromJacobian(&sum))
}

func TestDigits(t *testing.T) {
	rng := seeded(t)
	for width := 2; width <= 20; width++ {
		w := newWindows(width)
		for _, k := range mixedScalars(rng, 200) {
			r := w.recode(&k)
			var sum, term, shift fr.Element
			for i := w.count - 1; i >= 0; i-- {
				m, negative := w.digit(&r, i)
				require.LessOrEqual(t, m, w.buckets())
				shift.SetUint64(1 << width)
				sum.Mul(&sum, &shift)
				term.SetUint64(uint64(m))
				if negative {
					term.Neg(&term)
				}
				sum.Add(&sum, &term)
			}
			require.Equal(t, k, sum, "width %d", width)
		}
	}
}

func TestFixedBase(t *testing.T) {
	rng := seeded(t)
	g, g2 := GeneratorG1(), GeneratorG2()
	for _, tables := range []int{1, 3000, 1 << 17} {
		f, err := NewFixedG1(context.Background(), g, tables, 2)
		require.NoError(t, err)
		f2, err := NewFixedG2(context.Background(), g2, min(tables, 3000), 2)
		require.NoError(t, err)
		scalars := mixedScalars(rng, 1100)
		dst, dst2 := make([]G1Affine, len(scalars)), make([]G2Affine, len(scalars))
		require.NoError(t, f.Mul(context.Background(), dst, scalars, 2))
		require.NoError(t, f2.Mul(context.Background(), dst2, scalars, 2))
		for i := range scalars {
			var want G1Affine
			var want2 G2Affine
			var k big.Int
			require.Equal(t, *want.ScalarMultiplication(&g, scalars[i].BigInt(&k)), dst[i])
			require.Equal(t, *want2.ScalarMultiplication(&g2, &k), dst2[i])
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	rng := seeded(t)
	p, k := pointsG1(rng, 2000), mixedScalars(rng, 2000)
	_, err := MSMG1(ctx, SliceG1(p), k, 2)
	require.Equal(t, status.Cancelled, status.CodeOf(err))
	_, err = SumSelectedG1(ctx, SliceG1(p), []uint64{1}, 2)
	require.Equal(t, status.Cancelled, status.CodeOf(err))
	f, err := NewFixedG1(context.Background(), p[1], 1, 1)
	require.NoError(t, err)
	require.Equal(t, status.Cancelled, status.CodeOf(f.Mul(ctx, p, k, 2)))
}

// failing is a source that fails or panics, to see that nobody waits for it.
type failing struct {
	SliceG1
	fail func() error
}

func (f failing) Range(context.Context, []G1Affine, int) ([]G1Affine, error) { return nil, f.fail() }

func TestSourceFailure(t *testing.T) {
	rng := seeded(t)
	p, k := pointsG1(rng, 5000), mixedScalars(rng, 5000)
	for _, fail := range []func() error{
		func() error { return status.New(status.SRSPoint, "srs.h[1]", "bad") },
		func() error { panic("torn file") },
	} {
		_, err := MSMG1(context.Background(), failing{p, fail}, k, 3)
		require.Error(t, err)
		_, err = SumSelectedG1(context.Background(), failing{p, fail}, []uint64{1}, 3)
		require.Error(t, err)
	}
}

// eachLevel runs a benchmark on every level of vectors that the machine has.
func eachLevel(b *testing.B, run func(b *testing.B)) {
	for _, l := range fieldtest.Levels(b) {
		if !fieldtest.Emulated(l) {
			b.Run(l.String(), func(b *testing.B) {
				fieldtest.Use(b, l)
				run(b)
			})
		}
	}
}

func BenchmarkFieldMul(b *testing.B) {
	x, y := fp.NewElement(3), fp.NewElement(5)
	x.Inverse(&x)
	for b.Loop() {
		x.Mul(&x, &y)
	}
}

func BenchmarkAddG1(b *testing.B) { eachLevel(b, benchmarkAddG1) }

func benchmarkAddG1(b *testing.B) {
	p, w := pointsG1(seeded(b), batchSize), new(adderG1)
	for b.Loop() {
		for i := range p {
			w.push(&p[i], &p[i], &p[batchSize-1-i/2])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batchSize, "ns/add")
}

func BenchmarkAddG2(b *testing.B) { eachLevel(b, benchmarkAddG2) }

func benchmarkAddG2(b *testing.B) {
	p, w := pointsG2(seeded(b), batchSize), new(adderG2)
	for b.Loop() {
		for i := range p {
			w.push(&p[i], &p[i], &p[batchSize-1-i/2])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batchSize, "ns/add")
}

func BenchmarkMSM(b *testing.B) { eachLevel(b, benchmarkMSM) }

func benchmarkMSM(b *testing.B) {
	rng := seeded(b)
	for _, log := range []int{12, 16, 20} {
		f, err := NewFixedG1(context.Background(), GeneratorG1(), 1<<log, 2)
		require.NoError(b, err)
		p, k := make([]G1Affine, 1<<log), make([]fr.Element, 1<<log)
		for i := range k {
			k[i] = randomScalar(rng)
		}
		require.NoError(b, f.Mul(context.Background(), p, k, 2))
		b.Run(fmt.Sprintf("2^%d", log), func(b *testing.B) {
			for b.Loop() {
				_, err := MSMG1(context.Background(), SliceG1(p), k, runtime.NumCPU())
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkFixedG1(b *testing.B) { eachLevel(b, benchmarkFixedG1) }

func benchmarkFixedG1(b *testing.B) {
	rng := seeded(b)
	k := make([]fr.Element, 1<<17)
	for i := range k {
		k[i] = randomScalar(rng)
	}
	dst := make([]G1Affine, len(k))
	f, err := NewFixedG1(context.Background(), GeneratorG1(), 10<<20, 2)
	require.NoError(b, err)
	for b.Loop() {
		require.NoError(b, f.Mul(context.Background(), dst, k, 1))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(k)), "ns/point/core")
}
