//go:build amd64 && !purego

package field

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

// Fr4 is four scalars for AVX2, one per lane, as 10 limbs of 28 bits: limb j of
// lane l in [j][l]. Numbers are normalised (every limb but the last below 2^28)
// but reduced only by multiplications, whose results are below 1.1r, and by
// StoreFr4.
//
// Multiplication divides by 2^280. Data keep gnark-crypto's Montgomery form;
// factors have 2^280 in place of its 2^256.
type Fr4 [10][4]uint64

// LoadFr4 sets lane i of z to *ei.
//
//go:noescape
func LoadFr4(z *Fr4, e0, e1, e2, e3 *fr.Element)

// StoreFr4 sets *ei to lane i of x, fully reduced; x is below 2^12·r.
//
//go:noescape
func StoreFr4(e0, e1, e2, e3 *fr.Element, x *Fr4)

// MulFr4 sets z[i] = x[i]·y[i]/2^280 for n ≥ 1 consecutive vectors, in order.
//
//go:noescape
func MulFr4(z, x, y *Fr4, n int)

// SumDifferenceFr4 sets x[i], y[i] to x + y and x − y + 2^10·r for n ≥ 1 vectors;
// y is below 2^9·r.
//
//go:noescape
func SumDifferenceFr4(x, y *Fr4, n int)

// DIFFr4 sets x[i], y[i] to x + y and (x − y)·w[step·i] for n ≥ 1 vectors; y is below
// 2^9·r.
//
//go:noescape
func DIFFr4(x, y, w *Fr4, n, step int)

// DITFr4 sets x[i], y[i] to x + y·w and x − y·w + 2r, w = w[step·i], for n ≥ 1 vectors.
//
//go:noescape
func DITFr4(x, y, w *Fr4, n, step int)
