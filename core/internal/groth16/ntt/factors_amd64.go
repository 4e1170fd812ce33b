//go:build amd64 && !purego

package ntt

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/field"
)

// factors are what frequency u of column c is multiplied by between two passes:
// first·(step·ω^c)^u, ω the root of the block.
type factors struct {
	direction   int
	first, step fr.Element
}

// tableKey names the factors of one pass.
type tableKey struct {
	stride int
	factors
}

// table returns the factors of a pass for all columns, or nil where there are
// none or too many. The list for four columns is in bit-reversed order of u.
func (b *blocked) table(p *pass, f factors) []field.Fr4 {
	if p.size*p.stride > maxTable || p.stride == 1 && f.step.IsOne() {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	key := tableKey{p.stride, f}
	t := b.tables[key]
	if t == nil {
		t = make([]field.Fr4, p.size*max(1, p.stride/4))
		for at := 0; at < len(t); at += p.size {
			f.fill(p, t[at:at+p.size], at/p.size*4)
		}
		b.tables[key] = t
	}
	return t
}

// fill computes the factors of columns column … column + 3, or of the only column
// of four blocks.
func (f *factors) fill(p *pass, out []field.Fr4, column int) {
	var e [4]fr.Element
	e[0] = power(&p.root[f.direction], column)
	e[0].Mul(&e[0], &f.step)
	for l := range e[1:] {
		e[l+1] = e[l]
		if p.stride > 1 {
			e[l+1].Mul(&e[l], &p.root[f.direction])
		}
	}
	ratio, w := factor(&e), same(f.first)
	for u := range out {
		out[reverse(u, p.size)] = w
		field.MulFr4(&w, &w, &ratio, 1)
	}
}
