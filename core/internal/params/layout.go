package params

import (
	"math/bits"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Layout is how many points each part of a parameter file has.
type Layout struct {
	IC int // points in the verifying key: inputs, ONE included
	H  int // domain size − 1
	L  int // aux variables
	A  int // inputs and aux variables that occur in A
	B  int // inputs and aux variables that occur in B, in G1 and again in G2
}

// LayoutOf returns the layout of a circuit's parameters (docs/filecoin.md 4.1, 4.5).
func LayoutOf(c *r1cs.Circuit) Layout {
	a, b, bInputs := c.Density()
	return Layout{
		IC: c.NumInputs,
		H:  c.Domain() - 1,
		L:  c.NumAux,
		A:  c.NumInputs + countBits(a),
		B:  len(bInputs) + countBits(b),
	}
}

// vkFixed is the verifying key without its ic points.
const vkFixed = 3*curve.SizeG1 + 3*curve.SizeG2 + 4

// Size returns the length in bytes of the whole file.
func (l Layout) Size() int64 {
	g1 := int64(l.IC) + int64(l.H) + int64(l.L) + int64(l.A) + int64(l.B)
	return vkFixed + g1*curve.SizeG1 + int64(l.B)*curve.SizeG2 + 5*4
}

// Match compares the layout l of a file with the one that a circuit needs and
// names the first section that differs.
func (l Layout) Match(circuit Layout) error {
	for _, s := range []struct {
		name       string
		have, want int
	}{
		{"vk.ic", l.IC, circuit.IC},
		{"srs.h", l.H, circuit.H},
		{"srs.l", l.L, circuit.L},
		{"srs.a", l.A, circuit.A},
		{"srs.b_g1", l.B, circuit.B},
	} {
		if s.have != s.want {
			return status.New(status.SRSMismatch, s.name, "parameters of another circuit: %s has %d points, the circuit needs %d", s.name, s.have, s.want)
		}
	}
	return nil
}

// countBits counts the set bits of a bitmap.
func countBits(words []uint64) (n int) {
	for _, w := range words {
		n += bits.OnesCount64(w)
	}
	return n
}
