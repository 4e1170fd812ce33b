package r1cs

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"libcuzk/core/internal/spawn"
)

// QAP returns a_v(τ), b_v(τ) and c_v(τ) for every variable v, inputs then aux
// (bellperson groth16/generator.rs): Σ over rows of coefficient · lagrange[row],
// where lagrange holds the Lagrange polynomials at τ, length Domain(). The
// appended rows input_i·0 = 0 are included.
func (c *Circuit) QAP(lagrange []fr.Element, workers int) (at, bt, ct []fr.Element) {
	tasks := []func(){
		func() {
			at = c.qap(lagrange, func(t *template) *matrix { return &t.a })
			for i := range c.NumInputs {
				at[i].Add(&at[i], &lagrange[c.NumRows+i])
			}
		},
		func() { bt = c.qap(lagrange, func(t *template) *matrix { return &t.b }) },
		func() { ct = c.qap(lagrange, func(t *template) *matrix { return &t.c }) },
	}
	spawn.Range(min(workers, len(tasks)), len(tasks), func(_, lo, hi int) {
		for _, task := range tasks[lo:hi] {
			task()
		}
	})
	return at, bt, ct
}

func (c *Circuit) qap(lagrange []fr.Element, pick func(*template) *matrix) []fr.Element {
	out := make([]fr.Element, c.NumInputs+c.NumAux)
	var prod fr.Element
	for _, in := range c.instances {
		t := c.templates[in.tmpl]
		m := pick(t)
		for r := range t.rows {
			l := &lagrange[int(in.row)+r]
			for k := m.start[r]; k < m.start[r+1]; k++ {
				dst := &out[c.column(in, t, m.slot[k])]
				switch m.coef[k] {
				case coefOne:
					dst.Add(dst, l)
				case coefMinusOne:
					dst.Sub(dst, l)
				default:
					prod.Mul(l, &c.coefs[m.coef[k]])
					dst.Add(dst, &prod)
				}
			}
		}
	}
	return out
}

// column is the QAP column of a slot: inputs first, then aux.
func (c *Circuit) column(in instance, t *template, slot uint32) int {
	s := int(slot) - 1
	if s < 0 {
		return 0
	}
	if s < t.wires {
		v := c.wires[int(in.wire)+s]
		if v.tag() == tagInput {
			return v.index()
		}
		return c.NumInputs + v.index()
	}
	if s -= t.wires; s < t.inputs {
		return int(in.input) + s
	}
	return c.NumInputs + int(in.aux) + s - t.inputs
}
