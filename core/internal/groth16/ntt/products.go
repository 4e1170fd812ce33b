package ntt

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

// Products sets z[i] to x[i]·y[i] for all i; z may be x or y. The lengths are equal.
func Products(z, x, y []fr.Element) {
	for i := vectorProducts(z, x, y); i < len(z); i++ {
		z[i].Mul(&x[i], &y[i])
	}
}
