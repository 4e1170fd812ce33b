// Package circuit compiles the circuits of all proof kinds.
package circuit

import (
	"github.com/libcuzk/libcuzk/core/internal/circuit/porep"
	"github.com/libcuzk/libcuzk/core/internal/circuit/post"
	"github.com/libcuzk/libcuzk/core/internal/circuit/update"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// Compile records the circuit of one partition, in less than a second for every
// shape.
func Compile(s filecoin.Shape) *r1cs.Circuit {
	switch s.Kind {
	case filecoin.PoRep:
		return porep.Compile(s)
	case filecoin.Update:
		return update.Compile(s)
	default:
		return post.Compile(s)
	}
}
