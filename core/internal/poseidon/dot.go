package poseidon

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

// dot returns Σ a_i·b_i.
func dot(a, b []fr.Element) fr.Element {
	var sum, p fr.Element
	b = b[:len(a)]
	for i := range a {
		sum.Add(&sum, p.Mul(&a[i], &b[i]))
	}
	return sum
}
