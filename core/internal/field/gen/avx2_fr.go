package main

import "math/big"

// growth·r bounds the numbers inside a transform: additions double them at most
// eight times before a multiplication or a store.
const growth = 1 << 10

// scalarFieldAVX2 returns fr4_amd64.s: products and butterflies over the scalar
// field with lazy reduction. 280 bits of limbs leave 25 bits for growth.
func scalarFieldAVX2() string {
	a := newAsm("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001", 10, 4, "Fr4", "fr.Element")
	a.constants()
	a.data("padded", a.padded(growth, 1))
	a.data("padded2", a.padded(2, 1))
	a.barrettConstants()
	a.load()
	a.mul()
	a.storeBarrett()
	a.sumDifference()
	a.dif()
	a.dit()
	return a.String()
}

// barrettConstants are for the quotient of v by r from the top limb t of v:
// t·⌊2^284/r⌋ >> 32 with v ≈ t·2^252, and for the subtraction of it as an addition
// of a multiple of 2^280 − r.
func (a *asm) barrettConstants() {
	top := uint(limbBits * (a.limbs - 1))
	c := new(big.Int).Lsh(big.NewInt(1), top+32)
	a.data("reciprocal", []*big.Int{c.Div(c, a.modulus)})
	rest := new(big.Int).Lsh(big.NewInt(1), uint(limbBits*a.limbs))
	saved := a.modulus
	a.modulus = rest.Sub(rest, saved)
	a.data("complement", a.split(1))
	a.modulus = saved
}

// storeBarrett reduces normalised x < 4·growth·r fully and scatters it.
func (a *asm) storeBarrett() {
	a.text("StoreFr4", 32*a.limbs, 40, "func StoreFr4(e0, e1, e2, e3 *fr.Element, x *Fr4)")
	for i, r := range []string{"R8", "R9", "R10", "R11"} {
		a.op("MOVQ e%d+%d(FP), %s", i, 8*i, r)
	}
	a.op("MOVQ x+32(FP), SI")
	a.op("MOVQ SP, DI")
	a.op("LEAQ complement<>(SB), DX")
	a.op("VMOVDQU %d(SI), Y13", 32*(a.limbs-1))
	a.op("VPMULUDQ reciprocal<>(SB), Y13, Y13")
	a.op("VPSRLQ $32, Y13, Y13")
	for j := range a.limbs {
		a.op("VPMULUDQ %d(DX), Y13, Y%d", 32*j, j)
		a.op("VPADDQ %d(SI), Y%d, Y%d", 32*j, j, j)
	}
	a.op("VMOVDQU limbMask<>(SB), Y14")
	for j := range a.limbs - 1 {
		a.carry(j, j+1)
	}
	a.op("VPAND Y14, Y%d, Y%d", a.limbs-1, a.limbs-1) // drop the multiple of 2^280
	a.reduce("p1")
	a.scatter()
}

// pair starts a loop over n vectors at x and y.
func (a *asm) pair(name string, args int, doc string, frame int) {
	a.text(name, frame, args, doc)
	a.op("MOVQ x+0(FP), DI")
	a.op("MOVQ y+8(FP), SI")
}

// sumDifference sets x, y to x + y and x − y + growth·r.
func (a *asm) sumDifference() {
	a.pair("SumDifferenceFr4", 24, "func SumDifferenceFr4(x, y *Fr4, n int)", 0)
	a.op("MOVQ n+16(FP), CX")
	a.op("LEAQ padded<>(SB), R8")
	a.WriteString("next:\n")
	for j := range a.limbs {
		a.op("VMOVDQU %d(SI), Y%d", 32*j, j)
	}
	a.spread()
	a.advance("DI", "SI")
	a.end()
}

