package device

import (
	"bytes"
	"context"
	"fmt"
	"math/big"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/status"
	"github.com/libcuzk/libcuzk/gpu"
)

// Generated makes test parameters on the device from their scalars.
func Generated(s *params.Scalars) Source { return generated{s} }

type generated struct{ s *params.Scalars }

// stretch is how many points are asked for at once, about: between them the
// context is looked at.
const stretch = 1 << 21

func (g generated) again() bool { return false }

func (g generated) blame(err error) error { return err }

func (g generated) feed(context.Context, *gpu.Params, []gpu.Pass, func()) error {
	return status.New(status.Internal, "srs", "generated parameters cannot be read again")
}

func (g generated) fill(ctx context.Context, to *gpu.Params) error {
	if err := to.GeneratePowers(gpu.H, g.s.Layout.H, g.s.HFirst, g.s.HRatio); err != nil {
		return err
	}
	for i, scalars := range [][]fr.Element{nil, g.s.L, g.s.A, g.s.B, g.s.B} {
		part := to.Part(sections[i].section)
		step := max(1, stretch/part) * part
		for at := 0; at < len(scalars); at += step {
			if ctx.Err() != nil {
				return status.Ended(ctx)
			}
			if err := to.Generate(sections[i].section, at, scalars[at:min(at+step, len(scalars))]); err != nil {
				return err
			}
		}
	}
	return g.spotCheck(to)
}

// spotCheck compares the first, a middle and the last point of every section
// with multiples computed here.
func (g generated) spotCheck(to *gpu.Params) error {
	for i, n := range lengths(g.s.Layout) {
		for _, at := range []int{0, n / 3, n - 1} {
			if n == 0 {
				break
			}
			if ok, err := g.right(to, sections[i].section, at); err != nil {
				return err
			} else if !ok {
				where := fmt.Sprintf("%s[%d]", sections[i].name, at)
				return status.New(status.DeviceWrong, where, "the device made a wrong point %s", where)
			}
		}
	}
	return nil
}

// right reports whether the device has the right point at a position.
func (g generated) right(to *gpu.Params, s gpu.Section, at int) (bool, error) {
	k := new(big.Int)
	g.scalar(s, at).BigInt(k)
	have, want := make([]byte, s.PointSize()), make([]byte, s.PointSize())
	if s == gpu.B2 {
		p := curve.GeneratorG2()
		curve.EncodeG2(want, p.ScalarMultiplication(&p, k))
	} else {
		p := curve.GeneratorG1()
		curve.EncodeG1(want, p.ScalarMultiplication(&p, k))
	}
	err := to.Encoded(s, at, have)
	return bytes.Equal(have, want), err
}

// scalar is what stands behind a point.
func (g generated) scalar(s gpu.Section, at int) *fr.Element {
	switch s {
	case gpu.H:
		var k fr.Element
		k.Exp(g.s.HRatio, big.NewInt(int64(at)))
		return k.Mul(&k, &g.s.HFirst)
	case gpu.L:
		return &g.s.L[at]
	case gpu.A:
		return &g.s.A[at]
	default:
		return &g.s.B[at]
	}
}
