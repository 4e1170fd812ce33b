package main

import "fmt"

// group is a group of points whose affine additions are written: G1 over the base
// field, coordinates of one vector, or G2 over its quadratic extension, of two.
type group struct {
	name        string
	parts       int    // vectors of a coordinate
	mul, square string // local functions
}

var (
	g1Program = group{"G1", 1, "mul", "mul"}
	g2Program = group{"G2", 2, "mul2", "square2"}
)

// affine writes the three steps of affine additions that share one inversion.
func (a *ifma) affine(g group) {
	a.denominators(g)
	a.prefixes(g)
	a.inverses(g)
	a.sums(g)
}

// loadPoint sets x and y, at slots of the working memory, to the point at the
// addresses of the lanes. Without y, only what x needs.
func (a *ifma) loadPoint(g group, x, y int, both bool) {
	a.vector(x, "DI")
	a.op("CALL loadPair<>(SB)") // x and y in G1
	if g.parts == 1 || !both {
		return
	}
	a.advance(8 * fpWords * g.parts)
	a.vector(y, "DI")
	a.op("CALL loadPair<>(SB)")
}

// Slots of the coordinates of a point. In G1 loadPair leaves y right after x.
func (g group) yOf(x int) int { return x + g.parts }

// denominators writes den = x_q − x_p, or one in the lanes of additions that need
// care: equal x, or x = 0 in either point, as in the identity.
func (a *ifma) denominators(g group) {
	a.global("Denominators"+g.name, 48, fmt.Sprintf("(den *Fp8, p, q **bls.%sAffine, special *uint8, groups int, w *Scratch)", g.name))
	a.op("MOVQ w+40(FP), BX")
	a.label("next")
	a.op("MOVQ p+8(FP), SI")
	a.op("ADDQ $64, p+8(FP)")
	a.addresses("SI")
	a.loadPoint(g, slotXP, 0, false)
	a.op("MOVQ q+16(FP), SI")
	a.op("ADDQ $64, q+16(FP)")
	a.addresses("SI")
	a.loadPoint(g, slotXQ, 0, false)
	// Z8, Z9 and Z10 collect the bits of x_p, of x_q and of where they differ.
	for r := 8; r <= 10; r++ {
		a.op("VPXORQ Z%d, Z%d, Z%d", r, r, r)
	}
	a.op("MOVQ den+0(FP), DI")
	a.op("LEAQ p1<>(SB), R8")
	a.vector(slotXQ, "SI")
	a.vector(slotXP, "DX")
	for part := range g.parts {
		if part > 0 {
			for _, r := range []string{"DI", "SI", "DX"} {
				a.op("ADDQ $%d, %s", 64*a.limbs, r)
			}
		}
		for j := range a.limbs {
			a.op("VMOVDQU64 %s, Z%d", at("SI", j), j)
			a.op("VMOVDQU64 %s, Z24", at("DX", j))
			a.op("VPORQ Z24, Z8, Z8")
			a.op("VPORQ Z%d, Z9, Z9", j)
			a.op("VPTERNLOGQ $%#x, Z%d, Z24, Z10", orXor, j)
			a.op("VPSUBQ Z24, Z%d, Z%d", j, j)
			a.op("VPADDQ.BCST %d(R8), Z%d, Z%d", 8*j, j, j)
		}
		a.normalise(0)
		a.store(0, "DI")
	}
	for r := 8; r <= 10; r++ {
		a.op("VPTESTNMQ Z%d, Z%d, K%d", r, r, r-7)
	}
	a.op("KORW K1, K2, K1")
	a.op("KORW K1, K3, K1")
	a.op("KMOVW K1, AX")
	a.op("MOVQ special+24(FP), CX")
	a.op("MOVB AX, (CX)")
	a.op("INCQ special+24(FP)")
	a.op("TESTB AX, AX")
	a.op("JZ regular")
	a.op("MOVQ den+0(FP), DI")
	a.op("VPBROADCASTQ one<>(SB), Z25")
	for j := range g.parts * a.limbs {
		a.op("VMOVDQU64 Z25, K1, %s", at("DI", j))
		if j == 0 {
			a.op("VPXORQ Z25, Z25, Z25")
		}
	}
	a.label("regular")
	a.op("ADDQ $%d, den+0(FP)", 64*a.limbs*g.parts)
	a.op("DECQ groups+32(FP)")
	a.op("JNZ next")
	a.end()
}

// orXor is the table of a | (b ^ c) for VPTERNLOGQ.
const orXor = 0xf6

