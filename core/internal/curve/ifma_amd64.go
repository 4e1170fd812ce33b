//go:build amd64 && !purego

package curve

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"

	"github.com/libcuzk/libcuzk/core/internal/field"
)

// A coordinate of eight points, or what is computed from it.
type (
	wideG1 = [1]field.Fp8
	wideG2 = [2]field.Fp8 // a0 and a1 of a0 + a1·u
)

// wideScale is κ^(−3/2), κ = 2^−32 (see field.SumsG1).
var wideScale = fp.NewElement(1 << 48)

func scaleWideG1(e *fp.Element) { e.Mul(e, &wideScale) }

func scaleWideG2(e *E2) { e.MulByElement(e, &wideScale) }

// pairs are two elements for each lane, and their addresses.
type pairs struct {
	element [8][2]fp.Element
	at      [8]*[2]fp.Element
}

func (p *pairs) addresses() *[8]*[2]fp.Element {
	for l := range p.at {
		p.at[l] = &p.element[l]
	}
	return &p.at
}

func storeWideG1(x *wideG1) (e [8]fp.Element) {
	var p pairs
	field.StorePairFp8(p.addresses(), &[2]field.Fp8{x[0]})
	for l := range e {
		e[l] = p.element[l][0]
	}
	return e
}

func loadWideG1(e *[8]fp.Element) wideG1 {
	var p pairs
	for l := range e {
		p.element[l][0] = e[l]
	}
	var v [2]field.Fp8
	field.LoadPairFp8(&v, p.addresses())
	return wideG1{v[0]}
}

func storeWideG2(x *wideG2) (e [8]E2) {
	var p pairs
	v := *x
	field.StorePairFp8(p.addresses(), &v)
	for l := range e {
		e[l] = E2{A0: p.element[l][0], A1: p.element[l][1]}
	}
	return e
}

func loadWideG2(e *[8]E2) (v wideG2) {
	var p pairs
	for l := range e {
		p.element[l] = [2]fp.Element{e[l].A0, e[l].A1}
	}
	field.LoadPairFp8(&v, p.addresses())
	return v
}

func setLaneG1(v *wideG1, l int, e *fp.Element) { field.SetLaneFp8(&v[0], l, e) }

func setLaneG2(v *wideG2, l int, e *E2) {
	field.SetLaneFp8(&v[0], l, &e.A0)
	field.SetLaneFp8(&v[1], l, &e.A1)
}
