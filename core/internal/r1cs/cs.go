package r1cs

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// CS is what gadgets are written against. In solve mode every allocation
// appends its value to a packed witness; in record mode values are ignored and
// rows, templates and instances are collected. Gadgets compute values in both
// modes and build linear combinations only when Recording.
//
// A CS is used by one goroutine.
type CS struct {
	rec *recorder // nil in solve mode

	wit      *Witness
	pos      int  // next aux index, solve mode
	mismatch bool // Mismatch was called
	sketch   bool // what follows by rules is left out
}

// Recording reports whether rows are wanted.
func (cs *CS) Recording() bool { return cs.rec != nil }

// AllocBits allocates n ≤ 64 consecutive bit variables; bit i of v is the value
// of the i-th. The caller must constrain each to 0/1.
func (cs *CS) AllocBits(v uint64, n int) Var {
	if cs.rec != nil {
		return cs.rec.allocAux(n, true)
	}
	if n == 0 {
		return 0
	}
	v &= ^uint64(0) >> (64 - uint(n))
	word, shift := cs.pos>>6, uint(cs.pos&63)
	cs.wit.Bits[word] |= v << shift
	if shift+uint(n) > 64 {
		cs.wit.Bits[word+1] |= v >> (64 - shift)
	}
	cs.pos += n
	return 0
}

// AllocScalar allocates one aux variable of any value.
func (cs *CS) AllocScalar(v *fr.Element) Var {
	if cs.rec != nil {
		return cs.rec.allocAux(1, false)
	}
	cs.wit.Scalars = append(cs.wit.Scalars, *v)
	cs.pos++
	return 0
}

// AllocScalars allocates n aux variables in solve mode and returns the memory
// for their values, which the caller must fill before it allocates again.
func (cs *CS) AllocScalars(n int) []fr.Element {
	at := len(cs.wit.Scalars)
	cs.wit.Scalars = cs.wit.Scalars[:at+n]
	cs.pos += n
	return cs.wit.Scalars[at:]
}

// AllocInput allocates one public input.
func (cs *CS) AllocInput(v *fr.Element) Var {
	if cs.rec != nil {
		return cs.rec.allocInput()
	}
	cs.wit.Inputs = append(cs.wit.Inputs, *v)
	return 0
}

// Enforce appends the row a·b = c. It may only be called when Recording.
func (cs *CS) Enforce(a, b, c LC) { cs.rec.enforce(a, b, c) }

// Mismatch says, in solve mode, that two values that a row makes equal differ:
// solving will fail with the first row that does not hold.
func (cs *CS) Mismatch() { cs.mismatch = true }

// In enters a named scope, index < 0 for none; Out leaves it. Scopes only serve
// the paths of error messages.
func (cs *CS) In(name string, index int) {
	if cs.rec != nil {
		cs.rec.in(name, index)
	}
}

// Out leaves the innermost scope.
func (cs *CS) Out() {
	if cs.rec != nil {
		cs.rec.out()
	}
}
