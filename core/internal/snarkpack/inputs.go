package snarkpack

import (
	"context"
	"fmt"
	"math/big"

	"github.com/consensys/gnark-crypto/ecc"
	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// fold returns the coefficients of the ic points: Σ_{i<n} r^i, then for each public
// input Σ r^i·in_i. Inputs of the last proof stand for the padding too.
func (s *Statement) fold(ctx context.Context, r *fr.Element, n, workers int) ([]fr.Element, error) {
	blocks := (s.Count + foldBlock - 1) / foldBlock
	partial := make([][]fr.Element, blocks)
	err := spawn.Each(ctx, workers, blocks, func(k int) (err error) {
		lo, hi := k*foldBlock, min((k+1)*foldBlock, s.Count)
		partial[k], err = s.foldRange(r, lo, hi, n)
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, status.Ended(ctx)
		}
		return nil, err
	}
	sum := partial[0]
	for _, p := range partial[1:] {
		for j := range sum {
			sum[j].Add(&sum[j], &p[j])
		}
	}
	return sum, nil
}

// foldBlock is how many proofs one goroutine takes at a time.
const foldBlock = 32

// foldRange is fold for proofs lo to hi.
func (s *Statement) foldRange(r *fr.Element, lo, hi, n int) ([]fr.Element, error) {
	sum := make([]fr.Element, len(s.Key.IC))
	var power, weight, t fr.Element
	power.Exp(*r, big.NewInt(int64(lo)))
	for i := lo; i < hi; i++ {
		weight = power
		if i == s.Count-1 {
			for range n - s.Count {
				power.Mul(&power, r)
				weight.Add(&weight, &power)
			}
		}
		in, err := s.Inputs(i)
		if err != nil {
			return nil, err
		}
		if len(in)+1 != len(sum) {
			return nil, status.New(status.SRSMismatch, fmt.Sprintf("inputs[%d]", i),
				"%d public inputs, the verifying key is for %d", len(in), len(sum)-1)
		}
		sum[0].Add(&sum[0], &weight)
		for j := range in {
			sum[j+1].Add(&sum[j+1], t.Mul(&weight, &in[j]))
		}
		power.Mul(&power, r)
	}
	return sum, nil
}

// multiExp leaves the number of tasks of a multi-exponentiation to gnark-crypto.
var multiExp = ecc.MultiExpConfig{}

// combine returns Σ scalars[i]·points[i] for few points.
func combine(points []bls.G1Affine, scalars []fr.Element) (sum bls.G1Jac) {
	var k big.Int
	for i := range points {
		var p bls.G1Jac
		p.FromAffine(&points[i])
		p.ScalarMultiplication(&p, scalars[i].BigInt(&k))
		sum.AddAssign(&p)
	}
	return sum
}

func negated(s *fr.Element) (n fr.Element) {
	n.Neg(s)
	return n
}
