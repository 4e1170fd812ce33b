package poseidon

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

// dotGeneric and mulAddGeneric are the portable twins of the assembly: dot is
// the inner product, mulAdd the sum of a vector and a multiple of another.
// Together they are every linear operation of the hash.

func dotGeneric(a, b []fr.Element) fr.Element {
	var sum, p fr.Element
	b = b[:len(a)]
	for i := range a {
		sum.Add(&sum, p.Mul(&a[i], &b[i]))
	}
	return sum
}

func mulAddGeneric(s, row []fr.Element, x *fr.Element) {
	var p fr.Element
	row = row[:len(s)]
	for j := range s {
		s[j].Add(&s[j], p.Mul(x, &row[j]))
	}
}
