package r1cs

import (
	"math/bits"
	"unsafe"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

// Circuit is a compiled constraint system: templates, and their instances in
// the order of rows and of aux variables. It is immutable and safe for
// concurrent use.
type Circuit struct {
	NumInputs int // public inputs, ONE included
	NumAux    int // private variables
	NumRows   int // constraints, without the rows input_i·0 = 0 that Groth16 appends

	templates []*template
	instances []instance
	wires     []Var
	coefs     []fr.Element
	class     []uint64 // bitmap over aux: bit variables
	ranks     []uint32 // scalar variables before every 512th aux variable
	scalars   int
	given     int  // scalars that no rule gives
	sketches  bool // its gadgets can leave out what follows by rules
	build     func(*CS)
}

// instance is one call of a template: the first aux variable, row, input and
// wire that belong to it.
type instance struct{ tmpl, aux, row, input, wire uint32 }

// NumScalars is the number of aux variables that are not bits.
func (c *Circuit) NumScalars() int { return c.scalars }

// Domain is the size of the evaluation domain: the smallest power of two that
// holds all rows and one appended row per input (bellperson
// groth16/prover/native.rs).
func (c *Circuit) Domain() int {
	return 1 << bits.Len(uint(c.NumRows+c.NumInputs-1))
}

// BitMask is a bitmap over the aux variables: 1 for those that the circuit
// constrains to 0/1 by construction. Callers must not change it.
func (c *Circuit) BitMask() []uint64 { return c.class }

// finish builds the class bitmap and its rank directory.
func (c *Circuit) finish() {
	c.class = make([]uint64, (c.NumAux+63)/64)
	for _, in := range c.instances {
		t := c.templates[in.tmpl]
		orShifted(c.class, int(in.aux), t.bits)
		c.given -= t.derived
	}
	c.ranks = make([]uint32, 0, len(c.class)/8+1)
	for i, w := range c.class {
		if i%8 == 0 {
			c.ranks = append(c.ranks, uint32(c.scalars))
		}
		n := min(64, c.NumAux-64*i)
		c.scalars += n - bits.OnesCount64(w)
	}
	c.given += c.scalars
}

// orShifted ors the bitmap src into dst from bit position at on.
func orShifted(dst []uint64, at int, src []uint64) {
	word, shift := at>>6, uint(at&63)
	for i, w := range src {
		if w == 0 {
			continue
		}
		dst[word+i] |= w << shift
		if hi := w >> (64 - shift); shift > 0 && hi != 0 {
			dst[word+i+1] |= hi
		}
	}
}

func (c *Circuit) isBit(aux int) bool { return c.class[aux>>6]>>(aux&63)&1 == 1 }

// scalarRank counts the scalar variables before aux.
func (c *Circuit) scalarRank(aux int) int {
	word := aux >> 6
	n := int(c.ranks[word>>3]) + aux - word&^7*64
	for _, w := range c.class[word&^7 : word] {
		n -= bits.OnesCount64(w)
	}
	return n - bits.OnesCount64(c.class[word]&(1<<(aux&63)-1))
}

// Bytes is the memory that the compiled circuit occupies.
func (c *Circuit) Bytes() int {
	n := len(c.instances)*int(unsafe.Sizeof(instance{})) + 4*len(c.wires) + fr.Bytes*len(c.coefs) + 8*len(c.class) + 4*len(c.ranks)
	for _, t := range c.templates {
		n += t.bytes()
	}
	return n
}

// NumTemplates and NumInstances describe the compiled form.
func (c *Circuit) NumTemplates() int { return len(c.templates) }

// NumInstances is the number of outermost gadget calls.
func (c *Circuit) NumInstances() int { return len(c.instances) }

func (t *template) bytes() int {
	n := int(unsafe.Sizeof(*t)) + 8*len(t.bits) + 4*len(t.place) + 8*len(t.meta) + 4*len(t.outs)
	for _, m := range []*matrix{&t.a, &t.b, &t.c} {
		n += 4 * (len(m.start) + len(m.slot) + len(m.coef))
	}
	for _, r := range t.rules {
		n += int(unsafe.Sizeof(r)) + 4*len(r.args)
	}
	for _, p := range t.paths {
		n += int(unsafe.Sizeof(p)) + len(p.path)
	}
	return n
}
