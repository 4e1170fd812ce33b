package r1cs

import (
	"encoding/binary"
)

// Frame is one gadget call in record mode. The outermost call makes or reuses a
// template; nested calls are part of their caller's template and have a nil
// Frame, as all calls have in solve mode. The methods of a nil Frame do nothing.
//
// A call goes: Open, Key and Wire for everything that the rows depend on, Run
// (false: a template for this key exists, skip the body), body, Meta and
// Result for everything that the caller uses, Close.
type Frame struct {
	rec   *recorder
	key   []byte
	wires []Var
	tmpl  *template
	fresh bool
	meta  int // next entry of tmpl.meta
	outs  int // next entry of tmpl.outs
}

// Open starts a gadget call. The name is part of the template's key.
func (cs *CS) Open(name string) *Frame {
	r := cs.rec
	if r == nil {
		return nil
	}
	r.in(name, -1)
	if r.depth++; r.depth > 1 {
		return nil
	}
	f := &r.frame
	*f = Frame{rec: r, key: append(append(f.key[:0], name...), 0), wires: f.wires[:0]}
	return f
}

// Key adds a value that the rows depend on: a constant, a mask, a length.
func (f *Frame) Key(v uint64) {
	if f != nil {
		f.key = binary.LittleEndian.AppendUint64(f.key, v)
	}
}

// Wire makes *v an input of the template and replaces it by its local name.
func (f *Frame) Wire(v *Var) {
	if f != nil {
		f.wires = append(f.wires, *v)
		*v = tagWire | Var(len(f.wires)-1)
	}
}

// Run reports whether the body has to run.
func (f *Frame) Run() bool {
	if f == nil {
		return true
	}
	f.tmpl, f.fresh = f.rec.lookup(f.key, len(f.wires))
	return f.fresh
}

// Fresh repeats the answer of Run.
func (f *Frame) Fresh() bool { return f == nil || f.fresh }

// Meta keeps a value that the body computes from its key, such as the mask of
// the constant bits of a result.
func (f *Frame) Meta(v *uint64) {
	if f == nil {
		return
	}
	if f.fresh {
		f.tmpl.meta = append(f.tmpl.meta, *v)
	}
	*v = f.tmpl.meta[f.meta]
	f.meta++
}

// Result makes *v, a local name that the body produced, a result of the call
// and replaces it by its name outside.
func (f *Frame) Result(v *Var) {
	if f == nil {
		return
	}
	if f.fresh {
		f.tmpl.outs = append(f.tmpl.outs, *v)
	}
	*v = f.rec.outside(f.tmpl.outs[f.outs], f.wires)
	f.outs++
}

// Close ends the call that Open started; cs is the one that opened it.
func (cs *CS) Close(f *Frame) {
	r := cs.rec
	if r == nil {
		return
	}
	if r.depth--; f != nil {
		r.finish(f)
	}
	r.out()
}
