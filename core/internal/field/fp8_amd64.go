//go:build amd64 && !purego

package field

import (
	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
)

// Fp8 is eight base field elements for AVX-512 IFMA, one per lane, as 8 limbs of 52
// bits: limb j of lane l in [j][l].
//
// Numbers are normalised (every limb below 2^52, so that they are below 2^416) and not
// reduced. Multiplication divides by 2^416 where gnark-crypto's divides by 2^384; its
// result is below x·y/2^416 + 1.25p, thus below 1.3p for operands of up to 2^15·p.
type Fp8 [8][8]uint64

// Scratch is the working memory of the functions on points.
type Scratch [19]Fp8

// MulFp8 sets z[i] = x[i]·y[i]/2^416 for n ≥ 1 consecutive vectors, in order.
//
//go:noescape
func MulFp8(z, x, y *Fp8, n int)

// AddFp8 sets z[i] = x[i] + y[i] for n ≥ 1 consecutive vectors.
//
//go:noescape
func AddFp8(z, x, y *Fp8, n int)

// SubFp8 sets z[i] = x[i] − y[i] + 8p for n ≥ 1 consecutive vectors, y[i] below 8p.
//
//go:noescape
func SubFp8(z, x, y *Fp8, n int)

// MultiplyAdds performs 24 independent multiply-adds of eight lanes in each round: the
// ceiling of all products.
//
//go:noescape
func MultiplyAdds(rounds int)

// LoadPairFp8 sets lane l of z[i] to the stored words of e[l][i].
//
//go:noescape
func LoadPairFp8(z *[2]Fp8, e *[8]*[2]fp.Element)

// StorePairFp8 sets e[l][i] to lane l of x[i], which is below 7p and gets reduced.
//
//go:noescape
func StorePairFp8(e *[8]*[2]fp.Element, x *[2]Fp8)

// DenominatorsG1 starts 8·groups additions p ± q of points at addresses: it sets den[g]
// to x_q − x_p + p, except in the lanes that it reports in special[g], where x_p = x_q
// or one of them is zero. Those get the denominator 1. All denominators are below 2p.
//
//go:noescape
func DenominatorsG1(den *Fp8, p, q **bls.G1Affine, special *uint8, groups int, w *Scratch)

// PrefixesG1 sets prefix[g] to the product of den[0] … den[g], g < groups.
//
//go:noescape
func PrefixesG1(prefix, den *Fp8, groups int, w *Scratch)

// InversesG1 replaces the prefixes by the inverses of the denominators, given that of
// the last prefix, which it overwrites.
//
//go:noescape
func InversesG1(prefix, den, inverse *Fp8, groups int, w *Scratch)

// SumsG1 ends the additions: it sets *dst to p + q, or p − q in the lanes of negative[g],
// by slopes from the given inverses of the denominators. Elements count as κ times their value, κ = 2^−32, because they
// are stored times 2^384; the inverses must be those of κ·den times κ^(1/2).
//
//go:noescape
func SumsG1(dst, p, q **bls.G1Affine, negative *uint8, inverse *Fp8, groups int, w *Scratch)

// DenominatorsG2 is DenominatorsG1 in G2: of elements a0 + a1·u both vectors.
//
//go:noescape
func DenominatorsG2(den *Fp8, p, q **bls.G2Affine, special *uint8, groups int, w *Scratch)

// PrefixesG2 is PrefixesG1 in G2.
//
//go:noescape
func PrefixesG2(prefix, den *Fp8, groups int, w *Scratch)

// InversesG2 is InversesG1 in G2.
//
//go:noescape
func InversesG2(prefix, den, inverse *Fp8, groups int, w *Scratch)

// SumsG2 is SumsG1 in G2.
//
//go:noescape
func SumsG2(dst, p, q **bls.G2Affine, negative *uint8, inverse *Fp8, groups int, w *Scratch)

// DecodeG1 reads eight uncompressed points of 96 bytes, coordinates with their highest
// byte first. It returns the lanes whose point is not valid, which it sets to nothing
// useful: a coordinate is not below p (a flag makes it so, too) or, if check is not 0, the
// point is not on the curve.
//
//go:noescape
func DecodeG1(dst *[8]*bls.G1Affine, src *[8]*byte, check int, w *Scratch) (bad uint8)

// DecodeG2 is DecodeG1 in G2: 192 bytes, of each coordinate the part a1 first.
//
//go:noescape
func DecodeG2(dst *[8]*bls.G2Affine, src *[8]*byte, check int, w *Scratch) (bad uint8)
