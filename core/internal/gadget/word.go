package gadget

import (
	"math/bits"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Word is 32 Booleans; bit i stands for 2^i. A Boolean is a constant, an
// allocated bit or a negated one (bellpepper-core boolean.rs).
type Word struct {
	Val uint32        // values, negations applied
	Var uint32        // which are variables; the others are constants
	Neg uint32        // which variables are negated, a subset of Var
	ids *[32]r1cs.Var // their names, record mode only
}

const allBits = ^uint32(0)

// ConstWord is a word of constants.
func ConstWord(v uint32) Word { return Word{Val: v} }

func (w *Word) setID(i int, v r1cs.Var) {
	if w.ids == nil {
		w.ids = new([32]r1cs.Var)
	}
	w.ids[i] = v
}

// newWord is 32 variables with consecutive names.
func newWord(cs *r1cs.CS, v uint32, first r1cs.Var) Word {
	w := Word{Val: v, Var: allBits}
	if cs.Recording() {
		w.ids = new([32]r1cs.Var)
		for i := range w.ids {
			w.ids[i] = first + r1cs.Var(i)
		}
	}
	return w
}

// lc is the Boolean's linear combination times c: v, 1 − v, ONE or nothing.
func (w *Word) lc(i int, c fr.Element) r1cs.LC { return w.appendLC(nil, i, c) }

func (w *Word) appendLC(dst r1cs.LC, i int, c fr.Element) r1cs.LC {
	switch {
	case w.Var>>i&1 == 0 && w.Val>>i&1 == 0:
		return dst
	case w.Var>>i&1 == 0:
		return append(dst, term(r1cs.One, c))
	case w.Neg>>i&1 == 0:
		return append(dst, term(w.ids[i], c))
	}
	var n fr.Element
	n.Neg(&c)
	return append(dst, term(r1cs.One, c), term(w.ids[i], n))
}

// permute returns a word whose bit i is bit from(i) of w; constants 0 where
// from is negative.
func (w Word) permute(val, vars, neg uint32, from func(i int) int) Word {
	out := Word{Val: val, Var: vars, Neg: neg}
	if w.ids != nil {
		out.ids = new([32]r1cs.Var)
		for i := range out.ids {
			if j := from(i); j >= 0 {
				out.ids[i] = w.ids[j]
			}
		}
	}
	return out
}

func (w Word) rotr(n int) Word {
	r := func(x uint32) uint32 { return bits.RotateLeft32(x, -n) }
	return w.permute(r(w.Val), r(w.Var), r(w.Neg), func(i int) int { return (i + n) & 31 })
}

func (w Word) shr(n int) Word {
	return w.permute(w.Val>>n, w.Var>>n, w.Neg>>n, func(i int) int {
		if i+n > 31 {
			return -1
		}
		return i + n
	})
}

func (w Word) not() Word {
	w.Val = ^w.Val
	w.Neg ^= w.Var
	return w
}

// bind makes the word's variables wires of a call and its pattern of constants
// part of the key.
func (w *Word) bind(f *r1cs.Frame) {
	if f == nil {
		return
	}
	f.Key(uint64(w.Var)<<32 | uint64(w.Neg))
	f.Key(uint64(w.Val &^ w.Var))
	if w.Var == 0 {
		return
	}
	ids := *w.ids
	w.ids = &ids
	for i := range ids {
		if w.Var>>i&1 == 1 {
			f.Wire(&ids[i])
		}
	}
}

// result makes the word a result of a call.
func (w *Word) result(f *r1cs.Frame) {
	if f == nil {
		return
	}
	masks, val := uint64(w.Var)<<32|uint64(w.Neg), uint64(w.Val&^w.Var)
	f.Meta(&masks)
	f.Meta(&val)
	w.Var, w.Neg, w.Val = uint32(masks>>32), uint32(masks), uint32(val)
	ids := new([32]r1cs.Var)
	if w.ids != nil {
		*ids = *w.ids
	}
	w.ids = ids
	for i := range ids {
		if w.Var>>i&1 == 1 {
			f.Result(&ids[i])
		}
	}
}

// compact gathers the bits of v at the set positions of mask, lowest first.
func compact(v, mask uint32) (out uint64, n int) {
	if mask&(mask+1) == 0 { // the low n bits
		return uint64(v & mask), bits.Len32(mask)
	}
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		out |= uint64(v>>i&1) << n
		n++
	}
	return out, n
}

// WordOf is the word whose bit i is in[i].
func WordOf(cs *r1cs.CS, in []Bit) Word {
	w := Word{Var: allBits}
	for i := range in {
		w.Val |= uint32(b2u(in[i].Val)) << i
		if cs.Recording() {
			w.setID(i, in[i].ID)
		}
	}
	return w
}
