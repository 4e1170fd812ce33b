package main

import (
	"fmt"
	"math/big"
)

// lanes are the registers that hold the addresses of what the lanes load or store.
var lanes = [8]string{"R8", "R9", "R10", "R11", "R12", "R13", "AX", "CX"}

// fpWords is the number of 64-bit words of a base field element in memory.
const fpWords = 6

// baseFieldIFMA returns fp8_amd64.s: arithmetic of the base field and of its
// quadratic extension, and affine additions of points made from them.
func baseFieldIFMA() string {
	p, _ := new(big.Int).SetString("1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab", 16)
	a := newIFMA(p, 8, "Fp8", "fp.Element")
	for _, k := range []int64{1, 2, 4, 8} {
		a.data(fmt.Sprintf("p%d", k), a.times(k))
	}
	a.data("one", []*big.Int{big.NewInt(1)})
	a.data("zero", zeroes(8*a.limbs))
	a.data("reciprocal", []*big.Int{a.reciprocal()})
	a.multiples()
	a.mul("mul")
	a.add()
	a.subtractions()
	a.shift16()
	a.loadPair()
	a.storePair()
	a.readPair()
	a.mul2()
	a.square2()
	a.ceiling()
	a.wrappers()
	a.affine(g1Program)
	a.affine(g2Program)
	a.decoding()
	return a.String()
}

// multiples writes the table that reduce subtracts from: limb j of 0·p … 7·p in
// vector j.
func (a *ifma) multiples() {
	var table []*big.Int
	for j := range a.limbs {
		for k := range int64(8) {
			table = append(table, a.times(k)[j])
		}
	}
	a.data("multiples", table)
}

// add writes z = x + y.
func (a *ifma) add() {
	a.local("add", "sets z = x + y.")
	a.load("SI", 0)
	for j := range a.limbs {
		a.op("VPADDQ %s, Z%d, Z%d", at("DX", j), j, j)
	}
	a.normalise(0)
	a.store(0, "DI")
	a.ret()
}

// difference brings x − y + k·p to registers from Z0 on, and subtracts the further
// operands.
func (a *ifma) difference(further ...string) {
	a.load("SI", 0)
	for j := range a.limbs {
		for _, y := range append([]string{"DX"}, further...) {
			a.op("VPSUBQ %s, Z%d, Z%d", at(y, j), j, j)
		}
		a.op("VPADDQ.BCST %d(R8), Z%d, Z%d", 8*j, j, j)
	}
}

// subtractions writes the differences, as they are and reduced.
func (a *ifma) subtractions() {
	a.local("sub", "sets z = x − y + k·p, k·p at R8.")
	a.difference()
	a.normalise(0)
	a.store(0, "DI")
	a.ret()
	a.local("subSigned", "sets z = x − y + p, or p − x − y + p in the lanes of K1.")
	a.load("SI", 0)
	for j := range a.limbs {
		a.op("VPBROADCASTQ p<>+%d(SB), Z24", 8*j)
		a.op("VPSUBQ Z%d, Z24, K1, Z%d", j, j)
		a.op("VPSUBQ %s, Z%d, Z%d", at("DX", j), j, j)
		a.op("VPADDQ Z24, Z%d, Z%d", j, j)
	}
	a.normalise(0)
	a.store(0, "DI")
	a.ret()
	a.local("sub2", "sets z = x − y − w + k·p, w at CX and k·p at R8.")
	a.difference("CX")
	a.normalise(0)
	a.store(0, "DI")
	a.ret()
	a.local("subReduced", "sets z = (x − y) mod p for x − y + k·p from p to 8p, k·p at R8. AX is lost.")
	a.difference()
	a.reduce()
	a.local("sub2Reduced", "sets z = (x − y − w) mod p for x − y − w + k·p from p to 8p, w at CX and k·p at R8. AX is lost.")
	a.difference("CX")
	a.reduce()
}

// shift16 writes z = 2^16·x.
func (a *ifma) shift16() {
	a.local("shift16", "sets z = 2^16·x for x below 2^400.")
	a.load("SI", 0)
	for j := a.limbs - 1; j >= 0; j-- {
		a.op("VPSLLQ $16, Z%d, Z%d", j, j)
		if j > 0 {
			a.op("VPSRLQ $%d, Z%d, Z25", wideBits-16, j-1)
			a.op("VPTERNLOGQ $%#x, Z31, Z25, Z%d", orAnd, j)
		} else {
			a.op("VPANDQ Z31, Z0, Z0")
		}
	}
	a.store(0, "DI")
	a.ret()
}

