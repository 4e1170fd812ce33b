//go:build amd64 && !purego

package ntt

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/field"
)

// Data keep gnark-crypto's Montgomery form with 2^256; factors, which they are
// multiplied by, have 2^280 in its place, so that products have 2^256 again.

// toFactor turns a scalar into one whose stored form is that of a factor.
var toFactor = fr.NewElement(1 << 24)

// factor returns a vector that MulFr4 multiplies by: e[i] in lane i.
func factor(e *[4]fr.Element) (v field.Fr4) {
	var f [4]fr.Element
	for i := range f {
		f[i].Mul(&e[i], &toFactor)
	}
	field.LoadFr4(&v, &f[0], &f[1], &f[2], &f[3])
	return v
}

// same returns a factor with e in every lane.
func same(e fr.Element) field.Fr4 { return factor(&[4]fr.Element{e, e, e, e}) }

// powers returns factors e^0 … e^(n−1).
func powers(e *fr.Element, n int) []field.Fr4 {
	out := make([]field.Fr4, n)
	p := fr.One()
	for i := range out {
		out[i] = same(p)
		p.Mul(&p, e)
	}
	return out
}
