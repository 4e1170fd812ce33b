package vanilla

import (
	"encoding/binary"
	"math/bits"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Node is a node of a sector or tree, see [filecoin.Node].
type Node = filecoin.Node

// compactNode is the longest form of a node without white space.
const compactNode = len("[") + 32*len("255,")

// bytes32 reads an array of 32 numbers below 256.
func (s *scanner) bytes32(n *Node) {
	if s.peek() == '[' && len(s.data)-s.pos >= compactNode && s.compact(n) {
		return
	}
	s.array(len(n), func(i int) { n[i] = byte(s.uint(255)) })
}

// compact reads the form without white space, which serde writes. It reports
// false and consumes nothing if the text is anything else; the slow way then
// says what is wrong. Two thirds of the time of reading a sector are spent here:
// 6.5 ns a number, which branch-free variants with 4- and 8-byte loads did not
// beat.
func (s *scanner) compact(n *Node) bool {
	b := s.data[s.pos+1 : s.pos+compactNode]
	j := 0
	for i := range n {
		v := uint(b[j]) - '0'
		if v > 9 {
			return false
		}
		if d := uint(b[j+1]) - '0'; d <= 9 {
			if v == 0 {
				return false
			}
			v = v*10 + d
			if d = uint(b[j+2]) - '0'; d <= 9 {
				if v = v*10 + d; v > 255 {
					return false
				}
				j++
			}
			j++
		}
		n[i] = byte(v)
		want := byte(',')
		if i == len(n)-1 {
			want = ']'
		}
		if b[j+1] != want {
			return false
		}
		j += 2
	}
	s.pos += j + 1
	return true
}

// node reads a node that enters the circuit: a field element in canonical form.
func (s *scanner) node(n *Node) {
	s.bytes32(n)
	if s.err == nil && !Canonical(n) {
		s.fail(status.InputValue, "not a canonical field element: %x", n[:])
	}
}

// nodes reads exactly len(n) of them.
func (s *scanner) nodes(n []Node) {
	s.array(len(n), func(i int) { s.node(&n[i]) })
}

// modulus is r in little-endian limbs.
var modulus = [4]uint64{0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48}

// Canonical reports whether n is below r, the order of the scalar field.
func Canonical(n *Node) bool {
	var borrow uint64
	for i, m := range modulus {
		_, borrow = bits.Sub64(binary.LittleEndian.Uint64(n[8*i:]), m, borrow)
	}
	return borrow == 1
}
