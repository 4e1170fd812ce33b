//go:build amd64 && !purego

package curve

import "github.com/libcuzk/libcuzk/core/internal/field"

// decoderG1 reads eight points at a time.
type decoderG1 struct {
	scratch field.Scratch
	dst     [8]*G1Affine
	src     [8]*byte
}

// newDecoderG1 returns nil where there are no vectors for it.
func newDecoderG1() *decoderG1 {
	if field.Use() < field.IFMA {
		return nil
	}
	return new(decoderG1)
}

// decode reads points from…from+7 and reports whether all are valid.
func (d *decoderG1) decode(dst *[8]G1Affine, from int, at func(i int) []byte, check Check) bool {
	for l := range dst {
		d.dst[l], d.src[l] = &dst[l], &at(from + l)[:SizeG1][0]
	}
	return field.DecodeG1(&d.dst, &d.src, int(check), &d.scratch) == 0
}
