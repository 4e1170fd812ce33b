//go:build amd64 && !purego

package field

import (
	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
)

// Fp4 is four base field elements for AVX2, one per lane, as 14 limbs of 28 bits:
// limb j of lane l in [j][l].
//
// Numbers are normalised (every limb but the last below 2^28) unless said
// otherwise, and not reduced: products are below 1.2p. Multiplication divides by
// 2^392 where gnark-crypto's divides by 2^384.
type Fp4 [14][4]uint64

// LoadFp4 sets lane i of z to *ei.
//
//go:noescape
func LoadFp4(z *Fp4, e0, e1, e2, e3 *fp.Element)

// StoreFp4 sets *ei to lane i of x, fully reduced; x is below 4p.
//
//go:noescape
func StoreFp4(e0, e1, e2, e3 *fp.Element, x *Fp4)

// StoreWideFp4 is StoreFp4 for x below 8p.
//
//go:noescape
func StoreWideFp4(e0, e1, e2, e3 *fp.Element, x *Fp4)

// MulFp4 sets z[i] = x[i]·y[i]/2^392 for n ≥ 1 consecutive vectors, in order. The
// operands need not be normalised: the largest limbs of x and y may have a product
// of 2^60.
//
//go:noescape
func MulFp4(z, x, y *Fp4, n int)

// AddFp4 sets z = x + y, not normalised.
//
//go:noescape
func AddFp4(z, x, y *Fp4)

// Sub8Fp4 sets z = x − y + 8p, not normalised, for y below 8p.
//
//go:noescape
func Sub8Fp4(z, x, y *Fp4)

// Sub2WideFp4 sets z = x − y − w + 4p for y + w below 4p.
//
//go:noescape
func Sub2WideFp4(z, x, y, w *Fp4)

// SubFp4 sets z = x − y + 4p, not normalised, for y below 4p.
//
//go:noescape
func SubFp4(z, x, y *Fp4)

// Sub2Fp4 sets z = x − y − w + 2p for y + w below 2p.
//
//go:noescape
func Sub2Fp4(z, x, y, w *Fp4)

// Times16Fp4 sets z = 16·x.
//
//go:noescape
func Times16Fp4(z, x *Fp4)

// PrefetchG1 asks for a point to be brought into the cache.
//
//go:noescape
func PrefetchG1(p *bls.G1Affine)

// PrefetchG2 is PrefetchG1 for G2.
//
//go:noescape
func PrefetchG2(p *bls.G2Affine)