// reduce ends a local function with the residue of the number from p to 8p in
// registers from Z0 on, which need not be normalised. The quotient comes from the top
// limb and is wrong by one at most. That it is right shows, but for one in 2^15
// numbers, in a remainder whose top limb is below that of p.
func (a *ifma) reduce() {
	top := a.limbs - 1
	a.op("VPSRAQ $%d, Z%d, Z25", wideBits, top-1)
	a.op("VPADDQ Z%d, Z25, Z25", top)
	a.op("VPXORQ Z24, Z24, Z24")
	a.op("VPMADD52HUQ.BCST reciprocal<>(SB), Z25, Z24")
	for j := range a.limbs {
		a.op("VPERMQ multiples<>+%d(SB), Z24, Z25", 64*j)
		a.op("VPSUBQ Z25, Z%d, Z%d", j, j)
	}
	a.normalise(0)
	a.op("VPBROADCASTQ p<>+%d(SB), Z26", 8*top)
	a.op("VPCMPUQ $5, Z26, Z%d, K1", top) // not less
	a.op("KMOVW K1, AX")
	a.op("TESTL AX, AX")
	a.op("JNZ correct")
	a.store(0, "DI")
	a.op("RET")
	a.label("correct") // add p where negative, then subtract it where that leaves no negative number
	a.op("VPXORQ Z24, Z24, Z24")
	a.op("VPCMPQ $1, Z24, Z%d, K1", top) // less than zero
	for j := range a.limbs {
		a.op("VPBROADCASTQ p<>+%d(SB), Z%d", 8*j, operand+j)
		a.op("VPADDQ Z%d, Z%d, K1, Z%d", operand+j, j, j)
	}
	a.normalise(0)
	for j := range a.limbs {
		a.op("VPSUBQ Z%d, Z%d, Z%d", operand+j, j, a.limbs+j)
	}
	a.normalise(a.limbs)
	a.op("VPCMPQ $5, Z24, Z%d, K1", a.limbs+top) // not less than zero
	for j := range a.limbs {
		a.op("VMOVDQA64 Z%d, K1, Z%d", a.limbs+j, j)
	}
	a.store(0, "DI")
	a.ret()
}

// gather writes the loading of twelve words of each lane, of which the first eight are a
// square of 8×8 to transpose and the others one of 4×8. They come to the registers of
// gathered.
func (a *ifma) gather() {
	for l, r := range lanes {
		a.op("VMOVDQU64 (%s), Z%d", r, l)
	}
	for l := 0; l < 8; l += 2 {
		a.unpack(l, l+1, 8+l, 9+l) // even and odd words of lanes l, l+1
	}
	for odd := range 2 {
		a.blocks(evenBlocks, 8+odd, 10+odd, 0)
		a.blocks(evenBlocks, 12+odd, 14+odd, 1)
		a.blocks(oddBlocks, 8+odd, 10+odd, 2)
		a.blocks(oddBlocks, 12+odd, 14+odd, 3)
		a.blocks(evenBlocks, 0, 1, 16+odd) // words 0 and 1
		a.blocks(evenBlocks, 2, 3, 18+odd)
		a.blocks(oddBlocks, 0, 1, 20+odd)
		a.blocks(oddBlocks, 2, 3, 22+odd)
	}
	for i, l := range []int{0, 1, 4, 5} {
		a.op("VMOVDQU64 64(%s), Y%d", lanes[l], i)
		a.op("VINSERTI64X4 $1, 64(%s), Z%d, Z%d", lanes[l+2], i, i)
	}
	a.unpack(0, 1, 4, 5)
	a.unpack(2, 3, 6, 7)
	a.blocks(evenBlocks, 4, 6, 0)
	a.blocks(evenBlocks, 5, 7, 1)
	a.blocks(oddBlocks, 4, 6, 2)
	a.blocks(oddBlocks, 5, 7, 3)
}

// gathered are the registers of words 0 to 11 after gather.
var gathered = []int{16, 17, 18, 19, 20, 21, 22, 23, 0, 1, 2, 3}

