package engine

import (
	"context"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// witnesses solves all partitions as prove does, with the same slots and no
// parameters, and lets go of each witness: a job of Terms.WitnessOnly ends here.
func (r *run) witnesses(ctx context.Context) error {
	n, most := r.statement.Partitions(), witnessBytes(r.circuit)
	if err := r.engine.memory.Never(most); err != nil {
		return status.New(status.Budget, "memory_budget", "a witness of %s can never fit: %w", r.statement.Shape(), err)
	}
	r.Show("solve", int64(n))
	return status.Classify(spawn.Each(ctx, min(n, r.engine.config.Threads), n, func(k int) error {
		lease, err := r.engine.memory.Reserve(ctx, budget.Ask{Purpose: "partition", Amount: most, Task: r.order(k)})
		if err != nil {
			return err
		}
		defer lease.Release()
		if _, _, err := r.solveOne(ctx, k, false); err != nil {
			return err
		}
		r.step(1)
		return nil
	}))
}

// witnessBytes is what a packed witness holds.
func witnessBytes(c *r1cs.Circuit) budget.Amount {
	return budget.Amount{Host: int64(c.NumAux/8) + int64(c.NumScalars())*fr.Bytes}
}
