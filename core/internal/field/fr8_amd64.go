//go:build amd64 && !purego

package field

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

// Fr8 is eight scalars for AVX-512 IFMA, one per lane, as 5 limbs of 52 bits: limb j of
// lane l in [j][l]. A number is normalised if every limb is from 0 to 2^52. Inside a
// transform it need not be: its limbs are signed, and it lies from −17r to 18r.
//
// Multiplication divides by 2^260. Data keep gnark-crypto's Montgomery form with 2^256;
// factors have 2^260 in its place.
type Fr8 [5][8]uint64

// FrFactor is one factor for all lanes: a normalised number below r.
type FrFactor [5]uint64

// MulFr8 sets z[i] = x[i]·y[i]/2^260 for n ≥ 1 consecutive vectors, in order. Operands
// and results are normalised; for y below 3r results are below 3r.
//
//go:noescape
func MulFr8(z, x, y *Fr8, n int)

// ScaleFr8 is MulFr8 with the same y for all.
//
//go:noescape
func ScaleFr8(z, x, y *Fr8, n int)

// TwistFr8 sets z[i] = x[i]·y[i]/2^260, from −r to 2r, for n ≥ 1 consecutive
// vectors inside a transform and normalised factors y below 3r.
//
//go:noescape
func TwistFr8(z, x, y *Fr8, n int)

// ButterfliesFr8 sets x, y to x + y·w and x − y·w, inside a transform, in consecutive
// blocks of half vectors x and half vectors y. The factor w advances by inner bytes
// after each vector and by outer bytes after a block. Numbers move by less than 2r.
//
//go:noescape
func ButterfliesFr8(x *Fr8, w *FrFactor, half, blocks, inner, outer int)

// SumDifferenceFr8 sets x, y to x + y and x − y in consecutive blocks of half vectors x
// and half vectors y.
//
//go:noescape
func SumDifferenceFr8(x *Fr8, half, blocks int)

// LoadFr8 sets lane l of z[i] to the element i·stride bytes after e[l], for n rows i.
//
//go:noescape
func LoadFr8(z *Fr8, e *[8]*fr.Element, stride, rows int)

// StoreFr8 reduces numbers inside a transform and writes them where LoadFr8 reads.
//
//go:noescape
func StoreFr8(e *[8]*fr.Element, x *Fr8, stride, rows int)
