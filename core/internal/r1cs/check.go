package r1cs

import (
	"context"
	"sync/atomic"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Check evaluates A, B and C on every row and reports the first row with
// a·b ≠ c by gadget path and number, as an Unsatisfied error.
func (c *Circuit) Check(ctx context.Context, w *Witness, workers int) error {
	var first atomic.Int64
	first.Store(int64(c.NumRows))
	err := c.forInstances(ctx, workers, w, func(e *evaluator) {
		var x, y, z fr.Element
		for r := range e.t.rows {
			row := int64(e.in.row) + int64(r)
			if row >= first.Load() {
				return
			}
			e.row(&e.t.a, r, &x)
			e.row(&e.t.b, r, &y)
			e.row(&e.t.c, r, &z)
			if x.Mul(&x, &y); x.Equal(&z) {
				continue
			}
			for old := first.Load(); row < old && !first.CompareAndSwap(old, row); old = first.Load() {
			}
			return
		}
	})
	if err != nil {
		return err
	}
	if row := int(first.Load()); row < c.NumRows {
		return status.New(status.Unsatisfied, c.Path(row), "constraint %d of %d is not satisfied", row, c.NumRows)
	}
	return nil
}
