package measure

import (
	"context"
	"time"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/groth16/toy"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// Proof measures a backend whose parts cannot be called alone: what a stage of
// proving takes, in proofs of a circuit of the part's size.
type Proof struct {
	Circuit *r1cs.Circuit
	Plan    *groth16.Plan
	Scalars *params.Scalars // of its parameters, with secrets that everyone knows

	witness *r1cs.Witness
	stage   func(groth16.Timings) time.Duration
}

// stages are the parts that a proof has, with what it tells of them. A quotient
// takes six transforms; the sum over h has one point less than the part.
var stages = map[string]func(groth16.Timings) time.Duration{
	"ntt":    func(t groth16.Timings) time.Duration { return t.NTT.Duration() / 6 },
	"msm_g1": func(t groth16.Timings) time.Duration { return t.H.Duration() },
}

// A round of the circuit has ten constraints; a few belong to none.
const (
	perRound = 10
	extra    = 8
	leastLog = 5
)

// HostBytes bounds the memory of the host that a Proof holds.
func (p Part) HostBytes() int64 { return 10 * fr.Bytes * int64(p.n) }

// Proof returns a proof whose domain has the part's size. Some parts have none,
// and some sizes are too small: codes status.Unsupported and status.Argument.
func (p Part) Proof(ctx context.Context, workers int) (*Proof, error) {
	if err := p.Provable(); err != nil {
		return nil, err
	}
	bytes := make([]byte, (p.n-extra)/perRound)
	for i := range bytes {
		bytes[i] = byte(131 * i)
	}
	c := toy.Compile(len(bytes))
	if c.Domain() != p.n {
		return nil, status.New(status.Internal, "measure", "a circuit of %d points for %s", c.Domain(), p)
	}
	scalars, err := params.Evaluate(ctx, c, params.ToxicFromLabel("measure"), workers)
	if err != nil {
		return nil, status.EndedOr(ctx, err)
	}
	w, err := toy.Solve(c, bytes)
	return &Proof{c, groth16.NewPlan(c), scalars, w, stages[p.name]}, err
}

// Provable says whether Proof is there for the part.
func (p Part) Provable() error {
	switch {
	case stages[p.name] == nil:
		return status.New(status.Unsupported, "what", "%s is measured on the CPU only", p.name)
	case p.n < 1<<leastLog:
		return status.New(status.Argument, "log2_size", "%s: want 2^%d at least", p, leastLog)
	}
	return nil
}

// Run proves repeats times and returns the times of the stage. Every proof is
// verified. done is told of each.
func (p *Proof) Run(ctx context.Context, backend groth16.Backend, repeats int, done func()) ([]time.Duration, error) {
	prover, err := groth16.New(p.Circuit, p.Plan, p.Scalars.Key, p.Scalars.Layout, backend)
	if err != nil {
		return nil, err
	}
	verifier, err := verify.New(p.Scalars.Key)
	if err != nil {
		return nil, err
	}
	times := make([]time.Duration, repeats)
	for i := range times {
		z, err := groth16.NewRandomness()
		if err != nil {
			return nil, err
		}
		proof, t, err := prover.Prove(ctx, p.witness, z)
		if err != nil {
			return nil, status.EndedOr(ctx, err)
		}
		decoded, err := verify.DecodeProofs(proof[:])
		if err == nil {
			err = verifier.Check(&decoded[0], p.witness.Inputs[1:])
		}
		if err != nil {
			return nil, err
		}
		times[i] = p.stage(t)
		done()
	}
	return times, nil
}
