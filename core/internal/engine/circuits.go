package engine

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/circuit"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
)

// circuit returns the compiled circuit of a shape. It is compiled once and
// kept: the largest takes tens of megabytes.
func (e *Engine) circuit(ctx context.Context, shape filecoin.Shape) (*r1cs.Circuit, error) {
	return e.circuits.get(ctx, shape, func(context.Context) (*r1cs.Circuit, error) {
		return circuit.Compile(shape), nil
	})
}
