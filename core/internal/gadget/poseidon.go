package gadget

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/poseidon"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Poseidon hashes T−1 numbers (neptune circuit.rs poseidon_hash, the "legacy"
// circuit): 3 rows for each S-box, one more where its argument has to be
// allocated first, one for the result.
func Poseidon(cs *r1cs.CS, c *poseidon.Constants, in []Num) Num {
	f := cs.Open("poseidon")
	if f != nil {
		f.Key(uint64(c.T))
		f.Key(c.Tag.Bits()[0])
		in = append([]Num(nil), in...)
		for i := range in {
			f.Wire(&in[i].ID)
		}
	}
	var out Num
	if f.Run() {
		switch {
		case cs.Recording():
			out.ID = permute(cs, c, in)
			follows(cs, c, in, out.ID)
		case cs.Sketching() && Hashes(c):
			cs.Skip(c.Variables())
		default:
			out.Val = trace(cs, c, in)
		}
	}
	f.Result(&out.ID)
	cs.Close(f)
	return out
}

// Hashes reports whether a device can compute a hash: small ones of trees. Then
// its arity is the rule of its variables.
func Hashes(c *poseidon.Constants) bool { return c.T <= 9 && c == poseidon.Merkle(c.T-1) }

// follows says that the variables of a hash, the last of which is its result,
// follow from its inputs.
func follows(cs *r1cs.CS, c *poseidon.Constants, in []Num, out r1cs.Var) {
	if !Hashes(c) {
		return
	}
	args := make([]r1cs.Var, len(in))
	for i := range in {
		args[i] = in[i].ID
	}
	n := c.Variables()
	cs.Follows(uint32(len(in)), out-r1cs.Var(n-1), n, args...)
}

// trace computes the values of all variables that permute allocates, in its
// order. Nearly all witness generation of PoSt happens here, so the hash works
// on the witness's memory in one go (poseidon.Trace).
func trace(cs *r1cs.CS, c *poseidon.Constants, in []Num) fr.Element {
	var buf [poseidon.MaxWidth]fr.Element
	values := buf[:len(in)]
	for i := range in {
		values[i] = in[i].Val
	}
	out := cs.AllocScalars(c.Variables())
	c.Trace(values, out)
	return out[len(out)-1]
}

// permutation is the state of a Poseidon permutation in record mode: the linear
// combination behind each element.
type permutation struct {
	cs *r1cs.CS
	c  *poseidon.Constants
	lc []r1cs.LC
}

// permute records the rows and returns the result's variable.
func permute(cs *r1cs.CS, c *poseidon.Constants, in []Num) r1cs.Var {
	p := &permutation{cs: cs, c: c, lc: make([]r1cs.LC, c.T)}
	t, half := c.T, c.RF/2
	cc := c.CC

	p.firstRound(in, cc[:t], cc[t:2*t])
	p.dense(c.M)
	for r := 1; r < half; r++ {
		p.fullRound(cc[(r+1)*t : (r+2)*t])
		if r < half-1 {
			p.dense(c.M)
		} else {
			p.dense(c.PreSparse)
		}
	}
	cc = cc[(half+1)*t:]
	for k := range c.RP {
		p.allocate(0)
		p.sbox(0, nil, &cc[k])
		p.sparse(k)
	}
	for cc = cc[c.RP:]; len(cc) > 0; cc = cc[t:] {
		p.fullRound(cc[:t])
		p.dense(c.M)
	}
	p.fullRound(nil)
	p.dense(c.M)
	p.allocate(1)
	return p.lc[1][0].V
}

// firstRound folds the domain tag, a constant, and adds the first round's
// constants inside the S-boxes of the inputs.
func (p *permutation) firstRound(in []Num, pre, post []fr.Element) {
	var x, x5 fr.Element
	x.Add(&p.c.Tag, &pre[0])
	x5.Square(&x)
	x5.Square(&x5)
	x5.Mul(&x5, &x)
	x5.Add(&x5, &post[0])
	p.lc[0] = constant(x5)
	for i := range in {
		p.lc[i+1] = variable(in[i].ID)
		p.sbox(i+1, &pre[i+1], &post[i+1])
	}
}

// fullRound applies the S-box to every element; post is nil in the last round.
func (p *permutation) fullRound(post []fr.Element) {
	for i := range p.c.T {
		p.allocate(i)
		if post == nil {
			p.sbox(i, nil, nil)
		} else {
			p.sbox(i, nil, &post[i])
		}
	}
}

// allocScalar allocates a variable whose value trace computes.
func (p *permutation) allocScalar() r1cs.Var { return p.cs.AllocScalar(&fr.Element{}) }

// allocate replaces element i by a variable: lc·1 = v.
func (p *permutation) allocate(i int) {
	v := p.allocScalar()
	p.cs.Enforce(p.lc[i], constant(one), variable(v))
	p.lc[i] = variable(v)
}

// sbox replaces element i by l5 = (v + pre)^5 + post: l·l = l2, l2·l2 = l4,
// l·l4 = l5 − post with l = v + pre.
func (p *permutation) sbox(i int, pre, post *fr.Element) {
	v2, v4, v5 := p.allocScalar(), p.allocScalar(), p.allocScalar()
	l, right := p.lc[i], variable(v5)
	if pre != nil {
		l = append(l[:len(l):len(l)], term(r1cs.One, *pre))
	}
	if post != nil {
		var c fr.Element
		c.Neg(post)
		right = append(right, term(r1cs.One, c))
	}
	p.cs.Enforce(l, l, variable(v2))
	p.cs.Enforce(variable(v2), variable(v2), variable(v4))
	p.cs.Enforce(l, variable(v4), right)
	p.lc[i] = variable(v5)
}

// dense multiplies the state by a matrix; linear, so there are no rows.
func (p *permutation) dense(m [][]fr.Element) {
	next := make([]r1cs.LC, p.c.T)
	for j := range next {
		for i := range p.lc {
			next[j] = appendScaled(next[j], p.lc[i], &m[i][j])
		}
	}
	p.lc = next
}

func (p *permutation) sparse(k int) {
	s := p.c.Sparse[k]
	var first r1cs.LC
	for i := range p.lc {
		first = appendScaled(first, p.lc[i], &s.Col[i])
	}
	for j := 1; j < len(p.lc); j++ {
		p.lc[j] = appendScaled(p.lc[j], p.lc[0], &s.Row[j-1])
	}
	p.lc[0] = first
}
