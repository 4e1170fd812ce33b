//go:build amd64 && !purego

package ntt

import (
	"unsafe"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/field"
)

// Data keep gnark-crypto's Montgomery form with 2^256; factors, which they are
// multiplied by, have 2^280 in its place, so that products have 2^256 again.

// avx2 transforms four columns at a time, from natural order by decimation in frequency.
var avx2 = arithmetic[field.Fr4, []field.Fr4]{
	lanes: 4,
	load: func(rows []field.Fr4, e []*fr.Element, stride int) {
		for r := range rows {
			field.LoadFr4(&rows[r], row(e[0], r*stride), row(e[1], r*stride), row(e[2], r*stride), row(e[3], r*stride))
		}
	},
	store: func(e []*fr.Element, rows []field.Fr4, stride int) {
		for r := range rows {
			field.StoreFr4(row(e[0], r*stride), row(e[1], r*stride), row(e[2], r*stride), row(e[3], r*stride), &rows[r])
		}
	},
	twiddles: func(root *[2]fr.Element, size int) [2][]field.Fr4 {
		return [2][]field.Fr4{powers(&root[0], size/2), powers(&root[1], size/2)}
	},
	analyse: func(rows []field.Fr4, w []field.Fr4) { // additions double the numbers at most maxPassLog times
		for half := len(rows) / 2; half > 1; half /= 2 {
			for at := 0; at < len(rows); at += 2 * half {
				field.DIFFr4(&rows[at], &rows[at+half], &w[0], half, len(rows)/2/half)
			}
		}
		neighbours(rows)
	},
	synthesise: func(rows []field.Fr4, w []field.Fr4) {
		neighbours(rows)
		for half := 2; half < len(rows); half *= 2 {
			for at := 0; at < len(rows); at += 2 * half {
				field.DITFr4(&rows[at], &rows[at+half], &w[0], half, len(rows)/2/half)
			}
		}
	},
	multiply: func(x, factor []field.Fr4) { field.MulFr4(&x[0], &x[0], &factor[0], len(x)) },
	fill: func(rows []field.Fr4, first *fr.Element, ratio []fr.Element) {
		by, w := factor((*[4]fr.Element)(ratio)), same(*first)
		for u := range rows {
			rows[reverse(u, len(rows))] = w
			field.MulFr4(&w, &w, &by, 1)
		}
	},
}

// row returns the element i places after e.
func row(e *fr.Element, i int) *fr.Element {
	return (*fr.Element)(unsafe.Add(unsafe.Pointer(e), i*fr.Bytes))
}

// neighbours is the stage of a transform whose factor is one.
func neighbours(rows []field.Fr4) {
	for at := 0; at < len(rows); at += 2 {
		field.SumDifferenceFr4(&rows[at], &rows[at+1], 1)
	}
}

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
