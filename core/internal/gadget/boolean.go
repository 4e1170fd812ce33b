package gadget

import (
	"math/bits"

	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// xor is Boolean::xor on every bit: constants fold, equal polarities give a
// plain bit, mixed ones a negated bit; AllocatedBit::xor is (2a)·b = a + b − c.
func xor(cs *r1cs.CS, a, b Word) Word {
	both := a.Var & b.Var
	under := (a.Val ^ a.Neg ^ b.Val ^ b.Neg) & both
	vals, n := compact(under, both)
	first := cs.AllocBits(vals, n)
	out := Word{Val: a.Val ^ b.Val, Var: a.Var | b.Var}
	// A constant 1 negates the other operand; two variables differ in polarity.
	out.Neg = (a.Neg ^ b.Neg ^ (a.Val &^ a.Var) ^ (b.Val &^ b.Var)) & out.Var
	if !cs.Recording() {
		return out
	}
	out.ids = new([32]r1cs.Var)
	for i := range 32 {
		bit := uint32(1) << i
		switch {
		case both&bit != 0:
			c := first
			first++
			x, y := a.ids[i], b.ids[i]
			if a.Neg&bit != 0 && b.Neg&bit == 0 {
				x, y = y, x // mixed polarities: the plain bit comes first
			}
			cs.Enforce(lc(term(x, two)), variable(y), lc(term(x, one), term(y, one), term(c, minusOne)))
			out.ids[i] = c
		case a.Var&bit != 0:
			out.ids[i] = a.ids[i]
		case b.Var&bit != 0:
			out.ids[i] = b.ids[i]
		}
	}
	return out
}

// boolean is one bit of a Word.
func (w *Word) boolean(i int) Word {
	out := Word{Val: w.Val >> i & 1, Var: w.Var >> i & 1, Neg: w.Neg >> i & 1}
	if w.ids != nil {
		out.ids = &[32]r1cs.Var{w.ids[i]}
	}
	return out
}

func (w *Word) setBoolean(i int, b Word) {
	w.Val |= (b.Val & 1) << i
	w.Var |= (b.Var & 1) << i
	w.Neg |= (b.Neg & 1) << i
	if b.ids != nil && b.Var&1 == 1 {
		w.setID(i, b.ids[0])
	}
}

func (w *Word) isConst(v uint32) bool { return w.Var&1 == 0 && w.Val&1 == v }

// single trims a Boolean held in bit 0.
func single(w Word) Word {
	w.Val, w.Var, w.Neg = w.Val&1, w.Var&1, w.Neg&1
	return w
}

// and is Boolean::and on bit 0: a constant 0 wins, a constant 1 gives the other
// operand; else c is allocated with and, and_not(is, not) or nor.
func and(cs *r1cs.CS, a, b Word) Word {
	switch {
	case a.isConst(0) || b.isConst(0):
		return Word{}
	case a.isConst(1):
		return b
	case b.isConst(1):
		return a
	}
	if a.Neg == 1 && b.Neg == 0 {
		a, b = b, a // and_not takes the plain bit first
	}
	out := Word{Val: a.Val & b.Val, Var: 1}
	c := cs.AllocBits(uint64(out.Val), 1)
	if cs.Recording() {
		cs.Enforce(a.lc(0, one), b.lc(0, one), variable(c))
		out.setID(0, c)
	}
	return out
}

// ch is sha256_ch on every bit: (b − c)·a = ch − c.
func ch(cs *r1cs.CS, a, b, c Word) Word {
	if a.Var&b.Var&c.Var != allBits {
		return bitwise(cs, a, b, c, chBit)
	}
	out := newWord(cs, a.Val&b.Val|^a.Val&c.Val, cs.AllocBits(uint64(a.Val&b.Val|^a.Val&c.Val), 32))
	if cs.Recording() {
		for i := range 32 {
			enforceCh(cs, a.boolean(i), b.boolean(i), c.boolean(i), out.ids[i])
		}
	}
	return out
}

func enforceCh(cs *r1cs.CS, a, b, c Word, ch r1cs.Var) {
	cs.Enforce(c.appendLC(b.lc(0, one), 0, minusOne), a.lc(0, one), c.appendLC(variable(ch), 0, minusOne))
}

// chBit applies the folding rules of sha256_ch in their order.
func chBit(cs *r1cs.CS, a, b, c Word) Word {
	v := (a.Val&b.Val | ^a.Val&c.Val) & 1
	switch {
	case a.Var|b.Var|c.Var == 0:
		return Word{Val: v}
	case a.isConst(0):
		return c
	case b.isConst(0):
		return and(cs, single(a.not()), c)
	case c.isConst(0):
		return and(cs, a, b)
	case c.isConst(1):
		return single(and(cs, a, single(b.not())).not())
	case b.isConst(1):
		return single(and(cs, single(a.not()), single(c.not())).not())
	}
	out := Word{Val: v, Var: 1}
	id := cs.AllocBits(uint64(v), 1)
	if cs.Recording() {
		enforceCh(cs, a, b, c, id)
		out.setID(0, id)
	}
	return out
}

// maj is sha256_maj on every bit: maj is allocated before bc = and(b, c), then
// (2bc − b − c)·a = bc − maj.
func maj(cs *r1cs.CS, a, b, c Word) Word {
	if a.Var&b.Var&c.Var != allBits || a.Neg|b.Neg|c.Neg != 0 {
		return bitwise(cs, a, b, c, majBit)
	}
	bc := b.Val & c.Val
	v := a.Val&b.Val ^ a.Val&c.Val ^ bc
	first := cs.AllocBits(interleave(v)|interleave(bc)<<1, 64)
	out := Word{Val: v, Var: allBits}
	if cs.Recording() {
		for i := range 32 {
			m := first + r1cs.Var(2*i)
			cs.Enforce(b.lc(i, one), c.lc(i, one), variable(m+1))
			enforceMaj(cs, a.boolean(i), b.boolean(i), c.boolean(i), variable(m+1), m)
			out.setID(i, m)
		}
	}
	return out
}

func enforceMaj(cs *r1cs.CS, a, b, c Word, bc r1cs.LC, maj r1cs.Var) {
	left := make(r1cs.LC, 0, 6)
	for _, t := range bc {
		t.C.Double(&t.C)
		left = append(left, t)
	}
	left = c.appendLC(b.appendLC(left, 0, minusOne), 0, minusOne)
	cs.Enforce(left, a.lc(0, one), append(bc[:len(bc):len(bc)], term(maj, minusOne)))
}

// majBit applies the folding rules of sha256_maj in their order.
func majBit(cs *r1cs.CS, a, b, c Word) Word {
	v := (a.Val&b.Val ^ a.Val&c.Val ^ b.Val&c.Val) & 1
	switch {
	case a.Var|b.Var|c.Var == 0:
		return Word{Val: v}
	case a.isConst(0):
		return and(cs, b, c)
	case b.isConst(0):
		return and(cs, a, c)
	case c.isConst(0):
		return and(cs, a, b)
	case c.isConst(1):
		return single(and(cs, single(a.not()), single(b.not())).not())
	case b.isConst(1):
		return single(and(cs, single(a.not()), single(c.not())).not())
	case a.isConst(1):
		return single(and(cs, single(b.not()), single(c.not())).not())
	}
	out := Word{Val: v, Var: 1}
	id := cs.AllocBits(uint64(v), 1)
	bc := and(cs, b, c)
	if cs.Recording() {
		enforceMaj(cs, a, b, c, bc.lc(0, one), id)
		out.setID(0, id)
	}
	return out
}

// bitwise applies f to the 32 bits of three words, lowest first.
func bitwise(cs *r1cs.CS, a, b, c Word, f func(cs *r1cs.CS, a, b, c Word) Word) Word {
	var out Word
	for i := range 32 {
		out.setBoolean(i, f(cs, a.boolean(i), b.boolean(i), c.boolean(i)))
	}
	return out
}

// interleave spreads the bits of v to the even positions.
func interleave(v uint32) uint64 {
	x := uint64(v)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f
	x = (x | x<<2) & 0x3333333333333333
	return (x | x<<1) & 0x5555555555555555
}

// sumBits is the number of bits of n·(2^32 − 1).
func sumBits(n int) int { return bits.Len64(uint64(n) * uint64(allBits)) }
