package curve

import (
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"github.com/stretchr/testify/require"
)

func TestNegateIf(t *testing.T) {
	rng := seeded(t)
	for range 2000 {
		var y fp.Element
		switch rng.IntN(4) {
		case 0:
		case 1:
			y = fp.Element{1}
		default:
			y.SetUint64(rng.Uint64())
			y.Mul(&y, &y)
		}
		kept, negated := y, y
		negateIfG1(&kept, false)
		negateIfG1(&negated, true)
		require.Equal(t, y, kept)
		require.Equal(t, *new(fp.Element).Neg(&y), negated)
		e := E2{A0: y, A1: kept}
		negateIfG2(&e, true)
		require.Equal(t, *new(E2).Neg(&E2{A0: y, A1: kept}), e)
	}
}
