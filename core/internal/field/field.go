// Package field has the vector arithmetic of BLS12-381: the base field and the scalar
// field in the lanes of AVX2 and AVX-512 registers, and the affine additions of points
// that share one inversion. The assembly is written by gen.
package field

//go:generate go run ./gen
