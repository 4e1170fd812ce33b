package engine

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// verified joins the partitions and verifies them together. If they do not hold,
// those that are to blame are made once more; a second failure is the job's. No
// byte leaves unverified.
func (r *run) verified(ctx context.Context) ([]byte, error) {
	proof, err := r.joined(ctx)
	if !wrong(err) {
		return proof, err
	}
	culprits, err := r.culprits(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.solvable(ctx, culprits); err != nil {
		return nil, err
	}
	r.blame(culprits, false)
	if err := r.partitions(ctx, culprits); err != nil {
		return nil, err
	}
	if proof, err = r.joined(ctx); wrong(err) {
		r.blame(culprits, true)
	}
	return proof, err
}

// solvable solves partitions in full that were sketched: where a vanilla proof does
// not hold, no device is to blame.
func (r *run) solvable(ctx context.Context, which []int) error {
	for _, k := range which {
		if !r.sketched[k] {
			continue
		}
		ask := budget.Ask{Purpose: "partition", Amount: witnessBytes(r.circuit), Task: r.order(k)}
		lease, err := r.engine.memory.Reserve(ctx, ask)
		if err != nil {
			return err
		}
		_, _, err = r.solveOne(ctx, k, false)
		lease.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// wrong reports whether an error says that a proof does not hold.
func wrong(err error) bool {
	code := status.CodeOf(err)
	return code == status.ProofInvalid || code == status.ProofMalformed
}

// joined returns the whole proof if it holds.
func (r *run) joined(ctx context.Context) ([]byte, error) {
	n := int64(r.statement.Partitions())
	r.Show("verify", n)
	defer r.measure("verify", "verify", -1)()
	if err := fault.At(r.engine.config.Faults, fault.Verify); err != nil {
		return nil, err
	}
	proof, err := r.parts.Join()
	if err != nil {
		return nil, err
	}
	if err := r.engine.check(ctx, r.statement, proof); err != nil {
		return nil, err
	}
	r.advance(n, n)
	return proof, fault.At(r.engine.config.Faults, fault.Deliver)
}

// culprits returns the partitions whose proofs do not hold, each by itself.
func (r *run) culprits(ctx context.Context) (bad []int, err error) {
	proof, err := r.parts.Join()
	if err != nil {
		return nil, err
	}
	v, err := r.engine.verifier(ctx, r.statement.Shape())
	if err != nil {
		return nil, err
	}
	for k := range r.statement.Partitions() {
		inputs, err := r.statement.PublicInputs(k)
		if err != nil {
			return nil, err
		}
		proofs, err := verify.DecodeProofs(proof[k*verify.ProofSize : (k+1)*verify.ProofSize])
		if err == nil {
			err = v.Check(&proofs[0], inputs)
		}
		if err != nil {
			bad = append(bad, k)
		}
	}
	if len(bad) == 0 {
		return nil, status.New(status.Internal, "verify", "the partitions hold one by one but not together")
	}
	return bad, nil
}
