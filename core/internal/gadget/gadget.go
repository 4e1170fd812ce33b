// Package gadget defines the circuit building blocks of Filecoin's proofs, each
// once, for record and solve mode of r1cs: booleans, 32-bit words, SHA-256,
// field numbers, Poseidon and Merkle paths.
//
// Allocations and rows come in the exact order of the published gadgets
// (bellpepper-core gadgets boolean and num; bellperson gadgets uint32, multieq,
// sha256, multipack; storage-proofs-core gadgets; neptune circuit.rs), because
// that order is part of the trusted setup. A gadget is a call (r1cs.Frame): its
// rows are stored once per pattern of constants.
package gadget

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Num is an allocated variable and its value.
type Num struct {
	Val fr.Element
	ID  r1cs.Var
}

// Bit is an allocated bit variable and its value.
type Bit struct {
	Val bool
	ID  r1cs.Var
}

var (
	one      = fr.One()
	minusOne = func() (e fr.Element) { e.Neg(&one); return e }()
	two      = func() (e fr.Element) { e.SetUint64(2); return e }()

	// powersOfTwo[i] = 2^i in Fr, for every bit of a field element and the
	// sums of MultiEq.
	powersOfTwo = func() (p [256]fr.Element) {
		p[0] = one
		for i := 1; i < len(p); i++ {
			p[i].Double(&p[i-1])
		}
		return p
	}()
)

// term and lc shorten row definitions.
func term(v r1cs.Var, c fr.Element) r1cs.Term { return r1cs.Term{V: v, C: c} }
func lc(terms ...r1cs.Term) r1cs.LC           { return terms }
func variable(v r1cs.Var) r1cs.LC             { return lc(term(v, one)) }

// constant is the linear combination c·ONE.
func constant(c fr.Element) r1cs.LC { return lc(term(r1cs.One, c)) }

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// enforceBits constrains n consecutive variables from first on to 0/1:
// (1 − a)·a = 0 (bellpepper-core boolean.rs AllocatedBit::alloc).
func enforceBits(cs *r1cs.CS, first r1cs.Var, n int) {
	if !cs.Recording() {
		return
	}
	for i := range n {
		v := first + r1cs.Var(i)
		cs.Enforce(lc(term(r1cs.One, one), term(v, minusOne)), variable(v), nil)
	}
}

// allocBits allocates n ≤ 64 constrained bits, bit i of v first.
func allocBits(cs *r1cs.CS, v uint64, n int) r1cs.Var {
	first := cs.AllocBits(v, n)
	enforceBits(cs, first, n)
	return first
}

// AllocBits allocates len(dst) ≤ 64 bits, least significant bit of v first.
func AllocBits(cs *r1cs.CS, v uint64, dst []Bit) {
	f := cs.Open("alloc_bits")
	f.Key(uint64(len(dst)))
	var first r1cs.Var
	if f.Run() {
		first = allocBits(cs, v, len(dst))
	}
	for i := range dst {
		dst[i] = Bit{v>>i&1 == 1, first + r1cs.Var(i)}
		f.Result(&dst[i].ID)
	}
	cs.Close(f)
}
