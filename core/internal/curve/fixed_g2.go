// Code generated from fixed_g1.go by gen; DO NOT EDIT.

package curve

import (
	"context"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/field"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
)

// FixedG2 multiplies one point by many scalars. It holds j·2^(width·i)·P for all
// digits j and positions i, so that a product is one addition per digit.
type FixedG2 struct {
	windows
	table [][]G2Affine // table[i][j−1] = j·2^(width·i)·P
}

// NewFixedG2 makes the tables of p for about n products. They take at most
// 94 MiB.
func NewFixedG2(ctx context.Context, p G2Affine, n, workers int) (*FixedG2, error) {
	f := &FixedG2{windows: newWindows(fixedWidth(n))}
	f.table = make([][]G2Affine, f.count)
	var base G2Jac
	base.FromAffine(&p)
	for i := range f.table {
		f.table[i] = make([]G2Affine, f.buckets())
		f.table[i][0].FromJacobian(&base)
		for range f.width {
			base.DoubleAssign()
		}
	}
	err := spawn.Each(ctx, workers, f.count, func(i int) error {
		f.multiples(f.table[i])
		return nil
	})
	return f, cancelCause(ctx, err)
}

// multiples fills t with the multiples of t[0]: 1…s known give s+1…2s.
func (f *FixedG2) multiples(t []G2Affine) {
	adder := new(adderG2)
	for s := 1; s < len(t); s *= 2 {
		for i := range min(s, len(t)-s) {
			adder.push(&t[s+i], &t[s-1], &t[i])
		}
		adder.flush()
	}
}

// Mul sets dst[i] = scalars[i]·P. It checks ctx every few milliseconds of work.
func (f *FixedG2) Mul(ctx context.Context, dst []G2Affine, scalars []fr.Element, workers int) error {
	blocks := (len(scalars) + batchSize - 1) / batchSize
	err := spawn.Each(ctx, workers, blocks, func(k int) error {
		lo, hi := k*batchSize, min((k+1)*batchSize, len(scalars))
		f.mulBatch(dst[lo:hi], scalars[lo:hi])
		return nil
	})
	return cancelCause(ctx, err)
}

// mulBatch computes at most batchSize products, one digit of all at a time. The
// tables are larger than caches: the entries of a digit are asked for in a loop
// of their own before they are added.
func (f *FixedG2) mulBatch(dst []G2Affine, scalars []fr.Element) {
	var digits [batchSize]recoded
	for i := range scalars {
		digits[i] = f.recode(&scalars[i])
	}
	clear(dst)
	adder := new(adderG2)
	var entries [batchSize]*G2Affine // nil for the digit 0
	var negative [batchSize]bool
	for w, t := range f.table {
		for i := range dst {
			m, n := f.digit(&digits[i], w)
			entries[i], negative[i] = nil, n
			if m != 0 {
				entries[i] = &t[m-1]
				field.PrefetchG2(entries[i])
			}
		}
		for i := range dst {
			if entries[i] != nil {
				adder.pushSigned(&dst[i], &dst[i], entries[i], negative[i])
			}
		}
		adder.flush()
	}
}
