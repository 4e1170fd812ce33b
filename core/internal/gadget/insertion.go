package gadget

import (
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// pick allocates cond ? a : b: (b − a)·cond = b − c (storage-proofs-core
// gadgets/insertion.rs).
func pick(cs *r1cs.CS, cond Bit, a, b Num) Num {
	if cs.Sketching() {
		cs.Skip(1)
		return Num{}
	}
	v := &b.Val
	if cond.Val {
		v = &a.Val
	}
	c := allocNum(cs, v)
	if cs.Recording() {
		cs.Enforce(lc(term(b.ID, one), term(a.ID, minusOne)), variable(cond.ID), lc(term(b.ID, one), term(c.ID, minusOne)))
		cs.Follows(r1cs.Pick, c.ID, 1, cond.ID, a.ID, b.ID)
	}
	return c
}

func norBits(cs *r1cs.CS, a, b Bit) Bit {
	v := !a.Val && !b.Val
	c := Bit{v, cs.AllocBits(b2u(v), 1)}
	if cs.Recording() {
		cs.Enforce(lc(term(r1cs.One, one), term(a.ID, minusOne)), lc(term(r1cs.One, one), term(b.ID, minusOne)), variable(c.ID))
	}
	return c
}

func andBits(cs *r1cs.CS, a, b Bit) Bit {
	v := a.Val && b.Val
	c := Bit{v, cs.AllocBits(b2u(v), 1)}
	if cs.Recording() {
		cs.Enforce(variable(a.ID), variable(b.ID), variable(c.ID))
	}
	return c
}

// insert returns the siblings with el at the position given by bits, least
// significant first. The arity is 2, 4 or 8 (insertion.rs).
func insert(cs *r1cs.CS, el Num, b []Bit, sib, out []Num) []Num {
	cs.In("insert", -1)
	defer cs.Out()
	switch len(b) {
	case 1:
		return append(out, pick(cs, b[0], sib[0], el), pick(cs, b[0], el, sib[0]))
	case 2:
		return insert4(cs, el, b, sib, out)
	default:
		return insert8(cs, el, b, sib, out)
	}
}

func insert4(cs *r1cs.CS, a Num, bits []Bit, sib, out []Num) []Num {
	b0, b1 := bits[0], bits[1]
	b, c, d := sib[0], sib[1], sib[2]
	p0 := pick(cs, b1, b, pick(cs, b0, b, a))
	p1 := pick(cs, b1, c, pick(cs, b0, a, b))
	p2 := pick(cs, b1, pick(cs, b0, d, a), c)
	p3 := pick(cs, b1, pick(cs, b0, a, d), d)
	return append(out, p0, p1, p2, p3)
}

func insert8(cs *r1cs.CS, a Num, bits []Bit, sib, out []Num) []Num {
	b0, b1, b2 := bits[0], bits[1], bits[2]
	b, c, d, e, f, g, h := sib[0], sib[1], sib[2], sib[3], sib[4], sib[5], sib[6]
	nor := norBits(cs, b0, b1)
	and := andBits(cs, b0, b1)
	p0 := pick(cs, b2, b, pick(cs, nor, a, b))
	p1 := pick(cs, b2, c, pick(cs, b1, c, pick(cs, b0, a, b)))
	p2 := pick(cs, b2, d, pick(cs, b1, pick(cs, b0, d, a), c))
	p3 := pick(cs, b2, e, pick(cs, and, a, d))
	p4 := pick(cs, b2, pick(cs, nor, a, f), e)
	p5 := pick(cs, b2, pick(cs, b1, g, pick(cs, b0, a, f)), f)
	p6 := pick(cs, b2, pick(cs, b1, pick(cs, b0, h, a), g), g)
	p7 := pick(cs, b2, pick(cs, and, a, h), h)
	return append(out, p0, p1, p2, p3, p4, p5, p6, p7)
}

// Select picks one of 2^len(b) numbers by its index, least significant bit
// first: it halves the list with the highest bit first (insertion.rs select).
func Select(cs *r1cs.CS, from []Num, b []Bit) Num {
	f := cs.Open("select")
	f.Key(uint64(len(from)))
	state := append([]Num(nil), from...)
	for i := range state {
		f.Wire(&state[i].ID)
	}
	b = bindBits(f, b)
	if f.Run() {
		for i := len(b) - 1; i >= 0; i-- {
			half := len(state) / 2
			for j := range half {
				state[j] = pick(cs, b[i], state[half+j], state[j])
			}
			state = state[:half]
		}
	}
	f.Result(&state[0].ID)
	cs.Close(f)
	return state[0]
}
