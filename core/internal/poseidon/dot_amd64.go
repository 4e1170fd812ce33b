//go:build !purego

package poseidon

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"golang.org/x/sys/cpu"
)

// hasADX is a fact about this machine: MULX and two parallel carry chains.
var hasADX = cpu.X86.HasADX && cpu.X86.HasBMI2

// maxTerms keeps an unreduced sum of products below 8.25 r after its single
// Montgomery reduction, which the final subtraction of dotADX relies on.
const maxTerms = 16

//go:noescape
func dotADX(res, a, b *fr.Element, n int)

//go:noescape
func mulAddADX(s, row, x *fr.Element, n int)

// dot returns Σ a_i·b_i.
func dot(a, b []fr.Element) (sum fr.Element) {
	if !hasADX {
		return dotGeneric(a, b)
	}
	b = b[:len(a)]
	for len(a) > maxTerms {
		part := dot(a[:maxTerms], b[:maxTerms])
		sum.Add(&sum, &part)
		a, b = a[maxTerms:], b[maxTerms:]
	}
	if len(a) == 0 {
		return sum
	}
	var last fr.Element
	dotADX(&last, &a[0], &b[0], len(a))
	sum.Add(&sum, &last)
	return sum
}

// mulAdd sets s_j += x·row_j for every j.
func mulAdd(s, row []fr.Element, x *fr.Element) {
	if !hasADX || len(s) == 0 {
		mulAddGeneric(s, row, x)
		return
	}
	mulAddADX(&s[0], &row[:len(s)][0], x, len(s))
}
