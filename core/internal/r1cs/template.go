package r1cs

import (
	"slices"
	"sort"
)

// template is the rows of one gadget call pattern over its slots: slot 0 is
// ONE, then come the wires, the inputs and the aux variables that the call
// allocates.
type template struct {
	id                       uint32
	wires, inputs, aux, rows int
	scalars                  int      // aux variables that are not bits
	bits                     []uint64 // bitmap over aux: bit variables
	place                    []uint32 // where the witness keeps each aux variable
	a, b, c                  matrix
	rules                    []rule // how some of the aux variables follow from others
	derived                  int    // as many
	meta                     []uint64
	outs                     []Var
	paths                    []pathNote
}

// pathNote says that the rows from row on belong to path.
type pathNote struct {
	row  int
	path string
}

// matrix is sparse by rows: row i has the terms start[i] … start[i+1].
type matrix struct {
	start []uint32
	slot  []uint32
	coef  []uint32 // index into the circuit's coefficient table
}

const (
	coefOne      = 0
	coefMinusOne = 1
)

func (t *template) slotOf(v Var) uint32 {
	switch v.tag() {
	case tagWire:
		return uint32(1 + v.index())
	case tagInput:
		if v == One {
			return 0
		}
		return auxSlotLimit + uint32(v.index()-1) // moved by seal: the number of inputs is not known yet
	default:
		return 2*auxSlotLimit + uint32(v.index())
	}
}

// auxSlotLimit separates inputs and aux while a template is being recorded.
const auxSlotLimit = 1 << 30

// append adds one row with equal variables merged and zero terms dropped, as
// bellperson's linear combinations have them (bellperson lc.rs).
func (m *matrix) append(r *recorder, t *template, lc LC) {
	if len(m.start) == 0 {
		m.start = append(m.start, 0)
	}
	for _, term := range merge(lc) {
		m.slot = append(m.slot, t.slotOf(term.V))
		m.coef = append(m.coef, r.coef(term.C))
	}
	m.start = append(m.start, uint32(len(m.slot)))
}

// merge sorts lc by variable, adds equal variables and drops zeros. It may
// reuse lc's memory.
func merge(lc LC) LC {
	if !sort.SliceIsSorted(lc, func(i, j int) bool { return lc[i].V < lc[j].V }) {
		lc = slices.Clone(lc)
		slices.SortStableFunc(lc, func(x, y Term) int { return int(int64(x.V) - int64(y.V)) })
	}
	out := make(LC, 0, len(lc))
	for _, x := range lc {
		if n := len(out); n > 0 && out[n-1].V == x.V {
			out[n-1].C.Add(&out[n-1].C, &x.C)
		} else {
			out = append(out, x)
		}
	}
	return slices.DeleteFunc(out, func(x Term) bool { return x.C.IsZero() })
}

// seal gives slots their final numbers once the template is complete.
func (t *template) seal() {
	inputBase, auxBase := uint32(1+t.wires), uint32(1+t.wires+t.inputs)
	for _, m := range []*matrix{&t.a, &t.b, &t.c} {
		for i, s := range m.slot {
			switch {
			case s >= 2*auxSlotLimit:
				m.slot[i] = auxBase + s - 2*auxSlotLimit
			case s >= auxSlotLimit:
				m.slot[i] = inputBase + s - auxSlotLimit
			}
		}
		if len(m.start) == 0 {
			m.start = []uint32{0}
		}
		m.start, m.slot, m.coef = slices.Clip(m.start), slices.Clip(m.slot), slices.Clip(m.coef)
	}
	t.place = make([]uint32, t.aux)
	for i := range t.place {
		if t.bits[i>>6]>>(i&63)&1 == 1 {
			t.place[i] = uint32(i)
		} else {
			t.place[i] = scalarPlace | uint32(t.scalars)
			t.scalars++
		}
	}
}

// scalarPlace marks a place in the dense array, relative to the instance's
// first scalar; otherwise a place is a bit position relative to its first aux.
const scalarPlace = 1 << 31

// note records the path of the row about to be appended.
func (t *template) note(s []scope) {
	p := scopePath(s)
	if n := len(t.paths); n == 0 || t.paths[n-1].path != p {
		t.paths = append(t.paths, pathNote{t.rows, p})
	}
}

func (t *template) path(row int) string {
	i := sort.Search(len(t.paths), func(i int) bool { return t.paths[i].row > row })
	if i == 0 {
		return ""
	}
	return t.paths[i-1].path
}
