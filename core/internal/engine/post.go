package engine

import (
	"context"
	"fmt"

	"github.com/libcuzk/libcuzk/core/internal/circuit/post"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/vanilla"
	"github.com/libcuzk/libcuzk/core/internal/verification"
)

// PoSt asks for a WinningPoSt or WindowPoSt; the registered proof says which.
type PoSt struct {
	RegisteredProof int
	Randomness      [32]byte
	ProverID        [32]byte
	Vanilla         [][]byte // one sector each, in ascending sector number
	Single          bool     // WindowPoSt: the sectors are those of one partition …
	Partition       int      // … and this is its index
	Options         JobOptions
}

// postJob is a parsed request.
type postJob struct {
	statement verification.PoStStatement
	sectors   []*vanilla.PoStSector
}

// SubmitPoSt starts a job that proves; what r points to must not change until
// it has ended.
func (e *Engine) SubmitPoSt(ctx context.Context, r PoSt) (*Job, error) {
	proof, err := filecoin.NewPoStProof(int64(r.RegisteredProof))
	if err != nil {
		return nil, err
	}
	q := request{kind: proof.Kind().String(), options: r.Options, input: r.Vanilla,
		rest: []any{r.RegisteredProof, r.Randomness, r.ProverID, r.Single, r.Partition}}
	return e.submit(ctx, q, func(ctx context.Context, j *pipeline.Task) ([]byte, error) {
		p, err := e.readPoSt(j, proof, r)
		if err != nil {
			return nil, err
		}
		return e.pipeline.Prove(ctx, j, p.statement, func(c *r1cs.Circuit, k int, sketch bool) (*r1cs.Witness, error) {
			shape := p.statement.Shape()
			per := shape.Sectors
			if proof.Kind() == filecoin.WinningPoSt {
				per = 1
			}
			solve := post.Solve
			if sketch {
				solve = post.Sketch
			}
			w, err := solve(ctx, c, shape, e.config.Threads, p.sectors[k*per:min(len(p.sectors), (k+1)*per)])
			return w, unsolvable(err)
		})
	})
}

// unsolvable says that a vanilla proof does not satisfy the circuit: a Merkle
// path that does not lead to its root is only noticed while solving, and after a
// sketch only by the proof, which does not hold.
func unsolvable(err error) error {
	if status.CodeOf(err) != status.Unsatisfied {
		return err
	}
	return status.New(status.InputMismatch, "vanilla_proofs", "vanilla proof does not hold, a Merkle path does not lead to its root: %w", err)
}

// readPoSt parses the sectors and checks them against each other and the
// challenges.
func (e *Engine) readPoSt(j *pipeline.Task, proof filecoin.PoStProof, r PoSt) (*postJob, error) {
	j.Stage("parse", int64(len(r.Vanilla)))
	if err := verification.CheckProverID(r.ProverID); err != nil {
		return nil, err
	}
	sectors := make([]*vanilla.PoStSector, len(r.Vanilla))
	public := make([]filecoin.PoStSector, len(r.Vanilla))
	for i, data := range r.Vanilla {
		s, err := vanilla.ParsePoStSector(data, proof)
		if err != nil {
			return nil, status.Within(fmt.Sprintf("sectors[%d]", i), err)
		}
		if i > 0 && s.Number <= public[i-1].Number {
			return nil, status.New(status.InputValue, fmt.Sprintf("sectors[%d].sector_id", i),
				"sectors[%d]: sector %d after sector %d: sectors must be in ascending order without repetition", i, s.Number, public[i-1].Number)
		}
		sectors[i], public[i] = s, filecoin.PoStSector{Number: s.Number, CommR: s.CommR}
	}
	randomness, err := verification.CanonicalRandomness(r.Randomness)
	if err != nil {
		return nil, err
	}
	statement, err := verification.NewPoSt(proof, randomness, public, r.Single, r.Partition)
	if err != nil {
		return nil, err
	}
	j.Stage("check", int64(len(sectors)))
	for i := range sectors {
		if err := sectors[i].Check(public[i], statement.SectorChallenges(i)); err != nil {
			return nil, status.Within(fmt.Sprintf("sectors[%d]", i), err)
		}
		j.Step(1)
	}
	return &postJob{statement, sectors}, nil
}