// prefixes writes prefix[g] = den[0]·…·den[g].
func (a *ifma) prefixes(g group) {
	size := 64 * a.limbs * g.parts
	a.global("Prefixes"+g.name, 32, "(prefix, den *Fp8, groups int, w *Scratch)")
	a.op("MOVQ w+24(FP), BX")
	a.op("MOVQ prefix+0(FP), DI")
	a.op("MOVQ den+8(FP), SI")
	for j := range g.parts * a.limbs {
		a.op("VMOVDQU64 %s, Z0", at("SI", j))
		a.op("VMOVDQU64 Z0, %s", at("DI", j))
	}
	a.op("JMP more")
	a.label("next")
	a.op("MOVQ prefix+0(FP), DX")
	a.op("ADDQ $%d, prefix+0(FP)", size)
	a.op("MOVQ prefix+0(FP), DI")
	a.op("ADDQ $%d, den+8(FP)", size)
	a.op("MOVQ den+8(FP), SI")
	a.op("CALL %s<>(SB)", g.mul)
	a.label("more")
	a.op("DECQ groups+16(FP)")
	a.op("JNZ next")
	a.end()
}

// inverses writes prefix[g] = 1/den[g] from the inverse of the last prefix.
func (a *ifma) inverses(g group) {
	size := 64 * a.limbs * g.parts
	a.global("Inverses"+g.name, 40, "(prefix, den, inverse *Fp8, groups int, w *Scratch)")
	a.op("MOVQ w+32(FP), BX")
	a.op("MOVQ groups+24(FP), AX")
	a.op("DECQ AX")
	a.op("IMULQ $%d, AX", size)
	a.op("ADDQ AX, prefix+0(FP)")
	a.op("ADDQ AX, den+8(FP)")
	a.op("JMP more")
	a.label("next")
	a.op("MOVQ inverse+16(FP), SI")
	a.op("MOVQ prefix+0(FP), DI")
	a.op("LEAQ -%d(DI), DX", size)
	a.op("MOVQ DX, prefix+0(FP)")
	a.op("CALL %s<>(SB)", g.mul)
	a.op("MOVQ inverse+16(FP), SI")
	a.op("MOVQ SI, DI")
	a.op("MOVQ den+8(FP), DX")
	a.op("SUBQ $%d, den+8(FP)", size)
	a.op("CALL %s<>(SB)", g.mul)
	a.label("more")
	a.op("DECQ groups+24(FP)")
	a.op("JNZ next")
	a.op("MOVQ inverse+16(FP), SI")
	a.op("MOVQ prefix+0(FP), DI")
	for j := range g.parts * a.limbs {
		a.op("VMOVDQU64 %s, Z0", at("SI", j))
		a.op("VMOVDQU64 Z0, %s", at("DI", j))
	}
	a.end()
}

// sums writes dst = p ± q from the inverses of the denominators.
func (a *ifma) sums(g group) {
	a.global("Sums"+g.name, 56, fmt.Sprintf("(dst, p, q **bls.%sAffine, negative *uint8, inverse *Fp8, groups int, w *Scratch)", g.name))
	a.op("MOVQ w+48(FP), BX")
	xp, xq, x := slotXP, slotXQ, slotX
	yp, yq, y := g.yOf(xp), g.yOf(xq), g.yOf(x)
	// each calls a local function of the base field for every part of coordinates.
	each := func(name, constant string, z, x, y int) {
		for part := range g.parts {
			a.op("LEAQ %s<>(SB), R8", constant)
			a.call(name, z+part, x+part, y+part)
		}
	}
	a.label("next")
	a.op("MOVQ p+8(FP), SI")
	a.op("ADDQ $64, p+8(FP)")
	a.addresses("SI")
	a.loadPoint(g, xp, yp, true)
	a.op("MOVQ q+16(FP), SI")
	a.op("ADDQ $64, q+16(FP)")
	a.addresses("SI")
	a.loadPoint(g, xq, yq, true)

	a.op("MOVQ negative+24(FP), AX")
	a.op("INCQ negative+24(FP)")
	a.op("MOVBLZX (AX), AX")
	a.op("KMOVW AX, K1")
	for part := range g.parts {
		a.call("subSigned", y+part, yq+part, yp+part)
	}
	a.vector(slotSlope, "DI")
	a.vector(y, "SI")
	a.op("MOVQ inverse+32(FP), DX")
	a.op("ADDQ $%d, inverse+32(FP)", 64*a.limbs*g.parts)
	a.op("CALL %s<>(SB)", g.mul)
	a.call(g.square, x, slotSlope, slotSlope)
	for part := range g.parts {
		a.vector(xq+part, "CX")
		a.op("LEAQ p4<>(SB), R8")
		a.call("sub2Reduced", x+part, x+part, xp+part)
	}
	for part := range g.parts {
		a.vector(slotSlope+part, "SI")
		a.op("MOVQ SI, DI")
		a.op("CALL shift16<>(SB)")
	}
	each("sub", "p1", y, xp, x)
	a.call(g.mul, y, y, slotSlope)
	each("subReduced", "p2", y, y, yp)

	a.op("MOVQ dst+0(FP), SI")
	a.op("ADDQ $64, dst+0(FP)")
	a.addresses("SI")
	a.vector(x, "SI")
	a.op("CALL storePair<>(SB)")
	if g.parts == 2 {
		a.advance(8 * fpWords * g.parts)
		a.vector(y, "SI")
		a.op("CALL storePair<>(SB)")
	}
	a.op("DECQ groups+40(FP)")
	a.op("JNZ next")
	a.end()
}
