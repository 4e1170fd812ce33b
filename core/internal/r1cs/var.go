// Package r1cs holds a rank-1 constraint system in two forms made by the same
// gadget code: a compiled circuit (record mode) and a packed witness (solve
// mode).
//
// A compiled circuit is small because it stores each gadget call pattern once,
// as a template of rows, and every call as an instance of 20 bytes plus its
// input wires (docs/design.md 2.1). A packed witness keeps variables that the circuit
// constrains to 0/1 by construction in a bitmap and all others in a dense array
// (docs/design.md 2.2).
//
// Variables are numbered as bellperson does (bellperson
// groth16/prover/mod.rs): inputs and aux have separate counters in the order
// of allocation; input 0 is ONE.
package r1cs

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

// Var names a variable. Outside a gadget call it is an aux or an input index of
// the circuit; inside one it is relative to the call: a wire, or an aux or
// input that the call allocated.
type Var uint32

const (
	tagAux   Var = 0
	tagInput Var = 1 << 30
	tagWire  Var = 2 << 30
	tagMask  Var = 3 << 30

	// One is the constant input 0.
	One = tagInput
)

func (v Var) tag() Var   { return v & tagMask }
func (v Var) index() int { return int(v &^ tagMask) }

// Term is Coef·Var.
type Term struct {
	V Var
	C fr.Element
}

// LC is a linear combination: a sum of terms, in any order, variables may repeat.
type LC []Term
