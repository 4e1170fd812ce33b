package engine

import (
	"context"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"libcuzk/core/internal/filecoin"
	"libcuzk/core/internal/groth16"
	"libcuzk/core/internal/r1cs"
	"libcuzk/core/internal/spawn"
	"libcuzk/core/internal/status"
	"libcuzk/core/internal/verify"
)

// solver makes the witness of partition k.
type solver func(c *r1cs.Circuit, k int) (*r1cs.Witness, error)

// prove takes checked input to a verified proof: all partitions are solved at
// once, proved one after the other with all threads, and verified together
// against public inputs that come from s alone.
func (e *Engine) prove(ctx context.Context, j *Job, s filecoin.Statement, solve solver) ([]byte, error) {
	j.stage("compile", 0)
	circuit, err := e.circuit(ctx, s.Shape())
	if err != nil {
		return nil, err
	}
	if err := e.admit(circuit, s); err != nil {
		return nil, err
	}
	j.stage("load", 0)
	p, err := e.prover(ctx, circuit, s.Shape())
	if err != nil {
		return nil, err
	}
	j.stage("wait", 0)
	if err := e.acquire(ctx); err != nil {
		return nil, err
	}
	defer e.release()
	witnesses, err := e.solve(ctx, j, p.circuit, s.Partitions(), solve)
	if err != nil {
		return nil, err
	}
	proof, err := e.proveAll(ctx, j, p, witnesses)
	if err != nil {
		return nil, err
	}
	j.stage("verify", int64(s.Partitions()))
	if err := e.check(ctx, s, proof); err != nil {
		return nil, err
	}
	j.advance(int64(s.Partitions()), int64(s.Partitions()))
	return proof, nil
}

// admit refuses a job whose partition can never fit the memory budget.
func (e *Engine) admit(c *r1cs.Circuit, s filecoin.Statement) error {
	// Three vectors of the domain, and the packed witnesses of all partitions.
	need := 3*int64(c.Domain())*fr.Bytes + int64(s.Partitions())*int64(c.NumAux/8+c.NumScalars()*fr.Bytes)
	if e.config.Budget > 0 && need > e.config.Budget {
		return status.New(status.Budget, "memory_budget", "%s needs %d bytes, the memory budget is %d", s.Shape(), need, e.config.Budget)
	}
	return nil
}

// solve makes the witnesses of all partitions, in parallel.
func (e *Engine) solve(ctx context.Context, j *Job, c *r1cs.Circuit, partitions int, solve solver) ([]*r1cs.Witness, error) {
	j.stage("solve", int64(partitions))
	witnesses := make([]*r1cs.Witness, partitions)
	err := spawn.Each(ctx, e.config.Threads, partitions, func(k int) (err error) {
		witnesses[k], err = solve(c, k)
		j.step(1)
		return err
	})
	return witnesses, err
}

// proveAll proves each witness and returns the proofs in partition order. Each
// witness is let go when its proof is made.
func (e *Engine) proveAll(ctx context.Context, j *Job, p *prover, witnesses []*r1cs.Witness) ([]byte, error) {
	j.stage("prove", int64(len(witnesses)))
	out := make([]byte, 0, len(witnesses)*verify.ProofSize)
	for k, w := range witnesses {
		z, err := e.config.Blinding(k)
		if err != nil {
			return nil, err
		}
		proof, times, err := p.groth16.Prove(ctx, w, z)
		if err != nil {
			return nil, err
		}
		out = append(out, proof[:]...)
		witnesses[k] = nil
		j.addParts(partsOf(times))
		j.step(1)
	}
	return out, nil
}

// partsOf names the prover's timings.
func partsOf(t groth16.Timings) []StageTime {
	return []StageTime{
		{"eval", t.Eval.Duration()}, {"ntt", t.NTT.Duration()}, {"h", t.H.Duration()}, {"l", t.L.Duration()},
		{"a", t.A.Duration()}, {"b_g1", t.B1.Duration()}, {"b_g2", t.B2.Duration()},
	}
}
