package r1cs

import (
	"fmt"
	"slices"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

type scope struct {
	name  string
	index int
}

// recorder collects a circuit. Allocation and rows always go to the template
// being recorded; a gadget that allocates outside any call is a programming
// error and panics.
type recorder struct {
	c      *Circuit
	byKey  map[string]*template
	coefs  map[fr.Element]uint32
	open   *template // being recorded
	frame  Frame
	depth  int
	scopes []scope
	base   int  // scopes outside the open call
	moved  bool // scopes changed since the last row

	target int    // row whose path is wanted, -1 for none
	found  string // its path
}

func newRecorder() *recorder {
	r := &recorder{c: &Circuit{NumInputs: 1}, byKey: map[string]*template{}, coefs: map[fr.Element]uint32{}, target: -1}
	one := fr.One()
	var minus fr.Element
	minus.Neg(&one)
	r.coef(one)   // coefOne
	r.coef(minus) // coefMinusOne
	return r
}

func (r *recorder) in(name string, index int) {
	r.scopes = append(r.scopes, scope{name, index})
	r.moved = true
}

func (r *recorder) out() {
	r.scopes = r.scopes[:len(r.scopes)-1]
	r.moved = true
}

func (r *recorder) coef(c fr.Element) uint32 {
	id, ok := r.coefs[c]
	if !ok {
		id = uint32(len(r.c.coefs))
		r.coefs[c] = id
		r.c.coefs = append(r.c.coefs, c)
	}
	return id
}

// lookup finds the template of key or opens a new one.
func (r *recorder) lookup(key []byte, wires int) (t *template, fresh bool) {
	if t = r.byKey[string(key)]; t != nil {
		return t, false
	}
	t = &template{wires: wires, id: uint32(len(r.c.templates))}
	r.c.templates = append(r.c.templates, t)
	r.byKey[string(key)] = t
	r.open, r.base = t, len(r.scopes)
	return t, true
}

func (r *recorder) allocAux(n int, bit bool) Var {
	t := r.open
	first := t.aux
	t.aux += n
	for len(t.bits)*64 < t.aux {
		t.bits = append(t.bits, 0)
	}
	if bit {
		for i := first; i < t.aux; i++ {
			t.bits[i>>6] |= 1 << (i & 63)
		}
	}
	return tagAux | Var(first)
}

func (r *recorder) allocInput() Var {
	r.open.inputs++
	return tagInput | Var(r.open.inputs)
}

func (r *recorder) enforce(a, b, c LC) {
	t := r.open
	if r.moved || t.rows == 0 {
		t.note(r.scopes[r.base:])
		r.moved = false
	}
	t.a.append(r, t, a)
	t.b.append(r, t, b)
	t.c.append(r, t, c)
	t.rows++
}

// outside translates a local name of the call being closed; the circuit's
// counters still stand where the call began.
func (r *recorder) outside(v Var, wires []Var) Var {
	switch v.tag() {
	case tagWire:
		return wires[v.index()]
	case tagInput:
		if v == One {
			return One
		}
		return tagInput | Var(r.c.NumInputs+v.index()-1)
	default:
		return tagAux | Var(r.c.NumAux+v.index())
	}
}

// finish appends the instance of a call and moves the circuit's counters on.
func (r *recorder) finish(f *Frame) {
	c, t := r.c, f.tmpl
	if f.fresh {
		t.seal()
		r.open = nil
	}
	if r.target >= c.NumRows && r.target < c.NumRows+t.rows {
		r.found = scopePath(r.scopes) + t.path(r.target-c.NumRows)
	}
	c.instances = append(c.instances, instance{
		tmpl: t.id, aux: uint32(c.NumAux), row: uint32(c.NumRows), input: uint32(c.NumInputs), wire: uint32(len(c.wires)),
	})
	c.wires = append(c.wires, f.wires...)
	c.NumAux += t.aux
	c.NumRows += t.rows
	c.NumInputs += t.inputs
}

func scopePath(s []scope) string {
	out := ""
	for _, x := range s {
		out += "/" + x.name
		if x.index >= 0 {
			out += fmt.Sprintf("[%d]", x.index)
		}
	}
	return out
}

// Compile runs build in record mode. Building is deterministic, so the same
// function finds the path of a row later (Circuit.Path).
func Compile(build func(*CS)) *Circuit {
	r := newRecorder()
	build(&CS{rec: r})
	r.c.build = build
	r.c.wires = slices.Clip(r.c.wires)
	r.c.instances = slices.Clip(r.c.instances)
	r.c.finish()
	return r.c
}

// Path names the gadget that row belongs to, e.g.
// "/challenge[3]/label[5]/sha256/round[12]/maj". It records the circuit again.
func (c *Circuit) Path(row int) string {
	r := newRecorder()
	r.target = row
	c.build(&CS{rec: r})
	return r.found
}
