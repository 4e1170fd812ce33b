package main

import (
	"fmt"
	"math/big"
)

// decoding writes the reading of encoded points.
func (a *ifma) decoding() {
	var reversed []*big.Int // byte i comes from byte 7 − i of its word
	for word := range 8 {
		v := new(big.Int)
		for i := range 8 {
			v.Or(v, new(big.Int).Lsh(big.NewInt(int64(8*(word%2)+7-i)), uint(8*i)))
		}
		reversed = append(reversed, v)
	}
	a.data("reversed", reversed)
	modulo := func(v *big.Int) *big.Int { return v.Mod(v, a.modulus) }
	// A product by toStored/2^416 turns x into the stored x·2^384.
	a.wide("toStored", modulo(new(big.Int).Lsh(big.NewInt(1), 2*384+32)))
	// Stored elements count as κ times their value, κ = 2^−32: y² comes out as κ²·y², x³ as
	// κ³·x³. kappa brings y² to κ³, and the constant 4 of the curve is 4κ³.
	inverse := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 32), a.modulus)
	counted := func(v int64, power int64) *big.Int { // v·κ^power times 2^416
		k := new(big.Int).Exp(inverse, big.NewInt(power), a.modulus)
		k.Mul(k, big.NewInt(v)).Lsh(k, uint(wideBits*a.limbs))
		return modulo(k)
	}
	a.wide("kappa", counted(1, 1))
	a.wide("four", counted(4, 3))
	a.decode(g1Program)
	a.decode(g2Program)
}

// wide writes a constant in all lanes of a vector.
func (a *ifma) wide(name string, v *big.Int) {
	var words []*big.Int
	for _, limb := range a.split(v) {
		for range 8 {
			words = append(words, limb)
		}
	}
	a.data(name, words)
}

// decode writes the reading of eight points, with a look whether they are on the curve,
// and returns the lanes of coordinates that are too large and of points off the curve.
func (a *ifma) decode(g group) {
	size := 64 * a.limbs
	a.global("Decode"+g.name, 33, fmt.Sprintf("(dst *[8]*bls.%sAffine, src *[8]*byte, check int, w *Scratch) (bad uint8)", g.name))
	a.op("MOVQ w+24(FP), BX")
	a.op("MOVQ src+8(FP), SI")
	a.addresses("SI")
	x, y := slotX, g.yOf(slotX)
	a.vector(x, "DI")
	a.op("CALL readPair<>(SB)")
	if g.parts == 2 {
		a.advance(8 * fpWords * g.parts)
		a.vector(y, "DI")
		a.op("CALL readPair<>(SB)")
	}
	// K2 collects the coordinates that are not below p.
	a.op("KXORW K2, K2, K2")
	a.vector(x, "SI")
	a.op("VPXORQ Z24, Z24, Z24")
	for n := range 2 * g.parts {
		for j := range a.limbs {
			a.op("VMOVDQU64 %d(SI), Z%d", n*size+64*j, j)
			a.op("VPSUBQ.BCST p<>+%d(SB), Z%d, Z%d", 8*j, j, j)
		}
		a.normalise(0)
		a.op("VPCMPQ $5, Z24, Z%d, K1", a.limbs-1) // not less than zero
		a.op("KORW K1, K2, K2")
	}
	a.op("KMOVW K2, AX")
	a.op("MOVB AX, bad+32(FP)")
	for n := range 2 * g.parts { // to Montgomery form
		a.vector(x+n, "SI")
		a.op("MOVQ SI, DI")
		a.op("LEAQ toStored<>(SB), DX")
		a.op("CALL mul<>(SB)")
		a.reduceInPlace(x + n)
	}
	a.op("CMPQ check+16(FP), $0")
	a.op("JEQ write")
	a.offCurve(g, x, y)
	a.op("MOVB bad+32(FP), CX")
	a.op("ORB AX, CX")
	a.op("MOVB CX, bad+32(FP)")
	a.label("write")
	a.op("MOVQ dst+0(FP), SI")
	a.addresses("SI")
	if g.parts == 1 {
		a.vector(x, "SI")
		a.op("CALL storePair<>(SB)")
		a.end()
		return
	}
	for _, c := range []int{x, y} { // the file has a1 before a0
		if c == y {
			a.advance(8 * fpWords * g.parts)
		}
		for j := range a.limbs {
			a.op("VMOVDQU64 %d(BX), Z0", size*c+64*j)
			a.op("VMOVDQU64 %d(BX), Z1", size*(c+1)+64*j)
			a.op("VMOVDQU64 Z1, %d(BX)", size*c+64*j)
			a.op("VMOVDQU64 Z0, %d(BX)", size*(c+1)+64*j)
		}
		a.vector(c, "SI")
		a.op("CALL storePair<>(SB)")
	}
	a.end()
}

// advance moves the addresses of the lanes.
func (a *ifma) advance(bytes int) {
	for _, r := range lanes {
		a.op("ADDQ $%d, %s", bytes, r)
	}
}

// reduceInPlace reduces a vector of the working memory below 7p.
func (a *ifma) reduceInPlace(n int) {
	a.vector(n, "SI")
	a.op("MOVQ SI, DI")
	a.op("LEAQ zero<>(SB), DX")
	a.op("LEAQ p1<>(SB), R8")
	a.op("CALL subReduced<>(SB)")
}

// offCurve sets AX to the lanes where y² is not x³ + 4, in G2 x³ + 4 + 4u, of the points
// at slots x and y, where parts of coordinates stand in the order of the file: a1, a0.
func (a *ifma) offCurve(g group, x, y int) {
	size := 64 * a.limbs
	px, py := x, y
	if g.parts == 2 {
		px, py = slotXP, slotYP
		for i, c := range []int{x, y} {
			to := []int{px, py}[i]
			for part := range 2 {
				for j := range a.limbs {
					a.op("VMOVDQU64 %d(BX), Z0", size*(c+part)+64*j)
					a.op("VMOVDQU64 Z0, %d(BX)", size*(to+1-part)+64*j)
				}
			}
		}
	}
	cube, square := slotXQ, slotYQ
	a.call(g.mul, cube, px, px)
	a.call(g.mul, cube, cube, px)
	a.call(g.mul, square, py, py)
	a.op("VPXORQ Z28, Z28, Z28") // no function uses Z28
	for part := range g.parts {
		a.reduceInPlace(cube + part)
		a.vector(square+part, "SI")
		a.op("MOVQ SI, DI")
		a.op("LEAQ kappa<>(SB), DX")
		a.op("CALL mul<>(SB)")
		a.op("LEAQ four<>(SB), CX")
		a.op("LEAQ p4<>(SB), R8")
		a.call("sub2Reduced", square+part, square+part, cube+part)
		for j := range a.limbs {
			a.op("VPORQ %d(BX), Z28, Z28", size*(square+part)+64*j)
		}
	}
	a.op("VPTESTMQ Z28, Z28, K1")
	a.op("KMOVW K1, AX")
}