// spread stores x + t and x − t + (R8), normalised, at DI and SI, for x at DI and t in
// Y0….
func (a *asm) spread() {
	a.op("VMOVDQU limbMask<>(SB), Y14")
	for j := range a.limbs {
		a.op("VMOVDQU %d(DI), Y13", 32*j)
		a.op("VPADDQ Y%d, Y13, Y12", j) // sum
		a.op("VPSUBQ Y%d, Y13, Y13", j)
		a.op("VPADDQ %d(R8), Y13, Y13", 32*j) // difference
		if j > 0 {
			a.op("VPADDQ Y10, Y12, Y12")
			a.op("VPADDQ Y11, Y13, Y13")
		}
		if j < a.limbs-1 {
			a.op("VPSRLQ $%d, Y12, Y10", limbBits)
			a.op("VPSRLQ $%d, Y13, Y11", limbBits)
			a.op("VPAND Y14, Y12, Y12")
			a.op("VPAND Y14, Y13, Y13")
		}
		a.op("VMOVDQU Y12, %d(DI)", 32*j)
		a.op("VMOVDQU Y13, %d(SI)", 32*j)
	}
}

// advance ends a loop.
func (a *asm) advance(registers ...string) {
	for _, r := range registers {
		a.op("ADDQ $%d, %s", 32*a.limbs, r)
	}
	a.op("DECQ CX")
	a.op("JNZ next")
}

// dif sets x, y to x + y and (x − y)·w: decimation in frequency.
func (a *asm) dif() {
	a.pair("DIFFr4", 40, "func DIFFr4(x, y, w *Fr4, n, step int)", 32*a.limbs)
	a.twiddles()
	a.op("LEAQ padded<>(SB), R9")
	a.WriteString("next:\n")
	for j := range a.limbs {
		a.op("VMOVDQU %d(DI), Y14", 32*j)
		a.op("VMOVDQU %d(SI), Y13", 32*j)
		a.op("VPADDQ Y13, Y14, Y%d", j)
		a.op("VPADDQ %d(R9), Y14, Y14", 32*j)
		a.op("VPSUBQ Y13, Y14, Y14")
		a.op("VMOVDQU Y14, %d(SP)", 32*j)
	}
	a.normalise()
	a.op("MOVQ DI, R10")
	a.op("MOVQ SI, DI")
	a.op("MOVQ SP, SI")
	a.storeProduct(a.rows())
	a.op("MOVQ DI, SI")
	a.op("MOVQ R10, DI")
	a.op("ADDQ R11, DX")
	a.advance("DI", "SI")
	a.end()
}

// dit sets x, y to x + y·w and x − y·w + 2r: decimation in time.
func (a *asm) dit() {
	a.pair("DITFr4", 40, "func DITFr4(x, y, w *Fr4, n, step int)", 0)
	a.twiddles()
	a.op("LEAQ padded2<>(SB), R9")
	a.WriteString("next:\n")
	t := a.rows()
	a.op("VMOVDQU limbMask<>(SB), Y14")
	for j := range a.limbs - 2 {
		a.carry(t[j], t[j+1])
	}
	a.op("VPSRLQ $%d, Y%d, Y%d", limbBits, t[a.limbs-2], t[a.limbs-1])
	a.op("VPAND Y14, Y%d, Y%d", t[a.limbs-2], t[a.limbs-2])
	// After as many rows as limbs the accumulator is back in order Y0….
	a.op("XCHGQ R8, R9")
	a.spread()
	a.op("XCHGQ R8, R9")
	a.op("ADDQ R11, DX")
	a.advance("DI", "SI")
	a.end()
}

// twiddles loads the arguments after x and y; step is a number of vectors.
func (a *asm) twiddles() {
	a.op("MOVQ w+16(FP), DX")
	a.op("MOVQ n+24(FP), CX")
	a.op("MOVQ step+32(FP), R11")
	a.op("IMULQ $%d, R11", 32*a.limbs)
	a.op("LEAQ p1<>(SB), R8")
}

// rows multiplies the vectors at SI and DX and returns the accumulator.
func (a *asm) rows() []int {
	t := make([]int, a.limbs)
	for j := range t {
		t[j] = j
	}
	for i := range a.limbs {
		a.row(t, i)
		t = append(t[1:], t[0])
	}
	return t
}
