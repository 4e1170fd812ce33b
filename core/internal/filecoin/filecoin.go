// Package filecoin holds the rules that libcuzk shares with the chain:
// registered proofs, sector geometry, the graph, challenges, labels,
// commitments, the public inputs of every circuit and the names of the
// published parameter files.
//
// Everything here is computed from public values alone; nothing looks at a
// vanilla proof. Sources name files of rust-fil-proofs 19.1.0 (RFP) and
// rust-filecoin-proofs-api 19.0.0 (API).
package filecoin

import (
	"crypto/sha256"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Node is 32 bytes of a sector, a tree or a commitment: a field element in
// little-endian canonical form wherever it enters a circuit.
type Node = [32]byte

// NodeSize is the number of bytes of a node.
const NodeSize = 32

// Kind is one of the four proofs that the chain accepts.
type Kind uint8

// The kinds, in the spelling that every interface of libcuzk uses.
const (
	PoRep Kind = iota
	WinningPoSt
	WindowPoSt
	Update
)

var kindNames = [...]string{"porep", "winning_post", "window_post", "update"}

// String returns porep, winning_post, window_post or update.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// ParseKind is the inverse of String.
func ParseKind(s string) (Kind, error) {
	for k, name := range kindNames {
		if s == name {
			return Kind(k), nil
		}
	}
	return 0, status.New(status.Argument, "kind", "unknown proof kind %q", s)
}

// Statement is the public side of a proof: what the chain knows and what the
// circuit of each partition exposes.
type Statement interface {
	// Shape selects the circuit.
	Shape() Shape
	// Partitions is the number of circuit proofs.
	Partitions() int
	// PublicInputs returns the inputs of partition k in circuit order, without
	// the leading ONE.
	PublicInputs(k int) ([]fr.Element, error)
}

// ToField converts a canonical little-endian node; ok is false if it is not
// below the order of the scalar field.
func ToField(n *Node) (e fr.Element, ok bool) {
	e, err := fr.LittleEndian.Element(n)
	return e, err == nil
}

// FromField is the inverse of ToField.
func FromField(e *fr.Element) (n Node) {
	fr.LittleEndian.PutElement(&n, *e)
	return n
}

// Truncate clears the two most significant bits, so that the node is a field
// element (fr32 convert.rs:35-41).
func Truncate(n Node) Node {
	n[31] &= 0x3f
	return n
}

// HashD is the node of tree D above two others: truncated SHA-256.
func HashD(left, right *Node) Node {
	var buf [64]byte
	copy(buf[:32], left[:])
	copy(buf[32:], right[:])
	return Truncate(sha256.Sum256(buf[:]))
}

// commitment converts a public value by name.
func commitment(name string, n *Node) (fr.Element, error) {
	e, ok := ToField(n)
	if !ok {
		return e, status.New(status.InputValue, name, "%s is not a canonical field element: %x", name, n[:])
	}
	return e, nil
}

// checkPartition refuses a partition number outside 0..n−1.
func checkPartition(k, n int) error {
	if k < 0 || k >= n {
		return status.New(status.Argument, "partition", "partition %d of %d does not exist", k, n)
	}
	return nil
}
