package r1cs

import (
	"context"
	"slices"
)

// Rules say how variables follow from others. Gadgets give them while a circuit is
// recorded, so that a witness can be sketched: solving then leaves out what a
// device computes for itself from the rules, and keeps the given scalars alone.

// Pick is the rule of a variable that is args[1] where the bit args[0] is 1, else
// args[2]. Greater ones are functions that the gadgets and the device know.
const Pick = 0

// rule gives n consecutive scalar variables of a template from out on.
type rule struct {
	fn, n uint32
	out   Var
	args  []Var
}

// Follows says, in record mode, that n scalar variables from out on follow from
// others by a rule. In a sketch their values are not computed: see Sketching.
func (cs *CS) Follows(fn uint32, out Var, n int, args ...Var) {
	t := cs.rec.open
	t.rules = append(t.rules, rule{fn, uint32(n), out, args})
	t.derived += n
}

// Sketching reports whether scalars that follow by rules are left out: then
// Skip them. What depends on their values must not be looked at.
func (cs *CS) Sketching() bool { return cs.sketch }

// Skip passes over n scalar variables in a sketch.
func (cs *CS) Skip(n int) { cs.pos += n }

// WithSketches says that the circuit's gadgets depend on no value that follows by
// a rule, so that it has sketches.
func (c *Circuit) WithSketches() *Circuit {
	c.sketches = true
	return c
}

// Sketches reports whether the circuit has sketches.
func (c *Circuit) Sketches() bool { return c.sketches }

// Given is the number of scalar variables that a sketch holds: those that no rule
// gives.
func (c *Circuit) Given() int { return c.given }

// SketchParts is SolveParts for a circuit whose gadgets leave out what follows by
// rules. The result holds no more than the given scalars, and whether equations
// between derived ones hold is not known.
func (c *Circuit) SketchParts(ctx context.Context, n, workers int, build func(cs *CS, part int)) (*Witness, error) {
	return c.parts(ctx, n, workers, c.Given(), build)
}

// Program is what a device needs to complete a sketch. Sources are those of Flat.
type Program struct {
	Rules  []FlatRule
	Args   []uint32 // sources, relative to the instance
	Starts []uint32 // by template, and the end: its first rule
	// Order are the instances that have rules, such that all that one depends on
	// come in earlier waves; Waves are where these begin, and the end.
	Order, Waves []uint32
	Given        []uint32 // the scalar variables that a sketch holds, in order
}

// FlatRule gives scalars of an instance from Out on (from FlatInstance.Scalar) by
// Fn from the sources Args[Arg], ….
type FlatRule struct{ Fn, Out, N, Arg uint32 }

// Program exports the rules of a circuit.
func (c *Circuit) Program() *Program {
	p := &Program{Starts: []uint32{0}}
	for _, t := range c.templates {
		base := uint32(1 + t.wires + t.inputs)
		slot := func(v Var) uint32 {
			switch {
			case v.tag() == tagWire:
				return uint32(1 + v.index())
			case v.tag() == tagInput:
				panic("r1cs: a rule depends on an input")
			}
			return base + uint32(v.index())
		}
		for _, r := range t.rules {
			p.Rules = append(p.Rules, FlatRule{r.fn, t.source(slot(r.out)) &^ SrcScalar, r.n, uint32(len(p.Args))})
			for _, v := range r.args {
				p.Args = append(p.Args, t.source(slot(v)))
			}
		}
		p.Starts = append(p.Starts, uint32(len(p.Rules)))
	}
	c.listOrder(p)
	c.listGiven(p)
	return p
}

// listOrder sorts the instances with rules by their depth.
func (c *Circuit) listOrder(p *Program) {
	depth := make([]uint32, len(c.instances)) // 0: without rules
	var waves [][]uint32
	for i, in := range c.instances {
		t := c.templates[in.tmpl]
		if len(t.rules) == 0 {
			continue
		}
		depth[i] = 1
		for _, v := range c.wires[in.wire : int(in.wire)+t.wires] {
			if v.tag() == tagAux {
				depth[i] = max(depth[i], depth[c.instanceOf(v.index())]+1)
			}
		}
		for len(waves) < int(depth[i]) {
			waves = append(waves, nil)
		}
		waves[depth[i]-1] = append(waves[depth[i]-1], uint32(i))
	}
	p.Waves = []uint32{0}
	for _, w := range waves {
		p.Order = append(p.Order, w...)
		p.Waves = append(p.Waves, uint32(len(p.Order)))
	}
}

// instanceOf returns the call that allocates an aux variable.
func (c *Circuit) instanceOf(aux int) int {
	i, _ := slices.BinarySearchFunc(c.instances, uint32(aux)+1, func(in instance, end uint32) int {
		if in.aux < end {
			return -1
		}
		return 1
	})
	return i - 1
}

// listGiven lists the scalars that no rule gives.
func (c *Circuit) listGiven(p *Program) {
	own := make([][]uint32, len(c.templates)) // relative to the instance
	for i, t := range c.templates {
		derived := make([]bool, t.scalars)
		for _, r := range p.Rules[p.Starts[i]:p.Starts[i+1]] {
			for k := range r.N {
				derived[r.Out+k] = true
			}
		}
		for k, d := range derived {
			if !d {
				own[i] = append(own[i], uint32(k))
			}
		}
	}
	first := uint32(0)
	for _, in := range c.instances {
		for _, k := range own[in.tmpl] {
			p.Given = append(p.Given, first+k)
		}
		first += uint32(c.templates[in.tmpl].scalars)
	}
}
