package curve

import "context"

// SourceG1 is a sequence of points that may live in memory or be decoded from a
// file when they are asked for, no longer than ctx. Its methods are safe for concurrent use.
type SourceG1 interface {
	// Len returns the number of points.
	Len() int
	// Range returns len(buf) points from position from on: decoded into buf, or
	// the source's own memory, which must not be written.
	Range(ctx context.Context, buf []G1Affine, from int) ([]G1Affine, error)
	// Pick sets dst[i] to the point at position index[i].
	Pick(ctx context.Context, dst []G1Affine, index []uint32) error
}

// SliceG1 is a source in memory.
type SliceG1 []G1Affine

// Len returns the number of points.
func (s SliceG1) Len() int { return len(s) }

// Range returns a part of the slice; buf only says how long.
func (s SliceG1) Range(_ context.Context, buf []G1Affine, from int) ([]G1Affine, error) {
	return s[from : from+len(buf)], nil
}

// Pick copies points by position.
func (s SliceG1) Pick(_ context.Context, dst []G1Affine, index []uint32) error {
	for i, k := range index {
		dst[i] = s[k]
	}
	return nil
}

// SubsetG1 is the source of the points of From at the positions Index.
type SubsetG1 struct {
	From  SourceG1
	Index []uint32
}

// Len returns the number of points.
func (s SubsetG1) Len() int { return len(s.Index) }

// Range picks a run of the subset into buf.
func (s SubsetG1) Range(ctx context.Context, buf []G1Affine, from int) ([]G1Affine, error) {
	return buf, s.From.Pick(ctx, buf, s.Index[from:from+len(buf)])
}

// Pick picks points by their position in the subset.
func (s SubsetG1) Pick(ctx context.Context, dst []G1Affine, index []uint32) error {
	positions := make([]uint32, len(index))
	for i, k := range index {
		positions[i] = s.Index[k]
	}
	return s.From.Pick(ctx, dst, positions)
}
