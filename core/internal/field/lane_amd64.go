//go:build amd64 && !purego

package field

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fp"

// SetLaneFp4 sets lane l of v to the stored words of e.
func SetLaneFp4(v *Fp4, l int, e *fp.Element) {
	for j := range v {
		v[j][l] = bitsOf(e, 28*j) & (1<<28 - 1)
	}
}

// SetLaneFp8 sets lane l of v to the stored words of e.
func SetLaneFp8(v *Fp8, l int, e *fp.Element) {
	for j := range v {
		v[j][l] = bitsOf(e, 52*j) & (1<<52 - 1)
	}
}

// bitsOf returns the 64 stored bits of e from position at on.
func bitsOf(e *fp.Element, at int) uint64 {
	word, shift := at/64, at%64
	v := e[word] >> shift
	if shift > 0 && word+1 < len(e) {
		v |= e[word+1] << (64 - shift)
	}
	return v
}
