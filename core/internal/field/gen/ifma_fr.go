package main

import "math/big"

// Registers of a scalar product: ten accumulators from Z0 on, the first operand from
// Z10, a limb of the second in Z15, and constants that stay through a loop.
const (
	frOperand = 10
	frLimb    = 15
	frShifted = 16 // five limbs
	frModulus = 21 // five limbs
	frNegInv  = 26
	frCarry   = 27
)

// frOffset·r is added to what gets multiplied, so that it is not negative: numbers from
// −17r to 18r become less than 2^260.
const frOffset = 17

// scalarFieldIFMA returns fr8_amd64.s: products and butterflies of the scalar field
// with lazy carries. Inside a transform limbs are signed words of up to 2^62, numbers
// from −17r to 18r; carries are taken when a number gets multiplied or stored.
func scalarFieldIFMA() string {
	r, _ := new(big.Int).SetString("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001", 16)
	a := newIFMA(r, 5, "Fr8", "fr.Element")
	a.data("offset", a.times(frOffset))
	// Products lie between 0 and 3r; less r they lie nearer to zero.
	limbs := a.split(r)
	for j, v := range limbs { // signed words
		limbs[j] = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 64), v)
		if v.Sign() == 0 {
			limbs[j] = new(big.Int)
		}
	}
	a.data("centre", limbs)
	a.data("zero", zeroes(a.limbs))
	top := uint(wideBits * a.limbs)
	complement := new(big.Int).Lsh(big.NewInt(1), top)
	a.data("complement", a.split(complement.Sub(complement, r)))
	a.data("reciprocal", []*big.Int{a.reciprocal()})
	a.frProducts("MulFr8", "zero", true, "sets z[i] = x[i]·y[i]/2^260, normalised")
	a.frProducts("TwistFr8", "centre", false, "sets z[i] = x[i]·y[i]/2^260, x as it is in a transform")
	a.frScale()
	a.butterflies()
	a.sumDifference()
	a.frLoad()
	a.frStore()
	return a.String()
}

// frConstants loads what products need.
func (a *ifma) frConstants() {
	for j := range a.limbs {
		a.op("VPBROADCASTQ shifted<>+%d(SB), Z%d", 8*j, frShifted+j)
		a.op("VPBROADCASTQ p<>+%d(SB), Z%d", 8*j, frModulus+j)
	}
	a.op("VPBROADCASTQ negInv<>(SB), Z%d", frNegInv)
}

// frCarries normalises n registers of signed words; the last keeps what is left.
func (a *ifma) frCarries(n int) {
	for j := range a.limbs - 1 {
		a.op("VPSRAQ $%d, Z%d, Z%d", wideBits, n+j, frCarry)
		a.op("VPANDQ Z31, Z%d, Z%d", n+j, n+j)
		a.op("VPADDQ Z%d, Z%d, Z%d", frCarry, n+j+1, n+j+1)
	}
}

// frOperandAt loads a multiplicand as it is in a transform.
func (a *ifma) frOperandAt(base string) {
	for j := range a.limbs {
		a.op("VMOVDQU64 %s, Z%d", at(base, j), frOperand+j)
		a.op("VPADDQ.BCST offset<>+%d(SB), Z%d, Z%d", 8*j, frOperand+j, frOperand+j)
	}
	a.frCarries(frOperand)
}

// frProduct multiplies the operand by the vector or, if broadcast, the single factor at
// DX. The product is in the upper accumulators, not normalised, plus the constant bias.
func (a *ifma) frProduct(broadcast bool, bias string) {
	for j := range a.limbs {
		a.op("VPXORQ Z%d, Z%d, Z%d", j, j, j)
		a.op("VPBROADCASTQ %s<>+%d(SB), Z%d", bias, 8*j, a.limbs+j)
	}
	carry := func(i int) {
		a.op("VPSRLQ $%d, Z%d, Z%d", wideBits, i, frCarry)
		a.op("VPADDQ Z%d, Z%d, Z%d", frCarry, i+1, i+1)
	}
	round := func(i int) { // as in reductionRound
		a.maddLow(z(frShifted), z(i), i+1)
		carry(i)
		for j := 1; j < a.limbs; j++ {
			a.maddLow(z(frShifted+j), z(i), i+j+1)
		}
		for j := range a.limbs {
			a.maddHigh(z(frShifted+j), z(i), i+j+2)
		}
	}
	for i := range a.limbs {
		if broadcast {
			a.op("VPBROADCASTQ %d(DX), Z%d", 8*i, frLimb)
		} else {
			a.op("VMOVDQU64 %s, Z%d", at("DX", i), frLimb)
		}
		for j := range a.limbs {
			a.maddLow(z(frOperand+j), z(frLimb), i+j)
		}
		for j := range a.limbs {
			a.maddHigh(z(frOperand+j), z(frLimb), i+j+1)
		}
		if i > 0 {
			round(i - 1)
		}
	}
	last := a.limbs - 1
	a.op("VPXORQ Z%d, Z%d, Z%d", frLimb, frLimb, frLimb)
	a.maddLow(z(frNegInv), z(last), frLimb)
	for j := range a.limbs {
		a.maddLow(z(frModulus+j), z(frLimb), last+j)
	}
	carry(last)
	for j := range a.limbs {
		a.maddHigh(z(frModulus+j), z(frLimb), last+j+1)
	}
}