// loadPair writes the loading of two neighbouring elements of each lane.
func (a *ifma) loadPair() {
	a.local("loadPair", "sets z and the vector after it to the two elements at the addresses of the lanes.")
	a.gather()
	a.slice(gathered[:fpWords], "DI")
	a.op("ADDQ $%d, DI", 64*a.limbs)
	a.slice(gathered[fpWords:], "DI")
	a.ret()
}

// readPair writes the reading of two neighbouring encoded elements of each lane: 48 bytes
// each, the highest first, so that words and the bytes of words stand in opposite order.
func (a *ifma) readPair() {
	a.local("readPair", "sets z and the vector after it to the two encoded numbers at the addresses of the lanes.")
	a.gather()
	a.op("VMOVDQU64 reversed<>(SB), Z25")
	words := make([]int, len(gathered))
	for i, r := range gathered {
		a.op("VPSHUFB Z25, Z%d, Z%d", r, r)
		element := i / fpWords
		words[element*fpWords+fpWords-1-i%fpWords] = r
	}
	a.slice(words[:fpWords], "DI")
	a.op("ADDQ $%d, DI", 64*a.limbs)
	a.slice(words[fpWords:], "DI")
	a.ret()
}

// storePair writes the opposite of loadPair.
func (a *ifma) storePair() {
	a.local("storePair", "writes x and the vector after it, both reduced, to the addresses of the lanes.")
	a.pack(fpWords, "SI", 8)
	a.op("ADDQ $%d, SI", 64*a.limbs)
	a.pack(fpWords, "SI", 14)
	for k := 0; k < 8; k += 2 {
		a.unpack(8+k, 9+k, k, k+1) // words k, k+1 of even and odd lanes
	}
	for odd := range 2 {
		a.blocks(evenBlocks, odd, 2+odd, 8)
		a.blocks(evenBlocks, 4+odd, 6+odd, 9)
		a.blocks(oddBlocks, odd, 2+odd, 10)
		a.blocks(oddBlocks, 4+odd, 6+odd, 11)
		for i, s := range []struct{ selection, x, y int }{{evenBlocks, 8, 9}, {evenBlocks, 10, 11}, {oddBlocks, 8, 9}, {oddBlocks, 10, 11}} {
			a.blocks(s.selection, s.x, s.y, 12)
			a.op("VMOVDQU64 Z12, (%s)", lanes[2*i+odd])
		}
	}
	a.unpack(16, 17, 0, 1)
	a.unpack(18, 19, 2, 3)
	for odd := range 2 {
		for half, selection := range []int{lowerBlocks, upperBlocks} {
			a.blocks(selection, odd, 2+odd, 8)
			a.blocks(evenOdd, 8, 8, 8) // words 8 to 11 of one lane, then of the next but one
			l := 4*half + odd
			a.op("VMOVDQU64 Y8, 64(%s)", lanes[l])
			a.op("VEXTRACTI64X4 $1, Z8, 64(%s)", lanes[l+2])
		}
	}
	a.ret()
}

// Working memory of programs: vectors at BX.
const (
	slotU, slotV, slotT0, slotT1, slotT2 = 0, 1, 2, 3, 4 // of mul2 and square2
	slotXP, slotYP, slotXQ, slotYQ       = 5, 7, 9, 11
	slotX, slotY, slotSlope              = 13, 15, 17
)

// vector loads the address of vector n of the working memory, plus part vectors.
func (a *ifma) vector(n int, register string) { a.op("LEAQ %d(BX), %s", 64*a.limbs*n, register) }

// call calls a local function with DI, SI and DX set to vectors of the working memory.
func (a *ifma) call(name string, z, x, y int) {
	a.vector(z, "DI")
	a.vector(x, "SI")
	a.vector(y, "DX")
	a.op("CALL %s<>(SB)", name)
}

