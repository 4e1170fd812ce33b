//go:build amd64 && !purego

package ntt

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

// factors are what frequency u of column c is multiplied by between two passes:
// first·(step·ω^c)^u, ω the root of the block.
type factors struct {
	root        fr.Element // ω
	first, step fr.Element
}

// tableKey names the factors of one pass.
type tableKey struct {
	stride int
	factors
}

// ratios returns step·ω^c for the columns of a group, or of the only column of
// neighbouring blocks.
func (f *factors) ratios(lanes, stride, column int) []fr.Element {
	e := make([]fr.Element, lanes)
	e[0] = power(&f.root, column)
	e[0].Mul(&e[0], &f.step)
	for l := range e[1:] {
		e[l+1] = e[l]
		if stride > 1 {
			e[l+1].Mul(&e[l], &f.root)
		}
	}
	return e
}

// table returns the factors of a pass for all columns, or nil where there are none or
// too many. The list of a group is in bit-reversed order of u.
func (b *blocked[V, T]) table(p *pass[T], f factors) []V {
	if p.size*p.stride > maxTable || p.stride == 1 && f.step.IsOne() {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	key := tableKey{p.stride, f}
	t := b.tables[key]
	if t == nil {
		t = make([]V, p.size*max(1, p.stride/b.lanes))
		for at := 0; at < len(t); at += p.size {
			b.fill(t[at:at+p.size], &f.first, f.ratios(b.lanes, p.stride, at/p.size*b.lanes))
		}
		b.tables[key] = t
	}
	return t
}
