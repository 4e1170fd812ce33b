package srs

import (
	"context"
	"encoding/binary"
	"io"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/spawn"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// FileBytes returns the length of a file with vectors of n points.
func FileBytes(n int) int64 {
	return 4*4 + int64(n)*(2*bls.SizeOfG1AffineCompressed+2*bls.SizeOfG2AffineCompressed)
}

// CheckLength refuses lengths of vectors that no file has.
func CheckLength(n int) error {
	if n < 1 || n > maxPoints {
		return status.New(status.Argument, "length", "an SRS of %d points, 1 to %d are possible", n, maxPoints)
	}
	return nil
}

// Write makes a test SRS with vectors of n points from its secrets: who knows them can
// make aggregates of proofs that do not exist. progress, if not nil, is called with
// the bytes written so far and the length of the whole.
func Write(ctx context.Context, w io.Writer, n int, a, b *fr.Element, workers int, progress func(done, total int64)) error {
	if err := CheckLength(n); err != nil {
		return err
	}
	if a.IsZero() || b.IsZero() {
		return status.New(status.Argument, "toxic", "a secret is zero")
	}
	g1, err := curve.NewFixedG1(ctx, curve.GeneratorG1(), 2*n, workers)
	if err != nil {
		return err
	}
	g2, err := curve.NewFixedG2(ctx, curve.GeneratorG2(), 2*n, workers)
	if err != nil {
		return err
	}
	m := maker{ctx: ctx, w: w, n: n, workers: workers, progress: progress}
	for v, secret := range []*fr.Element{a, b, a, b} {
		if v < 2 {
			err = writeVector(&m, v, secret, g1.Mul, func(p *bls.G1Affine, b []byte) { x := p.Bytes(); copy(b, x[:]) })
		} else {
			err = writeVector(&m, v, secret, g2.Mul, func(p *bls.G2Affine, b []byte) { x := p.Bytes(); copy(b, x[:]) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maker is a file in the making.
type maker struct {
	ctx        context.Context
	w          io.Writer
	n, workers int
	done       int64
	progress   func(done, total int64)
}

// makeBlock is how many points are computed at a time.
const makeBlock = 1 << 13

// writeVector writes secret^i times a generator, i < n.
func writeVector[P any](m *maker, vector int, secret *fr.Element,
	mul func(context.Context, []P, []fr.Element, int) error, encode func(*P, []byte),
) error {
	if err := m.write(binary.BigEndian.AppendUint32(nil, uint32(m.n))); err != nil {
		return err
	}
	size := pointSize(vector)
	power := fr.One()
	for first := 0; first < m.n; first += makeBlock {
		scalars := make([]fr.Element, min(makeBlock, m.n-first))
		for i := range scalars {
			scalars[i] = power
			power.Mul(&power, secret)
		}
		points := make([]P, len(scalars))
		if err := mul(m.ctx, points, scalars, m.workers); err != nil {
			return err
		}
		buf := make([]byte, len(points)*size)
		spawn.Range(m.workers, len(points), func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				encode(&points[i], buf[i*size:(i+1)*size])
			}
		})
		if err := m.write(buf); err != nil {
			return err
		}
	}
	return nil
}

func (m *maker) write(b []byte) error {
	if _, err := m.w.Write(b); err != nil {
		return status.New(status.FileIO, "", "writing SRS: %w", err)
	}
	m.done += int64(len(b))
	if m.progress != nil {
		m.progress(m.done, FileBytes(m.n))
	}
	return nil
}