// mul2 writes products in the quadratic extension, a0 + a1·u with u² = −1, by three
// products (Karatsuba).
func (a *ifma) mul2() {
	size := 64 * a.limbs
	a.local("mul2", "sets z = x·y in the quadratic extension. R9, R10 and R11 are lost; parts of z are below 6p.")
	a.op("MOVQ DI, R9")
	a.op("MOVQ SI, R10")
	a.op("MOVQ DX, R11")
	part := func(name string, z int, x string, y string) {
		a.vector(z, "DI")
		a.op("LEAQ %s, SI", x)
		a.op("LEAQ %s, DX", y)
		a.op("CALL %s<>(SB)", name)
	}
	part("add", slotU, "(R10)", fmt.Sprintf("%d(R10)", size))
	part("add", slotV, "(R11)", fmt.Sprintf("%d(R11)", size))
	part("mul", slotT0, "(R10)", "(R11)")
	part("mul", slotT1, fmt.Sprintf("%d(R10)", size), fmt.Sprintf("%d(R11)", size))
	a.call("mul", slotT2, slotU, slotV)
	a.vector(slotT0, "SI")
	a.vector(slotT1, "DX")
	a.op("MOVQ R9, DI")
	a.op("LEAQ p2<>(SB), R8")
	a.op("CALL sub<>(SB)")
	a.vector(slotT2, "SI")
	a.vector(slotT0, "DX")
	a.vector(slotT1, "CX")
	a.op("LEAQ %d(R9), DI", size)
	a.op("LEAQ p4<>(SB), R8")
	a.op("CALL sub2<>(SB)")
	a.ret()
}

// square2 writes squares in the quadratic extension: (a0 + a1)·(a0 − a1) + 2·a0·a1·u.
func (a *ifma) square2() {
	size := 64 * a.limbs
	a.local("square2", "sets z = x² in the quadratic extension, parts of x below 8p. R8, R9 and R10 are lost; parts of z are below 3p.")
	a.op("MOVQ DI, R9")
	a.op("MOVQ SI, R10")
	a.op("LEAQ %d(R10), DX", size)
	a.vector(slotU, "DI")
	a.op("CALL add<>(SB)")
	a.op("LEAQ p8<>(SB), R8")
	a.vector(slotV, "DI")
	a.op("CALL sub<>(SB)")
	a.vector(slotT1, "DI")
	a.op("CALL mul<>(SB)")
	a.op("MOVQ R9, DI")
	a.vector(slotU, "SI")
	a.vector(slotV, "DX")
	a.op("CALL mul<>(SB)")
	a.op("LEAQ %d(R9), DI", size)
	a.vector(slotT1, "SI")
	a.op("MOVQ SI, DX")
	a.op("CALL add<>(SB)")
	a.ret()
}

// wrappers writes what Go calls of the base field.
func (a *ifma) wrappers() {
	size := 64 * a.limbs
	binary := func(name, local string) {
		a.global(name, 32, "(z, x, y *Fp8, n int)")
		a.op("MOVQ z+0(FP), DI")
		a.op("MOVQ x+8(FP), SI")
		a.op("MOVQ y+16(FP), DX")
		a.op("MOVQ n+24(FP), CX")
		if local == "sub" {
			a.op("LEAQ p8<>(SB), R8")
		}
		a.label("next")
		a.op("CALL %s<>(SB)", local)
		for _, r := range []string{"DI", "SI", "DX"} {
			a.op("ADDQ $%d, %s", size, r)
		}
		a.op("DECQ CX")
		a.op("JNZ next")
		a.end()
	}
	binary("MulFp8", "mul")
	binary("AddFp8", "add")
	binary("SubFp8", "sub")
	a.global("LoadPairFp8", 16, "(z *[2]Fp8, e *[8]*[2]fp.Element)")
	a.op("MOVQ e+8(FP), SI")
	a.addresses("SI")
	a.op("MOVQ z+0(FP), DI")
	a.op("CALL loadPair<>(SB)")
	a.end()
	a.global("StorePairFp8", 16, "(e *[8]*[2]fp.Element, x *[2]Fp8)")
	a.op("MOVQ x+8(FP), DI")
	a.op("LEAQ p1<>(SB), R8")
	a.op("LEAQ zero<>(SB), DX")
	for range 2 { // in place
		a.op("MOVQ DI, SI")
		a.op("CALL subReduced<>(SB)")
		a.op("ADDQ $%d, DI", size)
	}
	a.op("MOVQ e+0(FP), SI")
	a.addresses("SI")
	a.op("MOVQ x+8(FP), SI")
	a.op("CALL storePair<>(SB)")
	a.end()
}

// addresses loads the addresses of the lanes from a list.
func (a *ifma) addresses(list string) {
	for l, r := range lanes {
		a.op("MOVQ %d(%s), %s", 8*l, list, r)
	}
}
