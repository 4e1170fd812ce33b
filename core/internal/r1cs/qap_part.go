package r1cs

import (
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// qapPart is a run of instances. What they allocate is theirs alone, and wires
// of a run mostly lead to earlier instances of it, so parts need no locks: they
// collect the few other variables by themselves.
type qapPart struct {
	c        *Circuit
	q        *QAP
	lo, hi   int             // aux variables of the run
	sums     [3][]fr.Element // of the slots of an instance
	lagrange []fr.Element    // of some instances' rows
	others   map[Var]*[3]fr.Element
}

// qapRows is how many rows' Lagrange polynomials are made at a time, about: so
// many stay in the cache.
const qapRows = 1 << 12

func (p *qapPart) run(c *Circuit, q *QAP, lagrange func(int, []fr.Element), from, to int) {
	if from == to {
		return
	}
	*p = qapPart{c: c, q: q, others: map[Var]*[3]fr.Element{}}
	p.lo, p.hi = int(c.instances[from].aux), c.auxEnd(to-1)
	for from < to {
		first, rows, end := int(c.instances[from].row), 0, from
		for end < to && rows < qapRows {
			rows += c.templates[c.instances[end].tmpl].rows
			end++
		}
		if cap(p.lagrange) < rows {
			p.lagrange = make([]fr.Element, rows)
		}
		p.lagrange = p.lagrange[:rows]
		lagrange(first, p.lagrange)
		for _, in := range c.instances[from:end] {
			p.instance(in, p.lagrange[int(in.row)-first:])
		}
		from = end
	}
	p.sums, p.lagrange = [3][]fr.Element{}, nil
}

// auxEnd is the first aux variable after those of an instance.
func (c *Circuit) auxEnd(i int) int {
	in := c.instances[i]
	return int(in.aux) + c.templates[in.tmpl].aux
}

// instance adds the rows of one instance.
func (p *qapPart) instance(in instance, lagrange []fr.Element) {
	t := p.c.templates[in.tmpl]
	slots := 1 + t.wires + t.inputs + t.aux
	for k := range p.sums {
		if cap(p.sums[k]) < slots {
			p.sums[k] = make([]fr.Element, slots)
		}
		p.sums[k] = p.sums[k][:slots]
		clear(p.sums[k])
		p.q.columns[k].pick(t).columns(p.sums[k], lagrange, p.c.coefs)
		p.q.columns[k].add(int(in.aux), p.sums[k][slots-t.aux:])
	}
	p.other(One, 0)
	for i := range t.wires {
		p.other(p.c.wires[int(in.wire)+i], 1+i)
	}
	for i := range t.inputs {
		p.other(tagInput|Var(int(in.input)+i), 1+t.wires+i)
	}
}

// other adds the sums of a slot whose variable the instance did not allocate.
func (p *qapPart) other(v Var, slot int) {
	i := v.index()
	mine := v.tag() == tagAux && p.lo <= i && i < p.hi
	var sums *[3]fr.Element
	for k := range p.sums {
		s := p.sums[k][slot : slot+1]
		if s[0].IsZero() {
			continue
		}
		if mine {
			p.q.columns[k].add(i, s)
			continue
		}
		if sums == nil {
			if sums = p.others[v]; sums == nil {
				sums = new([3]fr.Element)
				p.others[v] = sums
			}
		}
		sums[k].Add(&sums[k], &s[0])
	}
}

// columns adds coefficient · lagrange[row] for every term to its slot.
func (m *matrix) columns(sums, lagrange, coefs []fr.Element) {
	var prod fr.Element
	for r := range len(m.start) - 1 {
		l := &lagrange[r]
		for k := m.start[r]; k < m.start[r+1]; k++ {
			dst := &sums[m.slot[k]]
			switch m.coef[k] {
			case coefOne:
				dst.Add(dst, l)
			case coefMinusOne:
				dst.Sub(dst, l)
			default:
				dst.Add(dst, prod.Mul(l, &coefs[m.coef[k]]))
			}
		}
	}
}
