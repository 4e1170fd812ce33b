package vanilla

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Opening is a Merkle proof in bincode, checked for counts, arities and
// canonical nodes and then read in place. The bytes belong to the caller and
// must not change while the Opening is in use.
type Opening struct {
	raw []byte
	enc *encoding
}

// encoding is where the parts of an encoded Merkle proof of one tree stand
// (RFP core/merkle/proof.rs:241-451 through bincode 1.3.3: little endian,
// 64-bit lengths, 32-bit variant numbers).
type encoding struct {
	tag        uint32
	size       int // bytes of the whole proof
	root, leaf int // offsets
	paths      []encodedPath
	levels     []encodedLevel
}

type encodedPath struct {
	offset, first, levels int
}

type encodedLevel struct {
	siblings, index int // offsets
	arity, shift    int
}

func newEncoding(t tree) *encoding {
	e := &encoding{tag: uint32(len(t.parts) - 1), size: 4}
	head := func() {
		e.root, e.leaf = e.size, e.size+len(Node{})
		e.size += 2 * len(Node{})
	}
	if e.tag == 0 {
		head()
	}
	for _, p := range t.parts {
		e.paths = append(e.paths, encodedPath{e.size, len(e.levels), p.levels})
		e.size += 8
		for l := range p.levels {
			siblings := e.size + 8
			index := siblings + (p.arity-1)*len(Node{})
			e.levels = append(e.levels, encodedLevel{siblings, index, p.arity, p.shift + l*p.log2()})
			e.size = index + 8
		}
	}
	if e.tag != 0 {
		head()
	}
	return e
}

// nodesAt reads nodes in place; a Node has alignment 1.
func nodesAt(raw []byte, offset, n int) []Node {
	if n == 0 {
		return nil
	}
	part := raw[offset : offset+n*len(Node{})]
	return unsafe.Slice((*Node)(part), n)
}

// Root and Leaf are the ends of the path as the proof states them.
func (o Opening) Root() *Node { return &nodesAt(o.raw, o.enc.root, 1)[0] }

// Leaf is described with Root.
func (o Opening) Leaf() *Node { return &nodesAt(o.raw, o.enc.leaf, 1)[0] }

// Levels is the number of levels of the path.
func (o Opening) Levels() int { return len(o.enc.levels) }

// Level returns the siblings of a level, leaf level first, and the position of
// the child among them.
func (o Opening) Level(i int) (siblings []Node, index uint64) {
	l := o.enc.levels[i]
	return nodesAt(o.raw, l.siblings, l.arity-1), binary.LittleEndian.Uint64(o.raw[l.index:])
}

// Index is the number of the leaf.
func (o Opening) Index() (index uint64) {
	for i, l := range o.enc.levels {
		_, at := o.Level(i)
		index |= at << l.shift
	}
	return index
}

// decoder reads bincode. The first error sticks.
type decoder struct {
	data []byte
	pos  int
	err  error
}

func (d *decoder) fail(code status.Code, where, format string, args ...any) {
	if d.err == nil {
		d.err = status.New(code, where, "%s: %s", where, fmt.Sprintf(format, args...))
	}
}

// need reports whether n more bytes are there.
func (d *decoder) need(n int, where string) bool {
	if d.err == nil && len(d.data)-d.pos < n {
		d.fail(status.InputSyntax, where, "truncated: %d bytes left at offset %d, want %d", len(d.data)-d.pos, d.pos, n)
	}
	return d.err == nil
}

func (d *decoder) u64(where string) uint64 {
	if !d.need(8, where) {
		return 0
	}
	d.pos += 8
	return binary.LittleEndian.Uint64(d.data[d.pos-8:])
}

// count reads a length that can only have one value.
func (d *decoder) count(want int, where, what string) {
	if n := d.u64(where); d.err == nil && n != uint64(want) {
		d.fail(status.InputValue, where, "%d %s, want %d", n, what, want)
	}
}

// nodes reads n canonical nodes in place.
func (d *decoder) nodes(n int, where string) []Node {
	if !d.need(n*len(Node{}), where) {
		return make([]Node, n)
	}
	nodes := nodesAt(d.data, d.pos, n)
	d.canonical(nodes, where)
	d.pos += n * len(Node{})
	return nodes
}

func (d *decoder) canonical(nodes []Node, where string) {
	for i := range nodes {
		if !Canonical(&nodes[i]) {
			d.fail(status.InputValue, where, "node %d is not a canonical field element: %x", i, nodes[i][:])
		}
	}
}

func (d *decoder) node(where string) Node { return d.nodes(1, where)[0] }

// opening reads a Merkle proof. Its length follows from the tree, so nothing is
// allocated; structure is checked level by level to name what is wrong.
func (d *decoder) opening(e *encoding, where string) Opening {
	start := d.pos
	if d.need(4, where) {
		if tag := binary.LittleEndian.Uint32(d.data[d.pos:]); tag != e.tag {
			d.fail(status.InputValue, where, "variant %d of a Merkle proof, want %d", tag, e.tag)
		}
		d.pos += 4
	}
	if e.tag == 0 {
		d.nodes(2, where)
	}
	for i, p := range e.paths {
		at := where + [...]string{".base_proof", ".sub_proof", ".top_proof"}[i]
		if e.tag == 0 {
			at = where + ".path"
		}
		d.count(p.levels, at, "levels")
		for l := range p.levels {
			d.level(&e.levels[p.first+l], at, l)
		}
	}
	if e.tag != 0 {
		d.nodes(2, where)
	}
	if d.err != nil {
		return Opening{}
	}
	return Opening{d.data[start:d.pos:d.pos], e}
}

func (d *decoder) level(l *encodedLevel, where string, i int) {
	if d.err != nil {
		return
	}
	// The element's name is only spelled out for an error.
	name := func() string { return fmt.Sprintf("%s.path[%d]", where, i) }
	size := 16 + (l.arity-1)*len(Node{})
	if len(d.data)-d.pos < size {
		d.need(size, name())
		return
	}
	e := d.data[d.pos : d.pos+size]
	if n := binary.LittleEndian.Uint64(e); n != uint64(l.arity-1) {
		d.fail(status.InputValue, name(), "%d hashes, want %d", n, l.arity-1)
		return
	}
	for j, n := range nodesAt(e, 8, l.arity-1) {
		if !Canonical(&n) {
			d.fail(status.InputValue, name(), "hash %d is not a canonical field element: %x", j, n[:])
			return
		}
	}
	if index := binary.LittleEndian.Uint64(e[size-8:]); index >= uint64(l.arity) {
		d.fail(status.InputValue, name(), "index %d in a node of %d children", index, l.arity)
	}
	d.pos += size
}

// end refuses trailing bytes, which the published decoder would ignore.
func (d *decoder) end(where string) {
	if d.err == nil && d.pos != len(d.data) {
		d.fail(status.InputSyntax, where, "%d trailing bytes after offset %d", len(d.data)-d.pos, d.pos)
	}
}
