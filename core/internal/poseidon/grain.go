package poseidon

import (
	"math/big"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// grain is the 80-bit LFSR in self-shrinking mode that the Poseidon paper
// (appendix E) uses to derive round constants.
type grain struct {
	bits [80]byte
	head int // index of the oldest bit
}

// newGrain seeds the generator for a prime field of 255 bits and the S-box x^5.
func newGrain(t, rf, rp int) *grain {
	g, n := &grain{}, 0
	put := func(v, width int) {
		for i := width - 1; i >= 0; i-- {
			g.bits[n] = byte(v>>i) & 1
			n++
		}
	}
	put(1, 2) // prime field
	put(1, 4) // S-box x^α
	put(fr.Bits, 12)
	put(t, 12)
	put(rf, 10)
	put(rp, 10)
	put(1<<30-1, 30)
	for range 160 {
		g.step()
	}
	return g
}

func (g *grain) at(i int) byte { return g.bits[(g.head+i)%80] }

// step replaces the oldest bit by the feedback bit and returns the latter.
func (g *grain) step() byte {
	b := g.at(62) ^ g.at(51) ^ g.at(38) ^ g.at(23) ^ g.at(13) ^ g.at(0)
	g.bits[g.head] = b
	g.head = (g.head + 1) % 80
	return b
}

// bit draws pairs (selector, value) until the selector is 1.
func (g *grain) bit() uint {
	for g.step() == 0 {
		g.step()
	}
	return uint(g.step())
}

// element draws 255 bits, most significant first, until they are below r.
func (g *grain) element() fr.Element {
	v, mod := new(big.Int), fr.Modulus()
	for {
		v.SetUint64(0)
		for i := fr.Bits - 1; i >= 0; i-- {
			v.SetBit(v, i, g.bit())
		}
		if v.Cmp(mod) < 0 {
			var e fr.Element
			e.SetBigInt(v)
			return e
		}
	}
}

// roundConstants returns t constants for each of the 8+rp rounds, row-major.
func roundConstants(t, rp int) []fr.Element {
	g := newGrain(t, FullRounds, rp)
	rc := make([]fr.Element, t*(FullRounds+rp))
	for i := range rc {
		rc[i] = g.element()
	}
	return rc
}
