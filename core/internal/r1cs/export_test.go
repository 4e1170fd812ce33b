package r1cs

import (
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"
)

// TestFlatEvaluates reads rows from the exported arrays alone, as a device
// does, and compares them with EvalAB.
func TestFlatEvaluates(t *testing.T) {
	build := toy(50, 11)
	c := Compile(build)
	w, err := c.Solve(t.Context(), build)
	require.NoError(t, err)
	want := [2][]fr.Element{make([]fr.Element, c.Domain()), make([]fr.Element, c.Domain())}
	require.NoError(t, c.EvalAB(t.Context(), w, want[0], want[1], 1))

	f := c.Flat()
	for _, in := range f.Instances {
		tmpl := f.Templates[in.Template]
		for m := range 2 {
			for r := range tmpl.Rows {
				s := f.Starts[tmpl.Start[m]+r:]
				var sum fr.Element
				for _, x := range f.Terms[s[0]:s[1]] {
					v := f.value(w, in, x.Src)
					v.Mul(&v, &f.Coefs[x.Coef])
					sum.Add(&sum, &v)
				}
				require.Equal(t, want[m][in.Row+r], sum, "matrix %d, row %d", m, in.Row+r)
			}
		}
	}
}

func (f *Flat) value(w *Witness, in FlatInstance, src uint32) (v fr.Element) {
	kind, i := src&(7<<29), src&(1<<29-1)
	switch kind {
	case SrcWire:
		return f.value(w, FlatInstance{}, f.Wires[in.Wire+i])
	case SrcOne:
		v.SetOne()
	case SrcInput:
		v = w.Inputs[in.Input+i]
	case SrcScalar:
		v = w.Scalars[in.Scalar+i]
	case SrcBit:
		i += in.Aux
		v.SetUint64(w.Bits[i>>6] >> (i & 63) & 1)
	}
	return v
}
