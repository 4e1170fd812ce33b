package engine

import (
	"context"
	"fmt"

	"github.com/libcuzk/libcuzk/core/internal/circuit/post"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/vanilla"
)

// PoSt asks for a WinningPoSt or WindowPoSt; the registered proof says which.
type PoSt struct {
	RegisteredProof int
	Randomness      [32]byte
	ProverID        [32]byte
	Vanilla         [][]byte // one sector each, in ascending sector number
	Single          bool     // WindowPoSt: the sectors are those of one partition …
	Partition       int      // … and this is its index
	Terms           Terms
}

// postJob is a parsed request.
type postJob struct {
	statement filecoin.Statement
	sectors   []*vanilla.PoStSector
	check     func(i int) error // compares sector i with the statement
}

// SubmitPoSt starts a job that proves; what r points to must not change until
// it has ended.
func (e *Engine) SubmitPoSt(ctx context.Context, r PoSt) (*Job, error) {
	proof, err := filecoin.NewPoStProof(int64(r.RegisteredProof))
	if err != nil {
		return nil, err
	}
	q := request{kind: proof.Kind().String(), terms: r.Terms, input: r.Vanilla,
		rest: []any{r.RegisteredProof, r.Randomness, r.ProverID, r.Single, r.Partition}}
	return e.submit(ctx, q, func(ctx context.Context, j *task) ([]byte, error) {
		p, err := e.readPoSt(j, proof, r)
		if err != nil {
			return nil, err
		}
		return e.prove(ctx, j, p.statement, func(c *r1cs.Circuit, k int, sketch bool) (*r1cs.Witness, error) {
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
func (e *Engine) readPoSt(j *task, proof filecoin.PoStProof, r PoSt) (*postJob, error) {
	j.stage("parse", int64(len(r.Vanilla)))
	if err := checkProverID(r.ProverID); err != nil {
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
	randomness, err := canonicalRandomness(r.Randomness)
	if err != nil {
		return nil, err
	}
	p, err := newPoStJob(proof, r, randomness, public)
	if err != nil {
		return nil, err
	}
	p.sectors = sectors
	j.stage("check", int64(len(sectors)))
	for i := range sectors {
		if err := p.check(i); err != nil {
			return nil, status.Within(fmt.Sprintf("sectors[%d]", i), err)
		}
		j.step(1)
	}
	return p, nil
}

// newPoStJob fits the sectors to the kind of proof.
func newPoStJob(proof filecoin.PoStProof, r PoSt, randomness filecoin.Node, public []filecoin.PoStSector) (*postJob, error) {
	p := &postJob{}
	if r.Partition != 0 && !r.Single {
		return nil, status.New(status.Argument, "partition", "partition index %d for a whole proof", r.Partition)
	}
	if proof.Kind() == filecoin.WinningPoSt {
		if len(public) != 1 || r.Single {
			return nil, status.New(status.InputValue, "sectors", "%d sectors for %s, want the one that won", len(public), proof.Name())
		}
		s := &filecoin.WinningStatement{Proof: proof, Randomness: randomness, Sector: public[0]}
		p.statement = s
		p.check = func(int) error { return p.sectors[0].Check(public[0], s.Challenges()) }
		return p, nil
	}
	s := &filecoin.WindowStatement{Proof: proof, Randomness: randomness, Sectors: public}
	per := s.Shape().Sectors
	switch {
	case len(public) == 0:
		return nil, status.New(status.InputValue, "sectors", "no sectors for %s", proof.Name())
	case r.Single && (r.Partition < 0 || r.Partition > 1<<20):
		return nil, status.New(status.Argument, "partition", "partition index %d out of range", r.Partition)
	case r.Single && len(public) > per:
		return nil, status.New(status.InputValue, "sectors", "%d sectors for one partition of %s, which holds %d", len(public), proof.Name(), per)
	case r.Single:
		s.First = r.Partition
	}
	p.statement = s
	p.check = func(i int) error { return p.sectors[i].Check(public[i], s.Challenges(i)) }
	return p, nil
}

// canonicalRandomness refuses randomness that is no field element, as the
// published prover and verifier do (filecoin-proofs winning_post.rs:43,
// window_post.rs:47). It is used as it is: whoever draws it clears the top two
// bits, and a verifier that did so itself would accept what others refuse.
func canonicalRandomness(r [32]byte) (filecoin.Node, error) {
	if !vanilla.Canonical(&r) {
		return r, status.New(status.InputValue, "randomness",
			"randomness is not a canonical field element: %x; the network clears its top two bits (randomness[31] &= 0x3f)", r[:])
	}
	return r, nil
}

// checkProverID refuses what no prover has: the published code reads the id as
// a field element, although no PoSt depends on it.
func checkProverID(id [32]byte) error {
	if !vanilla.Canonical(&id) {
		return status.New(status.InputValue, "prover_id", "prover_id is not a canonical field element: %x", id[:])
	}
	return nil
}
