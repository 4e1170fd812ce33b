package gadget

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// multiEq packs equalities of small numbers into few rows: each shifts past the
// ones before it, and a row is emitted when 254 bits would be reached
// (bellperson gadgets/multieq.rs).
type multiEq struct {
	cs          *r1cs.CS
	used        int
	left, right r1cs.LC
}

// enforceEqual adds l = r, both below 2^n.
func (m *multiEq) enforceEqual(n int, l, r r1cs.LC) {
	if m.used+n >= fr.Bits-1 {
		m.flush()
	}
	m.left = appendScaled(m.left, l, &powersOfTwo[m.used])
	m.right = appendScaled(m.right, r, &powersOfTwo[m.used])
	m.used += n
}

// flush emits the row left·1 = right, if there is anything in it.
func (m *multiEq) flush() {
	if m.used > 0 {
		m.cs.Enforce(m.left, constant(one), m.right)
	}
	*m = multiEq{cs: m.cs}
}

func appendScaled(dst, src r1cs.LC, c *fr.Element) r1cs.LC {
	for _, t := range src {
		t.C.Mul(&t.C, c)
		dst = append(dst, t)
	}
	return dst
}

// addMany is UInt32::addmany: the sum of 2 to 10 words mod 2^32. Unless all are
// constant, every bit of the full sum is allocated (bellperson
// gadgets/uint32.rs).
func (m *multiEq) addMany(ops ...Word) Word {
	var sum uint64
	var vars uint32
	for i := range ops {
		sum += uint64(ops[i].Val)
		vars |= ops[i].Var
	}
	if vars == 0 {
		return ConstWord(uint32(sum))
	}
	n := sumBits(len(ops))
	first := allocBits(m.cs, sum, n)
	if m.cs.Recording() {
		var l, r r1cs.LC
		for i := range ops {
			for j := range 32 {
				l = ops[i].appendLC(l, j, powersOfTwo[j])
			}
		}
		for j := range n {
			r = append(r, term(first+r1cs.Var(j), powersOfTwo[j]))
		}
		m.enforceEqual(n, l, r)
	}
	return newWord(m.cs, uint32(sum), first)
}
