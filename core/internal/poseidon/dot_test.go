package poseidon

import (
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"
)

// Assembly against portable code for lengths around the chunk limit, random
// values mixed with 0, 1, the smallest and the largest limbs.
func TestDotTwins(t *testing.T) {
	rng, seed := newRand()
	top := fr.Element{0xffffffff00000000, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48}
	edge := []fr.Element{{}, fr.One(), {1}, top}
	draw := func(n int) []fr.Element {
		v := randoms(rng, n)
		for i := range v {
			if rng.IntN(3) == 0 {
				v[i] = edge[rng.IntN(len(edge))]
			}
		}
		return v
	}
	for n := range 40 {
		full := make([]fr.Element, n)
		for i := range full {
			full[i] = top
		}
		require.Equal(t, dotGeneric(full, full), dot(full, full), "n=%d largest limbs", n)
		for range 200 {
			a, b, x := draw(n), draw(n), draw(1)[0]
			require.Equal(t, dotGeneric(a, b), dot(a, b), "n=%d seed=%d", n, seed)
			want := append([]fr.Element{}, a...)
			mulAddGeneric(want, b, &x)
			mulAdd(a, b, &x)
			require.Equal(t, want, a, "n=%d seed=%d", n, seed)
		}
	}
}
