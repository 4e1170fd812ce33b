// Package groth16 makes Groth16 proofs as bellperson does, after the plan of
// docs/design.md 2.3 to 2.5: a and b are evaluated from the packed witness, c is
// their product, the quotient takes six number-theoretic transforms, and the
// sums over the SRS are split by the class of the variables.
//
// The plan is here; the heavy operations are a [Backend], so that a device can
// do them. For equal r and s the bytes equal bellperson's.
package groth16

import (
	"context"
	"math/big"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/verify"
)

// ProofSize is the length in bytes of an encoded proof.
const ProofSize = 2*curve.SizeG1Compressed + curve.SizeG2Compressed

// Prover makes proofs of one circuit with one SRS. It is read-only after [New]
// and safe for concurrent use if its backend is.
type Prover struct {
	circuit *r1cs.Circuit
	key     *verify.Key
	plan    *Plan
	backend Backend
}

// New prepares a prover; key and layout belong to the SRS that the backend uses.
func New(c *r1cs.Circuit, plan *Plan, key *verify.Key, layout params.Layout, backend Backend) (*Prover, error) {
	if err := layout.Match(plan.Layout); err != nil {
		return nil, err
	}
	if key.DeltaG1.IsInfinity() || key.DeltaG2.IsInfinity() {
		return nil, status.New(status.SRSPoint, "vk.delta", "delta is the identity")
	}
	return &Prover{circuit: c, key: key, plan: plan, backend: backend}, nil
}

// Randomness is the blinding of one proof. Proofs of the same witness with
// known or repeated values leak the witness: fix them in tests only.
type Randomness struct{ R, S fr.Element }

// NewRandomness draws blinding from the system's randomness.
func NewRandomness() (z Randomness, err error) {
	if _, err = z.R.SetRandom(); err == nil {
		_, err = z.S.SetRandom()
	}
	if err != nil {
		return z, status.New(status.Internal, "random", "system randomness: %w", err)
	}
	return z, nil
}

// Prove returns the encoded proof of a witness and what each stage took. The
// proof is not verified here. When ctx ends it stops within about a second.
func (p *Prover) Prove(ctx context.Context, w *r1cs.Witness, z Randomness) (proof [ProofSize]byte, t Timings, err error) {
	return p.ProveWith(ctx, w, z, Hooks{})
}

// ProveWith is Prove with hooks for the backend.
func (p *Prover) ProveWith(ctx context.Context, w *r1cs.Witness, z Randomness, hooks Hooks) (proof [ProofSize]byte, t Timings, err error) {
	if err := p.fits(w); err != nil {
		return proof, t, err
	}
	sums, err := p.backend.Sums(ctx, p.circuit, p.plan, w, &t, hooks)
	if err != nil {
		return proof, t, err
	}
	return p.assemble(sums, &z), t, nil
}

// fits checks the witness against the circuit.
func (p *Prover) fits(w *r1cs.Witness) error {
	c := p.circuit
	if w.Sketch && c.Sketches() && len(w.Scalars) == c.Given() && len(w.Inputs) == c.NumInputs && len(w.Bits) == (c.NumAux+63)/64 {
		return nil
	}
	if w.Sketch || len(w.Inputs) != c.NumInputs || len(w.Bits) != (c.NumAux+63)/64 || len(w.Scalars) != c.NumScalars() {
		return status.New(status.Internal, "witness", "witness of %d inputs, %d bit words, %d scalars for a circuit of %d, %d, %d",
			len(w.Inputs), len(w.Bits), len(w.Scalars), c.NumInputs, (c.NumAux+63)/64, c.NumScalars())
	}
	return nil
}

// assemble computes and encodes
//
//	A = α + r·δ + S_A
//	B = β + s·δ + S_B
//	C = s·S_A + r·S_B1 + rs·δ + s·α + r·β + S_H + S_L
func (p *Prover) assemble(x Sums, z *Randomness) (proof [ProofSize]byte) {
	k := p.key
	var rs fr.Element
	rs.Mul(&z.R, &z.S)
	a := combineG1(term{&k.DeltaG1, &z.R}, plain(&k.AlphaG1), plain(&x.A))
	c := combineG1(term{&x.A, &z.S}, term{&x.B1, &z.R}, term{&k.DeltaG1, &rs}, term{&k.AlphaG1, &z.S}, term{&k.BetaG1, &z.R},
		plain(&x.H), plain(&x.L))
	var b curve.G2Affine
	b.ScalarMultiplication(&k.DeltaG2, z.S.BigInt(new(big.Int)))
	b.Add(&b, &k.BetaG2)
	b.Add(&b, &x.B2)

	ab, bb, cb := a.Bytes(), b.Bytes(), c.Bytes()
	copy(proof[:], ab[:])
	copy(proof[curve.SizeG1Compressed:], bb[:])
	copy(proof[curve.SizeG1Compressed+curve.SizeG2Compressed:], cb[:])
	return proof
}

// term is a point and its coefficient, nil for one.
type term struct {
	point *curve.G1Affine
	k     *fr.Element
}

func plain(p *curve.G1Affine) term { return term{point: p} }

func combineG1(terms ...term) (sum curve.G1Affine) {
	for _, t := range terms {
		p := *t.point
		if t.k != nil {
			p.ScalarMultiplication(t.point, t.k.BigInt(new(big.Int)))
		}
		sum.Add(&sum, &p)
	}
	return sum
}
