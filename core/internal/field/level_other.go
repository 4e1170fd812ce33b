//go:build !amd64 || purego

package field

import bls "github.com/consensys/gnark-crypto/ecc/bls12-381"

// Available returns the highest level that the processor offers: none in this build.
func Available() Level { return Portable }

// PrefetchG1 does nothing here.
func PrefetchG1(*bls.G1Affine) {}

// PrefetchG2 does nothing here.
func PrefetchG2(*bls.G2Affine) {}
