package ntt

import (
	"context"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr/fft"

	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// portable uses gnark-crypto's transforms.
type portable struct {
	domain  *fft.Domain
	workers int
}

func newPortable(n, workers int) *portable {
	return &portable{domain: fft.NewDomain(uint64(n)), workers: max(1, workers)}
}

// Forward decimates in time.
func (p *portable) Forward(ctx context.Context, v []fr.Element) error {
	p.domain.FFT(v, fft.DIT, fft.WithNbTasks(p.workers))
	return context.Cause(ctx)
}

// Inverse decimates in frequency.
func (p *portable) Inverse(ctx context.Context, v []fr.Element, shift *fr.Element) error {
	p.domain.FFTInverse(v, fft.DIF, fft.WithNbTasks(p.workers))
	if !shift.IsOne() {
		p.shift(v, shift)
	}
	return context.Cause(ctx)
}

// shift multiplies coefficient j by g^j.
func (p *portable) shift(v []fr.Element, g *fr.Element) {
	// Position i holds coefficient rev(i). Within a run the low bits of i are
	// the high bits of rev(i): one table of their powers serves every run, times
	// one power for the rest.
	run := min(len(v), 1<<11)
	runs := len(v) / run
	step := power(g, runs)
	table := make([]fr.Element, run)
	for i := range table {
		table[i] = power(&step, reverse(i, run))
	}
	spawn.Range(p.workers, runs, func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			base := power(g, reverse(r, runs))
			block := v[r*run : (r+1)*run]
			for i := range block {
				block[i].Mul(&block[i], &table[i])
				block[i].Mul(&block[i], &base)
			}
		}
	})
}
