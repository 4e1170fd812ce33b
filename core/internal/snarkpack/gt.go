package snarkpack

import (
	"math/bits"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

const (
	gtSize    = 12 * fp.Bytes // in the transcript
	torusSize = gtSize / 2    // in an aggregate
)

// coordinates returns the six base field elements of half of a GT element, in the
// order of every encoding.
func coordinates(b0, b1, b2 *bls.E2) [6]*fp.Element {
	return [6]*fp.Element{&b0.A0, &b0.A1, &b1.A0, &b1.A1, &b2.A0, &b2.A1}
}

func appendElements(dst []byte, half [6]*fp.Element) []byte {
	var b [fp.Bytes]byte
	for _, e := range half {
		fp.LittleEndian.PutElement(&b, *e)
		dst = append(dst, b[:]...)
	}
	return dst
}

// appendGT appends the twelve coordinates of z, little endian: the transcript's form.
func appendGT(dst []byte, z *GT) []byte {
	dst = appendElements(dst, coordinates(&z.C0.B0, &z.C0.B1, &z.C0.B2))
	return appendElements(dst, coordinates(&z.C1.B0, &z.C1.B1, &z.C1.B2))
}

// appendTorus appends z in the compressed form of Rubin and Silverberg, six
// coordinates of (1 + c0)/c1. The only elements of GT without one is the identity:
// ok is false.
func appendTorus(dst []byte, z *GT) (out []byte, ok bool) {
	t, err := z.CompressTorus()
	if err != nil {
		return dst, false
	}
	return appendElements(dst, coordinates(&t.B0, &t.B1, &t.B2)), true
}

// decodeTorus reads elements of GT. The second result is the index of the first that
// is no canonical encoding of an element of the prime-order subgroup, -1 if all are.
func decodeTorus(data []byte, n, workers int) ([]GT, int) {
	num, den := make([]GT, n), make([]GT, n)
	for i := range num {
		b := data[i*torusSize:]
		for j, e := range coordinates(&num[i].C0.B0, &num[i].C0.B1, &num[i].C0.B2) {
			v, err := fp.LittleEndian.Element((*[fp.Bytes]byte)(b[j*fp.Bytes:]))
			if err != nil {
				return nil, i
			}
			*e = v
		}
		den[i].C0 = num[i].C0
		num[i].C1.SetOne()
		den[i].C1.SetOne()
		den[i].C1.B0.Neg(&den[i].C1.B0)
	}
	invertAll(den) // b − w is never 0: w is no element of the sextic field
	bad := make([]bool, n)
	spawn.Range(workers, n, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			num[i].Mul(&num[i], &den[i])
			bad[i] = !num[i].IsInSubGroup()
		}
	})
	for i := range bad {
		if bad[i] {
			return nil, i
		}
	}
	return num, -1
}

// invertAll replaces non-zero elements by their inverses (Montgomery's trick).
func invertAll(z []GT) {
	prefix := make([]GT, len(z))
	var all GT
	all.SetOne()
	for i := range z {
		prefix[i] = all
		all.Mul(&all, &z[i])
	}
	all.Inverse(&all)
	for i := len(z) - 1; i >= 0; i-- {
		prefix[i].Mul(&prefix[i], &all)
		all.Mul(&all, &z[i])
		z[i] = prefix[i]
	}
}

// seed is |x|, where x < 0 is the parameter of the curve: the p-power Frobenius is
// exponentiation by x in GT, and r < x^4.
const seed = 0xd201000000010000

// seedDigits writes k in base |x|.
func seedDigits(k *fr.Element) (digits [4]uint64) {
	limbs := k.Bits()
	for i := range digits {
		var rem uint64
		for j := len(limbs) - 1; j >= 0; j-- {
			limbs[j], rem = bits.Div64(rem, limbs[j], seed)
		}
		digits[i] = rem
	}
	return digits
}

// gtWindow is the width of the non-adjacent form of digits, whose odd multiples are
// kept: 1, 3, 5 and 7.
const gtWindow = 4

// ProductOfPowers returns Π bases[i]^scalars[i] for elements of GT: scalars have four
// digits of 64 bits in base |x|, since z^|x| is a conjugated Frobenius image, and all
// digits share their squarings (Straus).
func ProductOfPowers(bases []GT, scalars []fr.Element) GT {
	type entry struct{ odd [1 << (gtWindow - 2)]GT }
	var tables []entry
	var forms [][]int8
	for i := range bases {
		digits := seedDigits(&scalars[i])
		var t entry
		var square GT
		t.odd[0] = bases[i]
		square.CyclotomicSquare(&t.odd[0])
		for j := 1; j < len(t.odd); j++ {
			t.odd[j].Mul(&t.odd[j-1], &square)
		}
		for k, d := range digits {
			if k > 0 {
				for j := range t.odd {
					t.odd[j].Frobenius(&t.odd[j]).Conjugate(&t.odd[j])
				}
			}
			if d != 0 {
				tables, forms = append(tables, t), append(forms, nonAdjacent(d))
			}
		}
	}
	longest := 0
	for _, f := range forms {
		longest = max(longest, len(f))
	}
	var z, t GT
	z.SetOne()
	for pos := longest - 1; pos >= 0; pos-- {
		z.CyclotomicSquare(&z)
		for i, f := range forms {
			switch {
			case pos >= len(f) || f[pos] == 0:
			case f[pos] > 0:
				z.Mul(&z, &tables[i].odd[f[pos]/2])
			default:
				z.Mul(&z, t.Conjugate(&tables[i].odd[-f[pos]/2]))
			}
		}
	}
	return z
}

// nonAdjacent returns the signed odd digits of d, lowest first.
func nonAdjacent(d uint64) []int8 {
	const full = 1 << gtWindow
	form := make([]int8, 0, 66)
	var carry uint64 // of d beyond 64 bits
	for d != 0 || carry != 0 {
		digit := int8(0)
		if d&1 != 0 {
			digit = int8(d & (full - 1))
			if digit >= full/2 {
				digit -= full
			}
			var c uint64
			if digit >= 0 {
				d -= uint64(digit)
			} else {
				d, c = bits.Add64(d, uint64(-digit), 0)
				carry += c
			}
		}
		form = append(form, digit)
		d = d>>1 | carry<<63
		carry >>= 1
	}
	return form
}
