package r1cs

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// Flat is a circuit's matrices A and B as plain arrays, the form in which a
// device evaluates them (gpu/cuda/r1cs). Sources and wires are tagged indices:
// see the Src constants.
type Flat struct {
	NumRows, NumInputs, NumAux, NumScalars int

	Coefs     []fr.Element // Montgomery form; 0 is one, 1 is minus one
	Templates []FlatTemplate
	Instances []FlatInstance
	Wires     []uint32 // sources, of the kinds SrcOne, SrcInput, SrcBit and SrcScalar
	Starts    []uint32 // per template and matrix: rows+1 term indices
	Terms     []FlatTerm
}

// FlatTemplate locates a template's rows: row r of matrix m (0 A, 1 B) has the
// terms Starts[Start[m]+r] … Starts[Start[m]+r+1].
type FlatTemplate struct {
	Rows  uint32
	Start [2]uint32
}

// FlatInstance is a call of a template.
type FlatInstance struct {
	Template, Row, Wire, Input, Aux, Scalar uint32 // Scalar: scalar variables before the call
}

// FlatTerm is one coefficient of a row. Src is relative to the instance for
// inputs, bits (from Aux) and scalars (from Scalar); SrcWire is an index from
// the instance's first wire.
type FlatTerm struct{ Src, Coef uint32 }

// Kinds of sources, in the top three bits.
const (
	SrcOne    uint32 = 0 << 29
	SrcInput  uint32 = 1 << 29 // index of a public input
	SrcBit    uint32 = 2 << 29 // position in the witness bitmap
	SrcScalar uint32 = 3 << 29 // index into the witness's scalars
	SrcWire   uint32 = 4 << 29
)

// Flat exports the circuit. Coefs is shared with the circuit.
func (c *Circuit) Flat() *Flat {
	f := &Flat{
		NumRows: c.NumRows, NumInputs: c.NumInputs, NumAux: c.NumAux, NumScalars: c.scalars,
		Coefs:     c.coefs,
		Templates: make([]FlatTemplate, len(c.templates)),
		Instances: make([]FlatInstance, len(c.instances)),
		Wires:     make([]uint32, len(c.wires)),
	}
	for i, t := range c.templates {
		f.Templates[i] = FlatTemplate{uint32(t.rows), [2]uint32{f.matrix(t, &t.a), f.matrix(t, &t.b)}}
	}
	for i, in := range c.instances {
		f.Instances[i] = FlatInstance{in.tmpl, in.row, in.wire, in.input, in.aux, uint32(c.scalarRank(int(in.aux)))}
	}
	for i, v := range c.wires {
		f.Wires[i] = c.source(v)
	}
	return f
}

func (c *Circuit) source(v Var) uint32 {
	i := v.index()
	switch {
	case v == One:
		return SrcOne
	case v.tag() == tagInput:
		return SrcInput | uint32(i)
	case c.isBit(i):
		return SrcBit | uint32(i)
	default:
		return SrcScalar | uint32(c.scalarRank(i))
	}
}

// matrix appends a template's rows and returns where its starts begin.
func (f *Flat) matrix(t *template, m *matrix) uint32 {
	at, terms := len(f.Starts), uint32(len(f.Terms))
	for _, s := range m.start {
		f.Starts = append(f.Starts, terms+s)
	}
	for i, s := range m.slot {
		f.Terms = append(f.Terms, FlatTerm{t.source(s), m.coef[i]})
	}
	return uint32(at)
}

func (t *template) source(slot uint32) uint32 {
	if slot == 0 {
		return SrcOne
	}
	if slot--; int(slot) < t.wires {
		return SrcWire | slot
	}
	if slot -= uint32(t.wires); int(slot) < t.inputs {
		return SrcInput | slot
	}
	p := t.place[int(slot)-t.inputs]
	if p&scalarPlace != 0 {
		return SrcScalar | p&^scalarPlace
	}
	return SrcBit | p
}
