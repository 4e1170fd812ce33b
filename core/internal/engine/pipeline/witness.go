package pipeline

import (
	"context"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// witnesses solves all partitions as Prove does, with the same slots and without
// parameters, and drops each witness: the end of a task that is WitnessOnly.
func (r *proof) witnesses(ctx context.Context) error {
	n, most := r.statement.Partitions(), witnessBytes(r.circuit)
	if err := r.Memory.Never(most); err != nil {
		return status.Annotate(err, "a witness of %s can never fit", r.statement.Shape())
	}
	r.Show("solve", int64(n))
	return status.Classify(spawn.Each(ctx, min(n, r.Threads), n, func(k int) error {
		lease, err := r.Memory.Reserve(ctx, budget.Ask{Purpose: "partition", Amount: most, Task: r.Order(k)})
		if err != nil {
			return err
		}
		defer lease.Release()
		if _, _, err := r.solveOne(ctx, k, false); err != nil {
			return err
		}
		r.Step(1)
		return nil
	}))
}

// witnessBytes is what a packed witness holds.
func witnessBytes(c *r1cs.Circuit) budget.Amount {
	return budget.Amount{Host: int64(c.NumAux/8) + int64(c.NumScalars())*fr.Bytes}
}
