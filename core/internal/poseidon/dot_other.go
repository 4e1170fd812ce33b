//go:build !amd64 || purego

package poseidon

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

// dot returns Σ a_i·b_i.
func dot(a, b []fr.Element) fr.Element { return dotGeneric(a, b) }

// mulAdd sets s_j += x·row_j for every j.
func mulAdd(s, row []fr.Element, x *fr.Element) { mulAddGeneric(s, row, x) }
