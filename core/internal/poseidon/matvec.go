package poseidon

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

// matVecGeneric is the portable twin of matVec, which is every linear operation
// of the hash: res_j = Σ_k a_k·b[j·len(a)+k], or res_j += that sum. res must not
// overlap a. matVec itself is in matvec_amd64.go and matvec_other.go.
func matVecGeneric(res, a, b []fr.Element, add bool) {
	var p fr.Element
	for j := range res {
		var sum fr.Element
		if add {
			sum = res[j]
		}
		column := b[j*len(a) : (j+1)*len(a)]
		for k := range a {
			sum.Add(&sum, p.Mul(&a[k], &column[k]))
		}
		res[j] = sum
	}
}
