package poseidon

import (
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"
)

// Assembly against portable code for lengths around the limit, random values
// mixed with 0, 1, the smallest and the largest limbs.
func TestMatVecTwins(t *testing.T) {
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
	compare := func(res, a, b []fr.Element, add bool) {
		want := append([]fr.Element{}, res...)
		matVecGeneric(want, a, b, add)
		matVec(res, a, b, add)
		require.Equal(t, want, res, "n=%d count=%d add=%v seed=%d", len(a), len(res), add, seed)
	}
	for n := range 20 {
		full := make([]fr.Element, n)
		for i := range full {
			full[i] = top
		}
		compare([]fr.Element{top}, full, full, false)
		compare([]fr.Element{top}, full, full, true)
		for range 100 {
			count := rng.IntN(5)
			a, b := draw(n), draw(n*count)
			compare(draw(count), a, b, false)
			compare(draw(count), a, b, true)
		}
	}
}
