package r1cs

// Density returns which variables occur in A and in B with a coefficient other
// than zero (bellperson groth16/prover: a_aux_density, b_aux_density): bitmaps
// over aux, and the indices of the inputs in B. All inputs count as dense in A.
func (c *Circuit) Density() (a, b []uint64, bInputs []int) {
	a, b = make([]uint64, len(c.class)), make([]uint64, len(c.class))
	ta, tb := make([]used, len(c.templates)), make([]used, len(c.templates))
	for i, t := range c.templates {
		ta[i], tb[i] = t.used(&t.a), t.used(&t.b)
	}
	inputs := map[int]bool{}
	for _, in := range c.instances {
		c.spread(in, ta[in.tmpl], a, nil)
		c.spread(in, tb[in.tmpl], b, inputs)
	}
	for i := range c.NumInputs {
		if inputs[i] {
			bInputs = append(bInputs, i)
		}
	}
	return a, b, bInputs
}

// used lists what a matrix of a template refers to.
type used struct {
	one    bool
	wires  []int
	inputs []int
	aux    []uint64
}

func (t *template) used(m *matrix) used {
	u := used{aux: make([]uint64, len(t.bits))}
	seen := make([]bool, 1+t.wires+t.inputs)
	for _, s := range m.slot {
		if i := int(s) - len(seen); i >= 0 {
			u.aux[i>>6] |= 1 << (i & 63)
			continue
		}
		seen[s] = true
	}
	u.one = seen[0]
	for i, s := range seen[1:] {
		switch {
		case !s:
		case i < t.wires:
			u.wires = append(u.wires, i)
		default:
			u.inputs = append(u.inputs, i-t.wires)
		}
	}
	return u
}

// spread adds what an instance refers to; inputs may be nil.
func (c *Circuit) spread(in instance, u used, aux []uint64, inputs map[int]bool) {
	orShifted(aux, int(in.aux), u.aux)
	for _, i := range u.wires {
		v := c.wires[int(in.wire)+i]
		if v.tag() == tagAux {
			aux[v.index()>>6] |= 1 << (v.index() & 63)
		} else if inputs != nil {
			inputs[v.index()] = true
		}
	}
	if inputs == nil {
		return
	}
	if u.one {
		inputs[0] = true
	}
	for _, i := range u.inputs {
		inputs[int(in.input)+i] = true
	}
}
