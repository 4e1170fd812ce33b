package params

import (
	"math/big"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr/fft"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// vanishing returns τ^n − 1.
func vanishing(tau *fr.Element, n int) (z fr.Element) {
	one := fr.One()
	z.Exp(*tau, big.NewInt(int64(n)))
	return *z.Sub(&z, &one)
}

// lagrange is the Lagrange polynomials of a domain at τ.
type lagrange struct {
	tau, back fr.Element // τ and ω⁻¹
	scale     fr.Element // (τ^n − 1)/n
}

// newLagrange takes the domain of n points, a power of two; τ must not be in it.
func newLagrange(tau *fr.Element, n int) (*lagrange, error) {
	omega, err := fft.Generator(uint64(n))
	if err != nil {
		return nil, status.New(status.Unsupported, "domain", "no evaluation domain of %d points: %w", n, err)
	}
	l := &lagrange{tau: *tau}
	l.back.Inverse(&omega)
	z := vanishing(tau, n)
	l.scale.SetUint64(uint64(n))
	l.scale.Div(&z, &l.scale)
	return l, nil
}

// at sets to[i] to polynomial first+i at τ,
//
//	(τ^n − 1)/n · ω^j/(τ − ω^j) = scale/(τ·ω^(−j) − 1) with j = first+i,
//
// with one inversion for a block of them.
func (l *lagrange) at(first int, to []fr.Element) {
	const block = 1 << 10
	var before [block]fr.Element // products of what comes earlier in the block
	var power fr.Element
	power.Exp(l.back, big.NewInt(int64(first)))
	power.Mul(&power, &l.tau)
	one := fr.One()
	for len(to) > 0 {
		out := to[:min(block, len(to))]
		to = to[len(out):]
		all := one
		for i := range out {
			out[i].Sub(&power, &one)
			power.Mul(&power, &l.back)
			before[i] = all
			all.Mul(&all, &out[i])
		}
		all.Inverse(&all)
		all.Mul(&all, &l.scale)
		for i := len(out) - 1; i >= 0; i-- {
			v := out[i]
			out[i].Mul(&all, &before[i])
			all.Mul(&all, &v)
		}
	}
}
