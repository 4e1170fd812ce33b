package curve

import (
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/field"
	"github.com/libcuzk/libcuzk/core/internal/field/fieldtest"
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

// TestDecodeAll finds the first invalid point of many, whatever is wrong with it, and
// decodes as DecodeG1 and DecodeG2 do.
func TestDecodeAll(t *testing.T) { fieldtest.Each(t, decodeAll) }

func decodeAll(t *testing.T, l field.Level) {
	rng := seeded(t)
	rounds := 100
	if fieldtest.Emulated(l) {
		rounds = 60
	}
	for round := range rounds {
		n := rng.IntN(40)
		p1, p2 := pointsG1(rng, n), pointsG2(rng, n)
		b1, b2 := make([]byte, n*SizeG1), make([]byte, n*SizeG2)
		for i := range n {
			if p1[i].IsInfinity() && round%4 > 0 {
				p1[i] = GeneratorG1()
			}
			if p2[i].IsInfinity() && round%4 > 0 {
				p2[i] = GeneratorG2()
			}
			EncodeG1(b1[i*SizeG1:], &p1[i])
			EncodeG2(b2[i*SizeG2:], &p2[i])
		}
		if n > 0 && round%3 > 0 { // one or two changed bytes, often flags or the last
			for range 1 + rng.IntN(2) {
				at := rng.IntN(n)
				b1[at*SizeG1+[]int{0, 48, 95, rng.IntN(SizeG1)}[rng.IntN(4)]] ^= 1 << rng.IntN(8)
				b2[at*SizeG2+[]int{0, 48, 96, 144, 191, rng.IntN(SizeG2)}[rng.IntN(6)]] ^= 1 << rng.IntN(8)
			}
		}
		if n > 0 && round%5 == 0 { // the modulus itself, or all ones below the flags
			at := rng.IntN(n)
			fp.Modulus().FillBytes(b1[at*SizeG1+48*rng.IntN(2):][:48])
			fp.Modulus().FillBytes(b2[at*SizeG2+48*rng.IntN(4):][:48])
		}
		for _, check := range []Check{CheckNone, CheckCurve, CheckSubgroup} {
			d1, d2 := make([]G1Affine, n), make([]G2Affine, n)
			at1, err1 := DecodeAllG1(d1, func(i int) []byte { return b1[i*SizeG1:] }, check)
			at2, err2 := DecodeAllG2(d2, func(i int) []byte { return b2[i*SizeG2:] }, check)
			for i := range n {
				var want G1Affine
				if err := DecodeG1(&want, b1[i*SizeG1:], check); err != nil {
					require.ErrorIs(t, err1, err)
					require.Equal(t, i, at1)
					err1 = nil
					break
				}
				require.Equal(t, want, d1[i], "G1 %d of %d, check %d", i, n, check)
			}
			require.NoError(t, err1)
			for i := range n {
				var want G2Affine
				if err := DecodeG2(&want, b2[i*SizeG2:], check); err != nil {
					require.ErrorIs(t, err2, err)
					require.Equal(t, i, at2)
					err2 = nil
					break
				}
				require.Equal(t, want, d2[i], "G2 %d of %d, check %d", i, n, check)
			}
			require.NoError(t, err2)
		}
	}
}
