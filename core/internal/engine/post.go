package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/libcuzk/libcuzk/core/internal/circuit/post"
	"github.com/libcuzk/libcuzk/core/internal/engine/pipeline"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
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

	// Sectors, if not nil, is what the chain says of each sector, in the order of
	// Vanilla: a vanilla proof of another sector or replica is refused before proving.
	Sectors []verification.PoStSector

	Options JobOptions
}

// postJob is a parsed request.
type postJob struct {
	statement verification.PoStStatement
	sectors   []*vanilla.PoStSector
	numbers   []uint64 // of the sectors, as far as their proofs can be read
}

// SubmitPoSt starts a job that proves; what r points to must not change until
// it has ended. If vanilla proofs are at fault, the error names every sector whose
// proof is: its index in the request and its number.
func (e *Engine) SubmitPoSt(ctx context.Context, r PoSt) (*Job, error) {
	proof, err := filecoin.NewPoStProof(int64(r.RegisteredProof))
	if err != nil {
		return nil, err
	}
	q := request{kind: proof.Kind().String(), options: r.Options, input: r.Vanilla,
		rest: []any{r.RegisteredProof, r.Randomness, r.ProverID, r.Single, r.Partition, r.Sectors}}
	return e.submit(ctx, q, func(ctx context.Context, t *pipeline.Task) ([]byte, error) {
		p, err := e.readPoSt(ctx, t, proof, r)
		if err != nil {
			return nil, err
		}
		return e.pipeline.Prove(ctx, t, p.statement, e.postSolver(ctx, p))
	})
}

// postSolver makes the witnesses of a PoSt. Where one partition does not satisfy the
// circuit, the paths of all sectors are followed to name each that is wrong.
func (e *Engine) postSolver(ctx context.Context, p *postJob) pipeline.Solver {
	shape := p.statement.Shape()
	per := shape.Sectors
	if shape.Kind == filecoin.WinningPoSt {
		per = 1
	}
	wrong := sync.OnceValue(func() error {
		return p.each(ctx, e.config.Threads, func(i int) error { return p.sectors[i].CheckPaths() })
	})
	return func(c *r1cs.Circuit, k int, partial bool) (*r1cs.Witness, error) {
		solve := post.Solve
		if partial {
			solve = post.Sketch
		}
		w, err := solve(ctx, c, shape, e.config.Threads, p.sectors[k*per:min(len(p.sectors), (k+1)*per)])
		return w, unsolvable(k, err, wrong)
	}
}

// unsolvable says that the vanilla proof of partition k does not satisfy the circuit: a
// Merkle path that does not lead to its root is only noticed while solving, and with a
// partial witness only by the proof, which does not hold. wrong looks for all such
// paths.
func unsolvable(k int, err error, wrong func() error) error {
	if status.CodeOf(err) != status.Unsatisfied {
		return err
	}
	if named := wrong(); named != nil {
		return named
	}
	at := fmt.Sprintf("partitions[%d]", k)
	return status.New(status.InputMismatch, at, "%s: the vanilla proof does not hold: %w", at, err)
}

// readPoSt parses the sectors and checks them against each other, the challenges, and
// what the request says of them.
func (e *Engine) readPoSt(ctx context.Context, t *pipeline.Task, proof filecoin.PoStProof, r PoSt) (*postJob, error) {
	t.Stage("parse", int64(len(r.Vanilla)))
	if err := verification.CheckProverID(r.ProverID); err != nil {
		return nil, err
	}
	randomness, err := verification.CanonicalRandomness(r.Randomness)
	if err != nil {
		return nil, err
	}
	if r.Sectors != nil && len(r.Sectors) != len(r.Vanilla) {
		return nil, status.New(status.InputValue, "sectors", "%d sectors with %d vanilla proofs", len(r.Sectors), len(r.Vanilla))
	}
	p := &postJob{sectors: make([]*vanilla.PoStSector, len(r.Vanilla)), numbers: make([]uint64, len(r.Vanilla))}
	for i, data := range r.Vanilla {
		if len(data) >= 8 {
			p.numbers[i] = binary.LittleEndian.Uint64(data) // the first field: also of a proof that is damaged behind it
		}
	}
	err = p.each(ctx, e.config.Threads, func(i int) (err error) {
		p.sectors[i], err = vanilla.ParsePoStSector(r.Vanilla[i], proof)
		return err
	})
	if err != nil {
		return nil, err
	}
	public := make([]filecoin.PoStSector, len(r.Vanilla))
	for i, s := range p.sectors {
		if i > 0 && s.Number <= public[i-1].Number {
			return nil, status.New(status.InputValue, fmt.Sprintf("sectors[%d].sector_id", i),
				"sectors[%d]: sector %d after sector %d: sectors must be in ascending order without repetition", i, s.Number, public[i-1].Number)
		}
		public[i] = filecoin.PoStSector{Number: s.Number, CommR: s.CommR}
	}
	if p.statement, err = verification.NewPoSt(proof, randomness, public, r.Single, r.Partition); err != nil {
		return nil, err
	}
	t.Stage("check", int64(len(p.sectors)))
	return p, p.each(ctx, e.config.Threads, func(i int) error {
		want := public[i]
		if r.Sectors != nil {
			want = filecoin.PoStSector(r.Sectors[i])
		}
		defer t.Step(1)
		return p.sectors[i].Check(want, p.statement.SectorChallenges(i))
	})
}

// each calls fn for all sectors and returns what is wrong with any of them, each with
// its index in the request and its number.
func (p *postJob) each(ctx context.Context, threads int, fn func(i int) error) error {
	errs := make([]error, len(p.sectors))
	err := spawn.Each(ctx, threads, len(errs), func(i int) error {
		errs[i] = p.named(i, fn(i))
		return nil
	})
	if err != nil {
		return status.Classify(err)
	}
	return status.Several("sectors", len(errs), errs)
}

// named adds to an error which sector it is about.
func (p *postJob) named(i int, err error) error {
	var e *status.Error
	if !errors.As(status.Within(fmt.Sprintf("sectors[%d]", i), err), &e) {
		return err
	}
	e.Message += fmt.Sprintf(" (sector %d)", p.numbers[i])
	return e
}
