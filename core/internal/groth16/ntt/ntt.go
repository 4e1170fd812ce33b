// Package ntt transforms vectors over the scalar field between values on the
// domain of n-th roots of unity and coefficients.
//
// No transform permutes: values stand in natural order, coefficients in
// bit-reversed order, so that inverse transforms decimate in frequency and
// forward ones in time.
package ntt

import (
	"context"
	"math/big"
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr/fft"

	"github.com/libcuzk/libcuzk/core/internal/field"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Transform is prepared for vectors of one length. It is safe for concurrent use.
// When ctx ends both methods return its cause, soon if there are vectors, and
// leave v in no useful state.
type Transform interface {
	// Inverse turns values into coefficients, in place, and multiplies
	// coefficient j by shift^j: those of the polynomial at shift·x.
	Inverse(ctx context.Context, v []fr.Element, shift *fr.Element) error
	// Forward turns coefficients into values, in place.
	Forward(ctx context.Context, v []fr.Element) error
}

// New prepares transforms of n values, a power of two, on up to workers threads.
func New(n, workers int) (Transform, error) {
	if n < 1 || n&(n-1) != 0 || bits.TrailingZeros(uint(n)) > maxLog {
		return nil, status.New(status.Unsupported, "domain", "no evaluation domain of %d points", n)
	}
	if field.Use() >= field.AVX2 && n >= vectorMin {
		return newVector(n, workers), nil
	}
	return newPortable(n, workers), nil
}

// maxLog is the two-adicity of the field's multiplicative group.
const maxLog = 32

// Root returns the n-th root of unity that generates the domain of n points.
func Root(n int) (fr.Element, error) {
	g, err := fft.Generator(uint64(n))
	if err != nil {
		return g, status.New(status.Unsupported, "domain", "no evaluation domain of %d points: %w", n, err)
	}
	return g, nil
}

// power returns g^e.
func power(g *fr.Element, e int) (p fr.Element) {
	return *p.Exp(*g, big.NewInt(int64(e)))
}

// reverse reverses the log2(n) low bits of i.
func reverse(i, n int) int {
	return int(bits.Reverse64(uint64(i)) >> (64 - bits.TrailingZeros(uint(n))))
}
