package device

import (
	"slices"

	"github.com/libcuzk/libcuzk/core/internal/poseidon"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/gpu"
)

// program converts the rules of a circuit into the device's form, with the hashes
// that they name by their arity.
func program(p *r1cs.Program) *gpu.Program {
	out := &gpu.Program{Args: p.Args, Starts: p.Starts, Order: p.Order, Waves: p.Waves, Given: p.Given}
	var arities []int
	for _, r := range p.Rules {
		out.Rules = append(out.Rules, gpu.Rule(r))
		if arity := int(r.Fn); r.Fn != r1cs.Pick && !slices.Contains(arities, arity) {
			arities = append(arities, arity)
		}
	}
	for _, arity := range arities {
		out.Hashes = append(out.Hashes, hash(poseidon.Merkle(arity)))
	}
	return out
}

// hash lays the constants out as cuzk_cuda.h says.
func hash(c *poseidon.Constants) gpu.Hash {
	h := gpu.Hash{T: c.T, Partial: c.RP}
	h.Constants = append(h.Constants, c.Tag)
	h.Constants = append(h.Constants, c.CC...)
	h.Constants = append(h.Constants, slices.Concat(c.M...)...)
	h.Constants = append(h.Constants, slices.Concat(c.PreSparse...)...)
	for _, s := range c.Sparse {
		h.Constants = append(append(h.Constants, s.Col...), s.Row...)
	}
	return h
}
