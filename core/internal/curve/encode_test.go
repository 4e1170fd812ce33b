package curve

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEncodingAgreesWithGnark: for finite points our uncompressed form is that
// of gnark-crypto, and decoding inverts it.
func TestEncodingAgreesWithGnark(t *testing.T) {
	rng := seeded(t)
	for _, p := range pointsG1(rng, 200) {
		if p.IsInfinity() {
			continue
		}
		want := p.RawBytes()
		got := make([]byte, SizeG1)
		EncodeG1(got, &p)
		require.Equal(t, want[:], got)
		var back G1Affine
		require.NoError(t, DecodeG1(&back, got, CheckSubgroup))
		require.Equal(t, p, back)
	}
	for _, p := range pointsG2(rng, 200) {
		if p.IsInfinity() {
			continue
		}
		want := p.RawBytes()
		got := make([]byte, SizeG2)
		EncodeG2(got, &p)
		require.Equal(t, want[:], got)
		var back G2Affine
		require.NoError(t, DecodeG2(&back, got, CheckSubgroup))
		require.Equal(t, p, back)
	}
}

func TestDecodeRejects(t *testing.T) {
	g, g2 := GeneratorG1(), GeneratorG2()
	good, good2 := make([]byte, SizeG1), make([]byte, SizeG2)
	EncodeG1(good, &g)
	EncodeG2(good2, &g2)
	with := func(b []byte, change func([]byte)) []byte {
		b = slices.Clone(b)
		change(b)
		return b
	}
	cases := []struct {
		change func(b []byte)
		want   error
	}{
		{func(b []byte) { clear(b); b[0] = 0x40 }, ErrInfinity},
		{func(b []byte) { clear(b) }, ErrOffCurve},
		{func(b []byte) { b[0] |= 0x80 }, ErrFlags},
		{func(b []byte) { b[0] |= 0x20 }, ErrFlags},
		{func(b []byte) { b[0] = 0x1f }, ErrCoordinate},
		{func(b []byte) { b[len(b)/2] = 0xff }, ErrCoordinate},
		{func(b []byte) { b[len(b)-48] = 0xff }, ErrCoordinate},
		{func(b []byte) { b[len(b)-1] ^= 1 }, ErrOffCurve},
		{func(b []byte) { b[20] ^= 1 }, ErrOffCurve},
	}
	for i, c := range cases {
		var p G1Affine
		var p2 G2Affine
		require.ErrorIs(t, DecodeG1(&p, with(good, c.change), CheckCurve), c.want, "case %d", i)
		require.ErrorIs(t, DecodeG2(&p2, with(good2, c.change), CheckCurve), c.want, "case %d", i)
	}
	stray := strayG1(t)
	EncodeG1(good, &stray)
	require.NoError(t, DecodeG1(&g, good, CheckCurve))
	require.ErrorIs(t, DecodeG1(&g, good, CheckSubgroup), ErrSubgroup)
}

// strayG1 is a point of the curve outside the subgroup, of smallest x.
func strayG1(t *testing.T) (p G1Affine) {
	for x := uint64(1); ; x++ {
		p.X.SetUint64(x)
		p.Y.Square(&p.X).Mul(&p.Y, &p.X)
		four := p.X
		four.SetUint64(4)
		p.Y.Add(&p.Y, &four)
		if p.Y.Sqrt(&p.Y) != nil && !p.IsInSubGroup() {
			return p
		}
	}
}
