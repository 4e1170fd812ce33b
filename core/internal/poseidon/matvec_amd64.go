//go:build !purego

package poseidon

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"golang.org/x/sys/cpu"
)

// hasADX is a fact about this machine: MULX and two parallel carry chains.
var hasADX = cpu.X86.HasADX && cpu.X86.HasBMI2

// maxTerms keeps an unreduced sum of products below 8.25 r after its single
// Montgomery reduction, which the final subtraction of matVecADX relies on.
const maxTerms = 16

// matVecADX sets or, if add is not 0, increases res_j for j < count; n and
// count are at least 1, n at most maxTerms.
//
//go:noescape
func matVecADX(res, a, b *fr.Element, n, count, add int)

func matVec(res, a, b []fr.Element, add bool) {
	if !hasADX || len(a) == 0 || len(a) > maxTerms || len(res) == 0 {
		matVecGeneric(res, a, b, add)
		return
	}
	flag := 0
	if add {
		flag = 1
	}
	b = b[:len(a)*len(res)]
	matVecADX(&res[0], &a[0], &b[0], len(a), len(res), flag)
}
