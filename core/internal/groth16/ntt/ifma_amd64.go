//go:build amd64 && !purego

package ntt

import (
	"unsafe"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/field"
)

// ifma transforms eight columns at a time. Both directions multiply before they add,
// because then numbers grow by 2r per stage and not twofold: from natural order with
// one factor per block, from bit-reversed order with one per row of a block.
var ifma = arithmetic[field.Fr8, []field.FrFactor]{
	lanes: 8,
	load: func(rows []field.Fr8, e []*fr.Element, stride int) {
		field.LoadFr8(&rows[0], (*[8]*fr.Element)(e), stride*fr.Bytes, len(rows))
	},
	store: func(e []*fr.Element, rows []field.Fr8, stride int) {
		field.StoreFr8((*[8]*fr.Element)(e), &rows[0], stride*fr.Bytes, len(rows))
	},
	twiddles: func(root *[2]fr.Element, size int) (w [2][]field.FrFactor) {
		for d := range w {
			w[d] = make([]field.FrFactor, size/2)
			p := fr.One()
			for i := range w[d] {
				at := i
				if d == inverse {
					at = reverse(i, size/2)
				}
				w[d][at] = wideFactor(&p)
				p.Mul(&p, &root[d])
			}
		}
		return w
	},
	analyse: func(rows []field.Fr8, w []field.FrFactor) {
		stage := 0
		for half := len(rows) / 2; half >= 1; half /= 2 {
			blocks, first := len(rows)/2/half, 0
			if stage < unmultiplied { // block 0 has the factor one
				field.SumDifferenceFr8(&rows[0], half, 1)
				first = 1
			}
			if blocks > first {
				field.ButterfliesFr8(&rows[2*half*first], &w[first], half, blocks-first, 0, factorBytes)
			}
			stage++
		}
	},
	synthesise: func(rows []field.Fr8, w []field.FrFactor) {
		field.SumDifferenceFr8(&rows[0], 1, len(rows)/2)
		for half := 2; half < len(rows); half *= 2 {
			step := len(rows) / 2 / half * factorBytes
			field.ButterfliesFr8(&rows[0], &w[0], half, len(rows)/2/half, step, -half*step)
		}
	},
	multiply: func(x, factor []field.Fr8) { field.TwistFr8(&x[0], &x[0], &factor[0], len(x)) },
	fill: func(rows []field.Fr8, first *fr.Element, ratio []fr.Element) {
		// Position 2^j and those after it have ratio^(len/2^(j+1)) more than positions from 0.
		rows[0] = wideFactors(func(int) *fr.Element { return first })
		power := wideFactors(func(l int) *fr.Element { return &ratio[l] })
		powers := make([]field.Fr8, 0, maxPassLog)
		for n := 1; n < len(rows); n *= 2 {
			powers = append(powers, power)
			field.MulFr8(&power, &power, &power, 1)
		}
		for n := 1; n < len(rows); n *= 2 {
			last := len(powers) - 1
			field.ScaleFr8(&rows[n], &rows[0], &powers[last], n)
			powers = powers[:last]
		}
	},
}

const factorBytes = int(unsafe.Sizeof(field.FrFactor{}))

// unmultiplied is in how many first stages numbers may double: from r to 8r, so that
// the other stages, at most five, leave them below 18r.
const unmultiplied = 3

// toWideFactor turns a scalar into one whose stored form, with 2^260 in place of 2^256,
// is that of a factor.
var toWideFactor = fr.NewElement(1 << 4)

func wideFactor(e *fr.Element) (w field.FrFactor) {
	var f fr.Element
	f.Mul(e, &toWideFactor)
	for j := range w {
		word, shift := 52*j/64, 52*j%64
		v := f[word] >> shift
		if word+1 < len(f) && shift > 0 {
			v |= f[word+1] << (64 - shift)
		}
		w[j] = v & (1<<52 - 1)
	}
	return w
}

// wideFactors returns a factor of its own for each lane.
func wideFactors(e func(lane int) *fr.Element) (v field.Fr8) {
	for l := range 8 {
		for j, limb := range wideFactor(e(l)) {
			v[j][l] = limb
		}
	}
	return v
}

// rowsOfProducts is how many vectors vectorProducts works on at a time.
const rowsOfProducts = 32

// sixteen corrects products of stored scalars, 2^512/2^260, to 2^256.
var sixteen = func() field.Fr8 {
	e := fr.NewElement(1 << 4)
	return wideFactors(func(int) *fr.Element { return &e })
}()

// vectorProducts computes the products from the first on and returns how many.
func vectorProducts(z, x, y []fr.Element) (n int) {
	if field.Use() < field.IFMA {
		return 0
	}
	var a, b [rowsOfProducts]field.Fr8
	at := func(v []fr.Element) (e [8]*fr.Element) {
		for l := range e {
			e[l] = &v[n+l]
		}
		return e
	}
	const stride = 8 * fr.Bytes
	for ; n+8*rowsOfProducts <= len(z); n += 8 * rowsOfProducts {
		ax, ay, az := at(x), at(y), at(z)
		field.LoadFr8(&a[0], &ax, stride, rowsOfProducts)
		field.LoadFr8(&b[0], &ay, stride, rowsOfProducts)
		field.ScaleFr8(&a[0], &a[0], &sixteen, rowsOfProducts)
		field.MulFr8(&a[0], &a[0], &b[0], rowsOfProducts)
		field.StoreFr8(&az, &a[0], stride, rowsOfProducts)
	}
	return n
}
