// Package toy defines a small circuit with every kind of variable, for tests of
// parameters and provers.
package toy

import (
	"context"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Compile records the circuit: rounds times y = x² + b₀ + 2·b₁ + … + 2⁷·b₇ of
// the previous x and eight bits, then the last x becomes a public input.
func Compile(rounds int) *r1cs.Circuit {
	return r1cs.Compile(func(cs *r1cs.CS) { build(cs, make([]byte, rounds)) })
}

// Solve computes a witness of the circuit of len(bytes) rounds.
func Solve(c *r1cs.Circuit, bytes []byte) (*r1cs.Witness, error) {
	return c.Solve(context.Background(), func(cs *r1cs.CS) { build(cs, bytes) })
}

type num struct {
	v  fr.Element
	id r1cs.Var
}

func build(cs *r1cs.CS, bytes []byte) {
	x := num{}
	x.v.SetUint64(3)
	f := cs.Open("start")
	if f.Run() {
		x.id = cs.AllocScalar(&x.v)
	}
	f.Result(&x.id)
	cs.Close(f)
	for _, b := range bytes {
		x = round(cs, x, b)
	}
	f = cs.Open("public")
	f.Wire(&x.id)
	if f.Run() {
		in := cs.AllocInput(&x.v)
		if cs.Recording() {
			cs.Enforce(of(in), of(r1cs.One), of(x.id))
		}
	}
	cs.Close(f)
}

// round allocates the square, eight bits and the result.
func round(cs *r1cs.CS, x num, b byte) (y num) {
	f := cs.Open("round")
	f.Wire(&x.id)
	var square num
	square.v.Square(&x.v)
	y.v.SetUint64(uint64(b))
	y.v.Add(&y.v, &square.v)
	if f.Run() {
		square.id = cs.AllocScalar(&square.v)
		bits := cs.AllocBits(uint64(b), 8)
		y.id = cs.AllocScalar(&y.v)
		if cs.Recording() {
			enforce(cs, x.id, square.id, bits, y.id)
		}
	}
	f.Result(&y.id)
	cs.Close(f)
	return y
}

func enforce(cs *r1cs.CS, x, square, bits, y r1cs.Var) {
	cs.Enforce(of(x), of(x), of(square))
	one := fr.One()
	var minus, weight fr.Element
	minus.Neg(&one)
	sum := of(square)
	weight.SetOne()
	for i := range r1cs.Var(8) {
		cs.Enforce(r1cs.LC{{V: r1cs.One, C: one}, {V: bits + i, C: minus}}, of(bits+i), nil)
		sum = append(sum, r1cs.Term{V: bits + i, C: weight})
		weight.Double(&weight)
	}
	cs.Enforce(sum, of(r1cs.One), of(y))
}

func of(v r1cs.Var) r1cs.LC { return r1cs.LC{{V: v, C: fr.One()}} }
