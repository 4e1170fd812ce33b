// Code generated from decoder_g1.go by gen; DO NOT EDIT.

//go:build amd64 && !purego

package curve

import "github.com/libcuzk/libcuzk/core/internal/field"

// decoderG2 reads eight points at a time.
type decoderG2 struct {
	scratch field.Scratch
	dst     [8]*G2Affine
	src     [8]*byte
}

// newDecoderG2 returns nil where there are no vectors for it.
func newDecoderG2() *decoderG2 {
	if field.Use() < field.IFMA {
		return nil
	}
	return new(decoderG2)
}

// decode reads points from…from+7 and reports whether all are valid.
func (d *decoderG2) decode(dst *[8]G2Affine, from int, at func(i int) []byte, check Check) bool {
	for l := range dst {
		d.dst[l], d.src[l] = &dst[l], &at(from + l)[:SizeG2][0]
	}
	return field.DecodeG2(&d.dst, &d.src, int(check), &d.scratch) == 0
}
