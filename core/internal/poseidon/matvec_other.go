//go:build !amd64 || purego

package poseidon

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

func matVec(res, a, b []fr.Element, add bool) { matVecGeneric(res, a, b, add) }
