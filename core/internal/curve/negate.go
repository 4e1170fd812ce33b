package curve

import (
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
)

// baseModulus is p, the lowest word first.
var baseModulus = [fp.Limbs]uint64{
	0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624, 0x64774b84f38512bf, 0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a,
}

// negateIfG1 negates y if negate is set, without a branch.
func negateIfG1(y *fp.Element, negate bool) {
	var mask uint64
	if negate {
		mask = ^uint64(0)
	}
	if *y == (fp.Element{}) {
		return
	}
	var borrow uint64
	for i := range y {
		var d uint64
		d, borrow = bits.Sub64(baseModulus[i], y[i], borrow)
		y[i] ^= (y[i] ^ d) & mask
	}
}

// negateIfG2 is negateIfG1 in the quadratic extension.
func negateIfG2(y *E2, negate bool) {
	negateIfG1(&y.A0, negate)
	negateIfG1(&y.A1, negate)
}
