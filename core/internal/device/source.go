package device

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"runtime/debug"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"libcuzk/core/internal/curve"
	"libcuzk/core/internal/params"
	"libcuzk/core/internal/status"
	"libcuzk/gpu"
)

// Source is where the points of the parameters come from.
type Source interface {
	fill(ctx context.Context, to *gpu.Params) error
}

// piece is how many bytes are handed to the device at once: between pieces the
// context is looked at.
const piece = 64 << 20

// sections in the order of a file, with the names of params' errors.
var sections = []struct {
	section gpu.Section
	name    string
	size    int // bytes per point
}{
	{gpu.H, "srs.h", curve.SizeG1}, {gpu.L, "srs.l", curve.SizeG1}, {gpu.A, "srs.a", curve.SizeG1},
	{gpu.B1, "srs.b_g1", curve.SizeG1}, {gpu.B2, "srs.b_g2", curve.SizeG2},
}

// File reads a mapped parameter file; the device decodes and checks the points.
func File(f *params.File) Source { return file{f} }

type file struct{ f *params.File }

func (s file) fill(ctx context.Context, to *gpu.Params) error {
	h, l, a, b1, b2 := s.f.Raw()
	for i, data := range [][]byte{h, l, a, b1, b2} {
		x := sections[i]
		step := piece / x.size * x.size
		for at := 0; at < len(data); at += step {
			if ctx.Err() != nil {
				return status.Ended(ctx)
			}
			if err := put(to, x.section, at/x.size, data[at:min(at+step, len(data))]); err != nil {
				return pointError(x.name, err)
			}
		}
	}
	return nil
}

// put hands mapped bytes to the device. A fault of the mapping inside the
// library cannot be recovered, so the bytes are touched here first.
func put(to *gpu.Params, s gpu.Section, first int, data []byte) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch v := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = status.New(status.FileIO, "srs", "reading parameters: memory fault: the file was changed or the disk failed")
		default:
			panic(v)
		}
	}()
	var sum byte
	for i := 0; i < len(data); i += 4096 {
		sum |= data[i]
	}
	_ = sum
	return to.Put(s, first, data)
}

// pointError names the point that was refused.
func pointError(section string, err error) error {
	var g *gpu.Error
	if !errors.As(err, &g) || g.Code != gpu.Point {
		return err
	}
	where := fmt.Sprintf("%s[%d]", section, g.Index)
	return status.New(status.SRSPoint, where, "%s: %s", where, g.Reason)
}

// Generated makes test parameters on the device from their scalars.
func Generated(s *params.Scalars) Source { return generated{s} }

type generated struct{ s *params.Scalars }

func (g generated) fill(ctx context.Context, to *gpu.Params) error {
	if err := to.GeneratePowers(gpu.H, g.s.Layout.H, g.s.HFirst, g.s.HRatio); err != nil {
		return err
	}
	const step = piece / fr.Bytes
	for i, scalars := range [][]fr.Element{nil, g.s.L, g.s.A, g.s.B, g.s.B} {
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
	for i, n := range []int{g.s.Layout.H, len(g.s.L), len(g.s.A), len(g.s.B), len(g.s.B)} {
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
	if s == gpu.B2 {
		have, err := to.PointG2(at)
		want := curve.GeneratorG2()
		want.ScalarMultiplication(&want, k)
		return have.Equal(&want), err
	}
	have, err := to.PointG1(s, at)
	want := curve.GeneratorG1()
	want.ScalarMultiplication(&want, k)
	return have.Equal(&want), err
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
