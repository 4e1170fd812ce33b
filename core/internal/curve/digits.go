package curve

import (
	"math/big"
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// windows is a way to cut scalars into signed digits of width bits.
//
// A scalar k is first replaced by r − k if that is smaller, so that it has 254
// bits, and the flipped sign is kept. Digits in [−2^(w−1), 2^(w−1)) come without
// carries from the ordinary digits of k + offset, where offset has 2^(w−1) at
// every digit but the last; the last digit is not negative and fits because
// width·count ≥ 255.
type windows struct {
	width, count int
	offset       [4]uint64
}

// recoded is k + offset in bits 0…254 and the sign of the whole scalar in bit 255.
type recoded [4]uint64

const signBit = 1 << 63

func newWindows(width int) windows {
	w := windows{width: width, count: (255 + width - 1) / width}
	for i := range w.count - 1 {
		b := i*width + width - 1
		w.offset[b/64] |= 1 << (b % 64)
	}
	return w
}

// buckets is the largest magnitude of a digit.
func (w *windows) buckets() int { return 1 << (w.width - 1) }

// recode prepares a scalar for digit.
func (w *windows) recode(k *fr.Element) (out recoded) {
	v := k.Bits()
	var sign uint64
	if neg := subtract(modulus, v); less(neg, v) {
		v, sign = neg, signBit
	}
	var carry uint64
	for i := range out {
		out[i], carry = bits.Add64(v[i], w.offset[i], carry)
	}
	out[3] |= sign
	return out
}

// digit returns the magnitude and sign of digit i; the magnitude 0 means
// nothing to add. Signs are as good as random: no branch depends on them.
func (w *windows) digit(r *recoded, i int) (magnitude int, negative bool) {
	at := i * w.width
	word, shift := at/64, uint(at%64)
	v := r[word] >> shift
	if word < 3 {
		v |= r[word+1] << (63 - shift) << 1
	}
	d := int64(v & (1<<w.width - 1))
	if i == w.count-1 { // the top digit lies below the sign of the scalar
		d &= 1<<(255-at) - 1
	} else {
		d -= 1 << (w.width - 1)
	}
	s := d >> 63 // −1 if negative
	return int((d ^ s) - s), uint64(s)>>63 != r[3]>>63
}

var modulus = func() (m [4]uint64) {
	r := fr.Modulus()
	for i := range m {
		m[i] = new(big.Int).Rsh(r, uint(64*i)).Uint64()
	}
	return m
}()

func subtract(a, b [4]uint64) (d [4]uint64) {
	var borrow uint64
	for i := range d {
		d[i], borrow = bits.Sub64(a[i], b[i], borrow)
	}
	return d
}

func less(a, b [4]uint64) bool {
	var borrow uint64
	for i := range a {
		_, borrow = bits.Sub64(a[i], b[i], borrow)
	}
	return borrow != 0
}

// msmWidth chooses the window width for n points: one addition per point and
// window, and about two per bucket to sum the buckets up.
func msmWidth(n int) int {
	best, cost := 0, 0
	for width := 3; width <= 17; width++ {
		w := windows{width: width, count: (255 + width - 1) / width}
		if c := w.count * (n + 5*w.buckets()/2); best == 0 || c < cost {
			best, cost = width, c
		}
	}
	return best
}

// fixedWidth chooses the window width for n products with one base: a product
// takes one addition per window, and so does every entry of the tables.
func fixedWidth(n int) int {
	best, cost := 0, 0
	for width := 4; width <= 17; width++ {
		w := windows{width: width, count: (255 + width - 1) / width}
		if c := w.count * (n + w.buckets()); best == 0 || c < cost {
			best, cost = width, c
		}
	}
	return best
}
