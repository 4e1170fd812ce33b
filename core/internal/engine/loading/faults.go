package loading

import (
	"bytes"
	"context"

	"github.com/libcuzk/libcuzk/core/internal/curve"
	"github.com/libcuzk/libcuzk/core/internal/engine/fault"
	"github.com/libcuzk/libcuzk/core/internal/groth16"
	"github.com/libcuzk/libcuzk/core/internal/params"
	"github.com/libcuzk/libcuzk/core/internal/r1cs"
	"github.com/libcuzk/libcuzk/core/internal/status"
)

// faultySource returns parameters whose pages pass the point fault.Page: a fault on
// the way from the disk to the decoder. Without an injector they stay as they are.
func faultySource(points *params.SRS, faults fault.Injector) *params.SRS {
	if faults == nil {
		return points
	}
	g1 := func(from curve.SourceG1) curve.SourceG1 {
		return faulty[curve.G1Affine]{from, faults, curve.SizeG1, curve.EncodeG1, curve.DecodeG1}
	}
	b2 := faulty[curve.G2Affine]{points.B2, faults, curve.SizeG2, curve.EncodeG2, curve.DecodeG2}
	return &params.SRS{Key: points.Key, H: g1(points.H), L: g1(points.L), A: g1(points.A), B1: g1(points.B1), B2: b2}
}

// source is what the sources of both groups have in common.
type source[P any] interface {
	Len() int
	Range(ctx context.Context, buf []P, from int) ([]P, error)
	Pick(ctx context.Context, dst []P, index []uint32) error
}

// faulty is a source whose first point of each piece stands for the page that the
// piece is on.
type faulty[P any] struct {
	source[P]
	faults fault.Injector
	size   int // of an encoded point
	encode func([]byte, *P)
	decode func(*P, []byte, curve.Check) error
}

func (s faulty[P]) Range(ctx context.Context, buf []P, from int) ([]P, error) {
	got, err := s.source.Range(ctx, buf, from)
	if err != nil {
		return nil, err
	}
	copy(buf, got) // which may be the source's own memory
	return buf, s.page(buf)
}

func (s faulty[P]) Pick(ctx context.Context, dst []P, index []uint32) error {
	if err := s.source.Pick(ctx, dst, index); err != nil {
		return err
	}
	return s.page(dst)
}

// page lets the injector at the bytes of the first point.
func (s faulty[P]) page(points []P) error {
	if err := fault.At(s.faults, fault.Page); err != nil || len(points) == 0 {
		return err
	}
	good := make([]byte, s.size)
	s.encode(good, &points[0])
	page := bytes.Clone(good)
	if fault.Through(s.faults, fault.Page, page); bytes.Equal(page, good) {
		return nil
	}
	if err := s.decode(&points[0], page, curve.CheckCurve); err != nil {
		return status.New(status.SRSPoint, "srs", "parameters: %w", err)
	}
	return nil
}

// faultyDevice is a backend that passes the point fault.Device, and the sums that come
// from it too.
type faultyDevice struct {
	groth16.Backend
	faults fault.Injector
}

// faultyBackend wraps a backend if there is an injector.
func faultyBackend(b groth16.Backend, faults fault.Injector) groth16.Backend {
	if faults == nil {
		return b
	}
	return faultyDevice{b, faults}
}

func (s faultyDevice) Sums(ctx context.Context, c *r1cs.Circuit, p *groth16.Plan, w *r1cs.Witness, t *groth16.Timings, hooks groth16.Hooks) (groth16.Sums, error) {
	if err := fault.At(s.faults, fault.Device); err != nil {
		return groth16.Sums{}, err
	}
	sums, err := s.Backend.Sums(ctx, c, p, w, t, hooks)
	if err == nil {
		x := sums.L.X.Bytes()
		fault.Through(s.faults, fault.Device, x[:])
		sums.L.X.SetBytes(x[:])
	}
	return sums, err
}