// step advances pointers by vectors and ends a loop.
func (a *ifma) step(counter string, pointers ...string) {
	for _, p := range pointers {
		a.op("ADDQ $%d, %s", 64*a.limbs, p)
	}
	a.op("DECQ %s", counter)
	a.op("JNZ next")
}

// frProducts writes products of vectors.
func (a *ifma) frProducts(name, bias string, normalised bool, doc string) {
	a.WriteString("// " + name + " " + doc + ".\n")
	a.global(name, 32, "(z, x, y *Fr8, n int)")
	a.op("MOVQ z+0(FP), DI")
	a.op("MOVQ x+8(FP), SI")
	a.op("MOVQ y+16(FP), DX")
	a.op("MOVQ n+24(FP), CX")
	a.frConstants()
	a.label("next")
	if normalised {
		a.load("SI", frOperand)
	} else {
		a.frOperandAt("SI")
	}
	a.frProduct(false, bias)
	if normalised {
		a.frCarries(a.limbs)
	}
	a.store(a.limbs, "DI")
	a.step("CX", "DI", "SI", "DX")
	a.end()
}

// frScale writes products of vectors with one vector.
func (a *ifma) frScale() {
	a.global("ScaleFr8", 32, "(z, x, y *Fr8, n int)")
	a.op("MOVQ z+0(FP), DI")
	a.op("MOVQ x+8(FP), SI")
	a.op("MOVQ y+16(FP), DX")
	a.op("MOVQ n+24(FP), CX")
	a.frConstants()
	a.label("next")
	a.load("SI", frOperand)
	a.frProduct(false, "zero")
	a.frCarries(a.limbs)
	a.store(a.limbs, "DI")
	a.step("CX", "DI", "SI")
	a.end()
}

// butterflies writes blocks of x, y to x + y·w, x − y·w. A block has half vectors x,
// then half vectors y; w advances by inner bytes after a vector and by outer after a
// block.
func (a *ifma) butterflies() {
	a.global("ButterfliesFr8", 48, "(x *Fr8, w *FrFactor, half, blocks, inner, outer int)")
	a.op("MOVQ x+0(FP), DI")
	a.op("MOVQ w+8(FP), DX")
	a.op("MOVQ half+16(FP), R8")
	a.op("MOVQ inner+32(FP), R10")
	a.op("MOVQ outer+40(FP), R11")
	a.op("IMUL3Q $%d, R8, R9", 64*a.limbs)
	a.frConstants()
	a.label("block")
	a.op("LEAQ (DI)(R9*1), SI")
	a.op("MOVQ R8, CX")
	a.label("next")
	a.frOperandAt("SI")
	a.frProduct(true, "centre")
	for j := range a.limbs {
		a.op("VMOVDQU64 %s, Z%d", at("DI", j), frOperand+j)
		a.op("VPADDQ Z%d, Z%d, Z%d", a.limbs+j, frOperand+j, j)
		a.op("VPSUBQ Z%d, Z%d, Z%d", a.limbs+j, frOperand+j, frOperand+j)
		a.op("VMOVDQU64 Z%d, %s", j, at("DI", j))
		a.op("VMOVDQU64 Z%d, %s", frOperand+j, at("SI", j))
	}
	a.op("ADDQ R10, DX")
	a.step("CX", "DI", "SI")
	a.op("ADDQ R11, DX")
	a.op("MOVQ SI, DI")
	a.op("DECQ blocks+24(FP)")
	a.op("JNZ block")
	a.end()
}

// sumDifference writes blocks of x, y to x + y, x − y.
func (a *ifma) sumDifference() {
	a.global("SumDifferenceFr8", 24, "(x *Fr8, half, blocks int)")
	a.op("MOVQ x+0(FP), DI")
	a.op("MOVQ half+8(FP), R8")
	a.op("IMUL3Q $%d, R8, R9", 64*a.limbs)
	a.label("block")
	a.op("LEAQ (DI)(R9*1), SI")
	a.op("MOVQ R8, CX")
	a.label("next")
	for j := range a.limbs {
		a.op("VMOVDQU64 %s, Z0", at("DI", j))
		a.op("VMOVDQU64 %s, Z1", at("SI", j))
		a.op("VPADDQ Z1, Z0, Z2")
		a.op("VPSUBQ Z1, Z0, Z3")
		a.op("VMOVDQU64 Z2, %s", at("DI", j))
		a.op("VMOVDQU64 Z3, %s", at("SI", j))
	}
	a.step("CX", "DI", "SI")
	a.op("MOVQ SI, DI")
	a.op("DECQ blocks+16(FP)")
	a.op("JNZ block")
	a.end()
}

