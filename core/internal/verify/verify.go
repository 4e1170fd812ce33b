// Package verify checks Groth16 proofs over BLS12-381.
//
// It is the independent second opinion of docs/design.md 2.8: it shares no code with
// the prover and relies only on gnark-crypto's decoding, multi-exponentiation
// and pairing. Equations: bellperson's verifier.rs, docs/filecoin.md 4.8. Wire formats:
// docs/filecoin.md 4.6 and 4.7.
package verify

import (
	"crypto/rand"
	"fmt"
	"io"
	"math/big"

	"github.com/consensys/gnark-crypto/ecc"
	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Verifier is a prepared verifying key. It is read-only after [New] and safe
// for concurrent use.
type Verifier struct {
	key       *Key
	alphaBeta bls.GT // e(α, β)
	negAlpha  bls.G1Affine
	// Miller loop lines of β, −γ and −δ: the G2 points that never change.
	beta, negGamma, negDelta lines
}

type lines = [2][len(bls.LoopCounter) - 1]bls.LineEvaluationAff

// New prepares key for many checks. The points of a key from [ParseKey] are
// valid; a key made by hand is the caller's responsibility.
func New(key *Key) (*Verifier, error) {
	if len(key.IC) == 0 {
		return nil, status.New(status.SRSLayout, "vk.ic", "verifying key without ic points")
	}
	alphaBeta, err := bls.Pair([]bls.G1Affine{key.AlphaG1}, []bls.G2Affine{key.BetaG2})
	if err != nil {
		return nil, status.New(status.SRSPoint, "vk", "pairing of alpha and beta: %w", err)
	}
	v := &Verifier{key: key, alphaBeta: alphaBeta, beta: bls.PrecomputeLines(key.BetaG2)}
	v.negAlpha.Neg(&key.AlphaG1)
	var neg bls.G2Affine
	v.negGamma = bls.PrecomputeLines(*neg.Neg(&key.GammaG2))
	v.negDelta = bls.PrecomputeLines(*neg.Neg(&key.DeltaG2))
	return v, nil
}

// Key returns the verifying key, which must not be changed.
func (v *Verifier) Key() *Key { return v.key }

// NumInputs returns how many public inputs a proof has, ONE not counted.
func (v *Verifier) NumInputs() int { return len(v.key.IC) - 1 }

// Check verifies one proof against its public inputs (without ONE):
//
//	e(A, B) · e(Σ x_i·IC_i, −γ) · e(C, −δ) = e(α, β)
//
// A proof that does not hold gives an error of code ProofInvalid.
func (v *Verifier) Check(proof *Proof, inputs []fr.Element) error {
	if err := v.checkInputs([][]fr.Element{inputs}); err != nil {
		return err
	}
	ic, err := v.combine(scalarOne(), inputs)
	if err != nil {
		return err
	}
	left, err := bls.MillerLoop([]bls.G1Affine{proof.A}, []bls.G2Affine{proof.B})
	if err != nil {
		return internal(err)
	}
	right, err := bls.MillerLoopFixedQ([]bls.G1Affine{ic, proof.C}, []lines{v.negGamma, v.negDelta})
	if err != nil {
		return internal(err)
	}
	gt := bls.FinalExponentiation(&left, &right)
	if !gt.Equal(&v.alphaBeta) {
		return status.New(status.ProofInvalid, "proof[0]", "proof does not verify")
	}
	return nil
}

// CheckBatch verifies proofs of one circuit together, inputs[j] belonging to
// proofs[j]. With secret random 128-bit z_j it is one multi-pairing:
//
//	Π e(z_j·A_j, B_j) · e(Σ z_j·C_j, −δ) · e(Σ_i (Σ_j z_j·x_{j,i})·IC_i, −γ) · e(−(Σ z_j)·α, β) = 1
//
// which a false proof passes with probability 2^-128. On failure every proof is
// checked alone, and the error names the first one that does not hold.
func (v *Verifier) CheckBatch(proofs []Proof, inputs [][]fr.Element) error {
	if len(proofs) == 0 || len(proofs) != len(inputs) {
		return status.New(status.ProofMalformed, "proof", "%d proofs for %d sets of public inputs", len(proofs), len(inputs))
	}
	if len(proofs) == 1 {
		return v.Check(&proofs[0], inputs[0])
	}
	if err := v.checkInputs(inputs); err != nil {
		return err
	}
	z, err := randomCoefficients(len(proofs), rand.Reader)
	if err != nil {
		return err
	}
	ok, err := v.holds(proofs, inputs, z)
	if err != nil || ok {
		return err
	}
	for j := range proofs {
		if v.Check(&proofs[j], inputs[j]) != nil {
			return status.New(status.ProofInvalid, fmt.Sprintf("proof[%d]", j), "proof %d of %d does not verify", j, len(proofs))
		}
	}
	return status.New(status.Internal, "proof", "batch check failed although every proof verifies alone")
}

// holds evaluates the batch equation for the coefficients z.
func (v *Verifier) holds(proofs []Proof, inputs [][]fr.Element, z []fr.Element) (bool, error) {
	a, b, c := make([]bls.G1Affine, len(proofs)), make([]bls.G2Affine, len(proofs)), make([]bls.G1Affine, len(proofs))
	var zSum, t fr.Element
	folded := make([]fr.Element, v.NumInputs())
	for j := range proofs {
		var k big.Int
		a[j].ScalarMultiplication(&proofs[j].A, z[j].BigInt(&k))
		b[j], c[j] = proofs[j].B, proofs[j].C
		zSum.Add(&zSum, &z[j])
		for i := range folded {
			folded[i].Add(&folded[i], t.Mul(&z[j], &inputs[j][i]))
		}
	}
	var cSum, alpha bls.G1Affine
	if _, err := cSum.MultiExp(c, z, ecc.MultiExpConfig{}); err != nil {
		return false, internal(err)
	}
	ic, err := v.combine(zSum, folded)
	if err != nil {
		return false, err
	}
	alpha.ScalarMultiplication(&v.negAlpha, zSum.BigInt(new(big.Int)))
	left, err := bls.MillerLoop(a, b)
	if err != nil {
		return false, internal(err)
	}
	right, err := bls.MillerLoopFixedQ([]bls.G1Affine{ic, cSum, alpha}, []lines{v.negGamma, v.negDelta, v.beta})
	if err != nil {
		return false, internal(err)
	}
	gt := bls.FinalExponentiation(&left, &right)
	return gt.IsOne(), nil
}

// combine returns one·IC_0 + Σ x_i·IC_{i+1}.
func (v *Verifier) combine(one fr.Element, x []fr.Element) (bls.G1Affine, error) {
	var sum bls.G1Affine
	scalars := append([]fr.Element{one}, x...)
	if _, err := sum.MultiExp(v.key.IC, scalars, ecc.MultiExpConfig{}); err != nil {
		return sum, internal(err)
	}
	return sum, nil
}

func (v *Verifier) checkInputs(inputs [][]fr.Element) error {
	for j := range inputs {
		if len(inputs[j]) != v.NumInputs() {
			return status.New(status.InputValue, fmt.Sprintf("inputs[%d]", j),
				"%d public inputs, the circuit has %d", len(inputs[j]), v.NumInputs())
		}
	}
	return nil
}

// randomCoefficients draws n scalars of 128 random bits, none of them zero.
func randomCoefficients(n int, source io.Reader) ([]fr.Element, error) {
	z := make([]fr.Element, n)
	var b [16]byte
	for j := range z {
		for z[j].IsZero() {
			if _, err := io.ReadFull(source, b[:]); err != nil {
				return nil, status.New(status.Internal, "random", "system randomness: %w", err)
			}
			z[j].SetBytes(b[:])
		}
	}
	return z, nil
}

func scalarOne() (one fr.Element) {
	one.SetOne()
	return one
}

func internal(err error) error {
	return status.New(status.Internal, "pairing", "pairing arithmetic: %w", err)
}
