package ntt

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/field"
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

// mixed returns random elements with 0, 1 and r − 1 (as stored) among them.
func mixed(rng *rand.Rand, n int) []fr.Element {
	v := make([]fr.Element, n)
	largest := new(big.Int).Sub(fr.Modulus(), big.NewInt(1))
	for i := range v {
		switch rng.IntN(6) {
		case 0:
		case 1:
			v[i][0] = 1
		case 2:
			for k := range v[i] {
				v[i][k] = new(big.Int).Rsh(largest, uint(64*k)).Uint64()
			}
		default:
			v[i].SetBigInt(new(big.Int).SetBits([]big.Word{big.Word(rng.Uint64()), big.Word(rng.Uint64()), big.Word(rng.Uint64()), big.Word(rng.Uint64())}))
		}
	}
	return v
}

// TestAgreesWithPortable compares all lengths with gnark-crypto's transforms.
func TestAgreesWithPortable(t *testing.T) { fieldtest.Each(t, agreesWithPortable) }

func agreesWithPortable(t *testing.T, l field.Level) {
	if l == field.Portable {
		t.Skip("compared with itself")
	}
	rng := seeded(t)
	longest := 18
	if fieldtest.Emulated(l) {
		longest = 11
	}
	for log := 0; log <= longest; log++ {
		n := 1 << log
		mine, err := New(n, 1+rng.IntN(4))
		require.NoError(t, err)
		other := newPortable(n, 2)
		for _, shift := range []fr.Element{fr.One(), mixed(rng, 1)[0], fr.NewElement(7)} {
			v := mixed(rng, n)
			if rng.IntN(2) == 0 { // all equal and extreme
				for i := range v {
					v[i] = v[0]
				}
			}
			w := slices.Clone(v)
			require.NoError(t, mine.Inverse(context.Background(), v, &shift))
			require.NoError(t, other.Inverse(context.Background(), w, &shift))
			require.Equal(t, w, v, "inverse, n=%d", n)
			require.NoError(t, mine.Forward(context.Background(), v))
			require.NoError(t, other.Forward(context.Background(), w))
			require.Equal(t, w, v, "forward, n=%d", n)
		}
	}
}

// TestDefinition evaluates coefficients directly.
func TestDefinition(t *testing.T) { fieldtest.Each(t, definition) }

func definition(t *testing.T, _ field.Level) {
	rng := seeded(t)
	for _, n := range []int{1, 2, 8, 1 << 9} {
		tr, err := New(n, 2)
		require.NoError(t, err)
		coefficients := mixed(rng, n) // in bit-reversed order
		values := slices.Clone(coefficients)
		require.NoError(t, tr.Forward(context.Background(), values))
		root, err := Root(n)
		require.NoError(t, err)
		for i := 0; i < n; i += 1 + n/8 {
			x := power(&root, i)
			var sum fr.Element
			for j := n - 1; j >= 0; j-- {
				sum.Mul(&sum, &x)
				sum.Add(&sum, &coefficients[reverse(j, n)])
			}
			require.Equal(t, sum, values[i])
		}
		one := fr.One()
		require.NoError(t, tr.Inverse(context.Background(), values, &one))
		require.Equal(t, coefficients, values)
	}
}

func TestNewRejects(t *testing.T) {
	for _, n := range []int{0, -4, 3, 1 << 33} {
		_, err := New(n, 1)
		require.Equal(t, status.Unsupported, status.CodeOf(err), "n=%d", n)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	one := fr.One()
	for _, n := range []int{4, 1 << 12} {
		tr, err := New(n, 2)
		require.NoError(t, err)
		v := make([]fr.Element, n)
		require.ErrorIs(t, tr.Inverse(ctx, v, &one), context.Canceled)
		require.ErrorIs(t, tr.Forward(ctx, v), context.Canceled)
	}
}

func BenchmarkTransform(b *testing.B) {
	v := mixed(seeded(b), 1<<20)
	one := fr.One()
	for _, l := range fieldtest.Levels(b) {
		if fieldtest.Emulated(l) {
			continue
		}
		b.Run(fmt.Sprint(l), func(b *testing.B) {
			fieldtest.Use(b, l)
			tr, err := New(len(v), 1)
			require.NoError(b, err)
			for b.Loop() {
				require.NoError(b, tr.Inverse(context.Background(), v, &one))
				require.NoError(b, tr.Forward(context.Background(), v))
			}
		})
	}
}

func TestProducts(t *testing.T) {
	fieldtest.Each(t, func(t *testing.T, _ field.Level) {
		rng := seeded(t)
		for _, n := range []int{0, 1, 255, 256, 600, 1 << 10} {
			x, y, want := mixed(rng, n), mixed(rng, n), make([]fr.Element, n)
			for i := range want {
				want[i].Mul(&x[i], &y[i])
			}
			Products(x, x, y)
			require.Equal(t, want, x)
		}
	})
}