// frWords is the number of 64-bit words of a scalar in memory.
const frWords = 4

// advanceLanes moves the addresses of all lanes by BX bytes.
func (a *ifma) advanceLanes() {
	for _, r := range lanes {
		a.op("ADDQ BX, %s", r)
	}
}

// frLoad writes the gathering of rows of eight elements.
func (a *ifma) frLoad() {
	a.global("LoadFr8", 32, "(z *Fr8, e *[8]*fr.Element, stride, rows int)")
	a.op("MOVQ z+0(FP), DI")
	a.op("MOVQ e+8(FP), SI")
	a.op("MOVQ stride+16(FP), BX")
	a.op("MOVQ rows+24(FP), DX")
	a.addresses("SI")
	a.label("next")
	for i, l := range []int{0, 1, 4, 5} {
		a.op("VMOVDQU64 (%s), Y%d", lanes[l], i)
		a.op("VINSERTI64X4 $1, (%s), Z%d, Z%d", lanes[l+2], i, i)
	}
	a.unpack(0, 1, 4, 5)
	a.unpack(2, 3, 6, 7)
	a.blocks(evenBlocks, 4, 6, 0)
	a.blocks(evenBlocks, 5, 7, 1)
	a.blocks(oddBlocks, 4, 6, 2)
	a.blocks(oddBlocks, 5, 7, 3)
	a.slice([]int{0, 1, 2, 3}, "DI")
	a.advanceLanes()
	a.step("DX", "DI")
	a.end()
}

// frStore writes the reduction and scattering of rows.
func (a *ifma) frStore() {
	a.global("StoreFr8", 32, "(e *[8]*fr.Element, x *Fr8, stride, rows int)")
	a.op("MOVQ x+8(FP), DI")
	a.op("MOVQ e+0(FP), SI")
	a.op("MOVQ stride+16(FP), BX")
	a.op("MOVQ rows+24(FP), DX")
	a.addresses("SI")
	for j := range a.limbs {
		a.op("VPBROADCASTQ p<>+%d(SB), Z%d", 8*j, frModulus+j)
		a.op("VPBROADCASTQ complement<>+%d(SB), Z%d", 8*j, frShifted+j)
	}
	a.label("next")
	a.frOperandAt("DI")
	// The quotient from the top limb is right or one too small.
	last := frOperand + a.limbs - 1
	a.op("VPXORQ Z%d, Z%d, Z%d", frLimb, frLimb, frLimb)
	a.op("VPMADD52HUQ.BCST reciprocal<>(SB), Z%d, Z%d", last, frLimb)
	for j := range a.limbs {
		a.maddLow(z(frShifted+j), z(frLimb), frOperand+j)
		if j < a.limbs-1 {
			a.maddHigh(z(frShifted+j), z(frLimb), frOperand+j+1)
		}
	}
	a.frCarries(frOperand)
	a.op("VPANDQ Z31, Z%d, Z%d", last, last) // drop the multiple of 2^260
	for j := range a.limbs {
		a.op("VPSUBQ Z%d, Z%d, Z%d", frModulus+j, frOperand+j, j)
	}
	a.frCarries(0)
	a.op("VPXORQ Z%d, Z%d, Z%d", frLimb, frLimb, frLimb)
	a.op("VPCMPQ $5, Z%d, Z%d, K1", frLimb, a.limbs-1) // not less than zero
	for j := range a.limbs {
		a.op("VMOVDQA64 Z%d, K1, Z%d", j, frOperand+j)
	}
	a.packRegisters(frWords, frOperand, 0)
	a.unpack(0, 1, 4, 5)
	a.unpack(2, 3, 6, 7)
	for odd := range 2 {
		for half, selection := range []int{lowerBlocks, upperBlocks} {
			a.blocks(selection, 4+odd, 6+odd, 8)
			a.blocks(evenOdd, 8, 8, 8) // the words of one lane, then of the next but one
			l := 4*half + odd
			a.op("VMOVDQU64 Y8, (%s)", lanes[l])
			a.op("VEXTRACTI64X4 $1, Z8, (%s)", lanes[l+2])
		}
	}
	a.advanceLanes()
	a.step("DX", "DI")
	a.end()
}

// packRegisters joins the limbs in registers from limb on to words from n on. Z30 is
// lost.
func (a *ifma) packRegisters(words, limb, n int) {
	for k := range words {
		first := 64 * k / wideBits
		shift := 64*k - first*wideBits
		a.op("VPSRLQ $%d, Z%d, Z%d", shift, limb+first, n+k)
		for j := first + 1; j < a.limbs && j*wideBits < 64*(k+1); j++ {
			a.op("VPSLLQ $%d, Z%d, Z30", j*wideBits-64*k, limb+j)
			a.op("VPORQ Z30, Z%d, Z%d", n+k, n+k)
		}
	}
}
