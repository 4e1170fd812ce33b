package post

import (
	"context"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/fixture"
	"github.com/libcuzk/libcuzk/core/internal/poseidon"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/core/internal/vanilla"
)

// TestSketch: a sketch and the rules of the circuit give the whole witness.
func TestSketch(t *testing.T) {
	for _, size := range []uint64{2 * filecoin.KiB, 512 * filecoin.MiB} {
		post, err := fixture.SparseWindowPoSt(size, 5, 2, nil)
		require.NoError(t, err)
		shape := post.Proof.Shape()
		shape.Sectors = 2
		var sectors []*vanilla.PoStSector
		for _, v := range post.Vanilla {
			s, err := vanilla.ParsePoStSector(v, post.Proof)
			require.NoError(t, err)
			sectors = append(sectors, s)
		}
		c := Compile(shape)
		want, err := Solve(context.Background(), c, shape, 2, sectors)
		require.NoError(t, err)
		got, err := Sketch(context.Background(), c, shape, 2, sectors)
		require.NoError(t, err)
		require.True(t, got.Sketch)
		require.Len(t, got.Scalars, c.Given())
		require.Less(t, 10*c.Given(), c.NumScalars(), "most of a witness follows")
		require.Equal(t, want.Inputs, got.Inputs)
		require.Equal(t, want.Bits, got.Bits)
		require.Equal(t, want.Scalars, complete(c, got))

		sectors[1].CommC[3] ^= 1 // what only hashes can notice
		_, err = Solve(context.Background(), c, shape, 2, sectors)
		require.Equal(t, status.Unsatisfied, status.CodeOf(err))
		_, err = Sketch(context.Background(), c, shape, 2, sectors)
		require.NoError(t, err, "a sketch does not know")
	}
}

// complete does what a device does with a sketch.
func complete(c *r1cs.Circuit, w *r1cs.Witness) []fr.Element {
	f, p := c.Flat(), c.Program()
	out := make([]fr.Element, c.NumScalars())
	for i, at := range p.Given {
		out[at] = w.Scalars[i]
	}
	for _, k := range p.Order {
		in := f.Instances[k]
		for _, r := range p.Rules[p.Starts[in.Template]:p.Starts[in.Template+1]] {
			args := p.Args[r.Arg:]
			place := func(src uint32) int {
				const index = 1<<29 - 1
				switch src &^ index {
				case r1cs.SrcWire:
					return int(f.Wires[in.Wire+src&index] & index)
				case r1cs.SrcScalar:
					return int(in.Scalar + src&index)
				}
				return int(in.Aux + src&index)
			}
			to := out[in.Scalar+r.Out : in.Scalar+r.Out+r.N]
			if r.Fn == r1cs.Pick {
				bit, from := place(args[0]), args[2]
				if w.Bits[bit/64]>>(bit%64)&1 == 1 {
					from = args[1]
				}
				to[0] = out[place(from)]
				continue
			}
			ins := make([]fr.Element, r.Fn)
			for i := range ins {
				ins[i] = out[place(args[i])]
			}
			poseidon.Merkle(int(r.Fn)).Trace(ins, to)
		}
	}
	return out
}
