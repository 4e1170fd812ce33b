// Code generated from source_g1.go by gen; DO NOT EDIT.

package curve

import "context"

// SourceG2 is a sequence of points that may live in memory or be decoded from a
// file when they are asked for, no longer than ctx. Its methods are safe for concurrent use.
type SourceG2 interface {
	// Len returns the number of points.
	Len() int
	// Range returns len(buf) points from position from on: decoded into buf, or
	// the source's own memory, which must not be written.
	Range(ctx context.Context, buf []G2Affine, from int) ([]G2Affine, error)
	// Pick sets dst[i] to the point at position index[i].
	Pick(ctx context.Context, dst []G2Affine, index []uint32) error
}

// SliceG2 is a source in memory.
type SliceG2 []G2Affine

// Len returns the number of points.
func (s SliceG2) Len() int { return len(s) }

// Range returns a part of the slice; buf only says how long.
func (s SliceG2) Range(_ context.Context, buf []G2Affine, from int) ([]G2Affine, error) {
	return s[from : from+len(buf)], nil
}

// Pick copies points by position.
func (s SliceG2) Pick(_ context.Context, dst []G2Affine, index []uint32) error {
	for i, k := range index {
		dst[i] = s[k]
	}
	return nil
}

// SubsetG2 is the source of the points of From at the positions Index.
type SubsetG2 struct {
	From  SourceG2
	Index []uint32
}

// Len returns the number of points.
func (s SubsetG2) Len() int { return len(s.Index) }

// Range picks a run of the subset into buf.
func (s SubsetG2) Range(ctx context.Context, buf []G2Affine, from int) ([]G2Affine, error) {
	return buf, s.From.Pick(ctx, buf, s.Index[from:from+len(buf)])
}

// Pick picks points by their position in the subset.
func (s SubsetG2) Pick(ctx context.Context, dst []G2Affine, index []uint32) error {
	positions := make([]uint32, len(index))
	for i, k := range index {
		positions[i] = s.Index[k]
	}
	return s.From.Pick(ctx, dst, positions)
}
