package pipeline

import (
	"context"

	"github.com/libcuzk/libcuzk/core/internal/engine/budget"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// selfCheck joins the partitions and verifies them together. If they do not hold,
// those that are wrong are made once more; if they do not hold again the job fails
// with code ProofInvalid. No byte leaves unverified.
func (r *proof) selfCheck(ctx context.Context) ([]byte, error) {
	proof, err := r.joinAndVerify(ctx)
	if !doesNotHold(err) {
		return proof, err
	}
	wrong, err := r.failing(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.solveInFull(ctx, wrong); err != nil {
		return nil, err
	}
	r.blame(wrong, false)
	if err := r.partitions(ctx, wrong); err != nil {
		return nil, err
	}
	proof, err = r.joinAndVerify(ctx)
	if doesNotHold(err) {
		r.blame(wrong, true)
		return nil, r.wrongTwice(ctx, err)
	}
	return proof, err
}

// joinAndVerify returns the whole proof if it holds.
func (r *proof) joinAndVerify(ctx context.Context) ([]byte, error) {
	n := int64(r.statement.Partitions())
	r.Show("verify", n)
	defer r.measure("verify", "verify", -1)()
	if err := r.faultAt(fault.Verify); err != nil {
		return nil, err
	}
	proof, err := r.parts.Join()
	if err != nil {
		return nil, err
	}
	if err := r.Verifier.Check(ctx, r.statement, proof); err != nil {
		return nil, err
	}
	r.Advance(n, n)
	return proof, r.faultAt(fault.Deliver)
}

// doesNotHold reports whether an error says that a proof does not hold. Bytes that
// are no points count too: they are what a device returned.
func doesNotHold(err error) bool {
	code := status.CodeOf(err)
	return code == status.ProofInvalid || code == status.ProofMalformed
}

// failing returns the partitions whose proofs do not hold, each by itself.
func (r *proof) failing(ctx context.Context) ([]int, error) {
	proof, err := r.parts.Join()
	if err != nil {
		return nil, err
	}
	bad, err := r.Verifier.Failing(ctx, r.statement, proof)
	if err == nil && len(bad) == 0 {
		err = status.New(status.Internal, "verify", "the partitions hold one by one but not together")
	}
	return bad, err
}

// solveInFull solves partitions in full that were proved from partial witnesses,
// which do not show a vanilla proof that does not hold: then the input is to blame
// and no device.
func (r *proof) solveInFull(ctx context.Context, which []int) error {
	for _, k := range which {
		if !r.made[k].partial {
			continue
		}
		ask := budget.Ask{Purpose: "partition", Amount: witnessBytes(r.circuit), Task: r.Order(k)}
		lease, err := r.Memory.Reserve(ctx, ask)
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

// wrongTwice is the error of a job whose proof did not hold twice. It is ProofInvalid
// whatever the verifier said, which would speak of the bytes as if the caller had
// sent them; and it names the parameters, which are the likeliest cause.
func (r *proof) wrongTwice(ctx context.Context, why error) error {
	path := r.Params.Path(r.name)
	if err := r.Params.Diagnose(ctx, r.name); err != nil {
		return status.New(status.ProofInvalid, status.DetailOf(err), "the proof does not hold because of its parameters %s: %w", path, err)
	}
	if ctx.Err() != nil {
		return status.Ended(ctx)
	}
	return status.New(status.ProofInvalid, path,
		"the proof that was made does not hold, twice (%w): check the parameters %s (published digest, points in the subgroup) and the hardware",
		why, path)
}
