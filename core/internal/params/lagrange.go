package params

import (
	"math/big"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr/fft"

	"libcuzk/core/internal/spawn"
	"libcuzk/core/internal/status"
)

// vanishing returns τ^n − 1.
func vanishing(tau *fr.Element, n int) (z fr.Element) {
	one := fr.One()
	z.Exp(*tau, big.NewInt(int64(n)))
	return *z.Sub(&z, &one)
}

// lagrange returns the Lagrange polynomials of the domain of n points (a power
// of two) at τ: L_i(τ) = (τ^n − 1)/n · ω^i/(τ − ω^i).
func lagrange(tau *fr.Element, n, workers int) ([]fr.Element, error) {
	omega, err := fft.Generator(uint64(n))
	if err != nil {
		return nil, status.New(status.Unsupported, "domain", "no evaluation domain of %d points: %w", n, err)
	}
	z := vanishing(tau, n)
	var scale fr.Element
	scale.SetUint64(uint64(n))
	scale.Div(&z, &scale)
	out := make([]fr.Element, n)
	spawn.Range(workers, n, func(_, lo, hi int) {
		const block = 1 << 12 // one inversion each
		for from := lo; from < hi; from += block {
			lagrangeBlock(out[from:min(from+block, hi)], from, tau, &omega, &scale)
		}
	})
	return out, nil
}

func lagrangeBlock(out []fr.Element, from int, tau, omega, scale *fr.Element) {
	power := make([]fr.Element, len(out)) // ω^i
	power[0].Exp(*omega, big.NewInt(int64(from)))
	for i := range out {
		if i > 0 {
			power[i].Mul(&power[i-1], omega)
		}
		out[i].Sub(tau, &power[i])
	}
	inverse := fr.BatchInvert(out)
	for i := range out {
		out[i].Mul(&inverse[i], &power[i])
		out[i].Mul(&out[i], scale)
	}
}
