//go:build amd64 && !purego

package ntt

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"golang.org/x/sys/cpu"
)

// vec is four scalars, one per lane, as 10 limbs of 28 bits. Numbers are
// normalised (every limb but the last below 2^28) but reduced only by
// multiplications, whose results are below 1.1r, and by vecStore.
//
// Multiplication divides by 2^280. Data keep gnark-crypto's Montgomery form;
// factors have 2^280 in place of its 2^256, see factor.
type vec [10][4]uint64

// vecLoad sets lane i of z to *ei.
//
//go:noescape
func vecLoad(z *vec, e0, e1, e2, e3 *fr.Element)

// vecStore sets *ei to lane i of x, fully reduced; x is below 2^12·r.
//
//go:noescape
func vecStore(e0, e1, e2, e3 *fr.Element, x *vec)

// vecMul sets z[i] = x[i]·y[i]/2^280 for n ≥ 1 consecutive vectors, in order.
//
//go:noescape
func vecMul(z, x, y *vec, n int)

// vecSumDifference sets x[i], y[i] to x + y and x − y + 2^10·r for n ≥ 1 vectors;
// y is below 2^9·r.
//
//go:noescape
func vecSumDifference(x, y *vec, n int)

// vecDIF sets x[i], y[i] to x + y and (x − y)·w[step·i] for n ≥ 1 vectors; y is below
// 2^9·r.
//
//go:noescape
func vecDIF(x, y, w *vec, n, step int)

// vecDIT sets x[i], y[i] to x + y·w and x − y·w + 2r, w = w[step·i], for n ≥ 1 vectors.
//
//go:noescape
func vecDIT(x, y, w *vec, n, step int)

var hasVector = cpu.X86.HasAVX2

// toFactor turns a scalar into one whose stored form is that of a factor.
var toFactor = fr.NewElement(1 << 24)

// factor returns a vector that vecMul multiplies by: e[i] in lane i.
func factor(e *[4]fr.Element) (v vec) {
	var f [4]fr.Element
	for i := range f {
		f[i].Mul(&e[i], &toFactor)
	}
	vecLoad(&v, &f[0], &f[1], &f[2], &f[3])
	return v
}

// same returns a factor with e in every lane.
func same(e fr.Element) vec { return factor(&[4]fr.Element{e, e, e, e}) }

// powers returns factors e^0 … e^(n−1).
func powers(e *fr.Element, n int) []vec {
	out := make([]vec, n)
	p := fr.One()
	for i := range out {
		out[i] = same(p)
		p.Mul(&p, e)
	}
	return out
}
