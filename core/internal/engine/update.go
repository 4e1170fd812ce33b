package engine

import (
	"context"
	"fmt"

	"libcuzk/core/internal/circuit/update"
	"libcuzk/core/internal/filecoin"
	"libcuzk/core/internal/r1cs"
	"libcuzk/core/internal/spawn"
	"libcuzk/core/internal/status"
	"libcuzk/core/internal/vanilla"
	"libcuzk/core/internal/verify"
)

// Update asks for the proof of a sector update (SnapDeals).
type Update struct {
	RegisteredProof              int
	CommROld, CommRNew, CommDNew [32]byte
	Vanilla                      [][]byte // one for each partition
	Fits                         func(size int) error
}

// SubmitUpdate starts a job that proves; what r points to must not change until
// it has ended.
func (e *Engine) SubmitUpdate(ctx context.Context, r Update) (*Job, error) {
	proof, err := filecoin.NewUpdateProof(int64(r.RegisteredProof))
	if err != nil {
		return nil, err
	}
	return e.submit(ctx, filecoin.Update.String(), func(ctx context.Context, j *task) ([]byte, error) {
		s := &filecoin.UpdateStatement{Proof: proof, CommROld: r.CommROld, CommRNew: r.CommRNew, CommDNew: r.CommDNew}
		partitions, err := e.readUpdate(ctx, j, s, r.Vanilla)
		if err != nil {
			return nil, err
		}
		if r.Fits != nil {
			if err := r.Fits(s.Partitions() * verify.ProofSize); err != nil {
				return nil, err
			}
		}
		return e.prove(ctx, j, s, func(c *r1cs.Circuit, k int) (*r1cs.Witness, error) {
			w, err := update.Solve(ctx, c, s, k, partitions[k])
			return w, unsolvable(err)
		})
	})
}

// readUpdate parses all partitions and checks them against the commitments.
func (e *Engine) readUpdate(ctx context.Context, j *task, s *filecoin.UpdateStatement, data [][]byte) ([]*vanilla.UpdatePartition, error) {
	j.stage("parse", int64(len(data)))
	if len(data) != s.Partitions() {
		return nil, status.New(status.InputValue, "partitions", "%d partitions, %s has %d", len(data), s.Proof.Name(), s.Partitions())
	}
	if err := e.limitInput(data); err != nil {
		return nil, err
	}
	out := make([]*vanilla.UpdatePartition, len(data))
	for k := range data {
		p, err := vanilla.ParseUpdatePartition(data[k], s.Proof)
		if err != nil {
			return nil, inPartition(k, err)
		}
		out[k] = p
	}
	j.stage("check", int64(len(data)))
	err := spawn.Each(ctx, e.config.Threads, len(out), func(k int) error {
		if err := out[k].Check(s, k); err != nil {
			return inPartition(k, err)
		}
		j.step(1)
		return nil
	})
	return out, status.Classify(err)
}

// inPartition puts a partition's number before an error's place.
func inPartition(k int, err error) error {
	return status.Within(fmt.Sprintf("partitions[%d]", k), err)
}
