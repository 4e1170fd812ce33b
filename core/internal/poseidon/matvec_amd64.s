//go:build !purego

#include "textflag.h"

// r, the order of the scalar field, and −1/r mod 2^64.
#define R0 $0xffffffff00000001
#define R1 $0x53bda402fffe5bfe
#define R2 $0x3339d80809a1d805
#define R3 $0x73eda753299d7d48
#define NEGINV $0xfffffffeffffffff

// The four products of DX with the limbs at b are added to (t0…t4). ADCX and
// ADOX run two carry chains, of the low and of the high halves. b < 2^255, so
// its highest product takes a carry without overflow. R15 is zero.
#define ROW(b, t0, t1, t2, t3, t4, t5) \
	XORQ  AX, AX           \
	MULXQ 0(b), AX, BX     \
	ADCXQ AX, t0           \
	ADOXQ BX, t1           \
	MULXQ 8(b), AX, BX     \
	ADCXQ AX, t1           \
	ADOXQ BX, t2           \
	MULXQ 16(b), AX, BX    \
	ADCXQ AX, t2           \
	ADOXQ BX, t3           \
	MULXQ 24(b), AX, BX    \
	ADCXQ AX, t3           \
	ADCXQ R15, BX          \
	ADOXQ BX, t4           \
	ADOXQ R15, t5

// Limb off of every a_k times b_k, summed over k into (t0…t5).
#define PASS(label, off, t0, t1, t2, t3, t4, t5) \
	MOVQ a+8(FP), SI       \
	MOVQ b+16(FP), DI      \
	MOVQ n+24(FP), CX      \
	XORQ R15, R15          \
label:                         \
	MOVQ off(SI), DX       \
	ROW(DI, t0, t1, t2, t3, t4, t5) \
	ADDQ $32, SI           \
	ADDQ $32, DI           \
	DECQ CX                \
	JNZ  label

// One Montgomery step: (t0…t5) += m·r with m chosen so that t0 becomes zero.
#define REDUCE(t0, t1, t2, t3, t4, t5) \
	MOVQ  NEGINV, DX       \
	IMULQ t0, DX           \
	MOVQ  R0, AX           \
	XORQ  R15, R15         \
	MULXQ AX, AX, BX       \
	ADCXQ AX, t0           \
	ADOXQ BX, t1           \
	MOVQ  R1, AX           \
	MULXQ AX, AX, BX       \
	ADCXQ AX, t1           \
	ADOXQ BX, t2           \
	MOVQ  R2, AX           \
	MULXQ AX, AX, BX       \
	ADCXQ AX, t2           \
	ADOXQ BX, t3           \
	MOVQ  R3, AX           \
	MULXQ AX, AX, BX       \
	ADCXQ AX, t3           \
	ADCXQ R15, BX          \
	ADOXQ BX, t4           \
	ADOXQ R15, t5

// (t0…t3) −= r unless that is negative. Clobbers AX, BX, CX, DX, R15.
#define SUBTRACT(t0, t1, t2, t3) \
	MOVQ    t0, AX         \
	MOVQ    t1, BX         \
	MOVQ    t2, CX         \
	MOVQ    t3, R15        \
	MOVQ    R0, DX         \
	SUBQ    DX, AX         \
	MOVQ    R1, DX         \
	SBBQ    DX, BX         \
	MOVQ    R2, DX         \
	SBBQ    DX, CX         \
	MOVQ    R3, DX         \
	SBBQ    DX, R15        \
	CMOVQCC AX, t0         \
	CMOVQCC BX, t1         \
	CMOVQCC CX, t2         \
	CMOVQCC R15, t3

// func matVecADX(res, a, b *fr.Element, n, count, add int)
//
// Each result takes four passes over a and one column of b. A pass is followed
// by one Montgomery step that clears the lowest limb, so that six limbs are
// enough for n ≤ 16 products.
TEXT ·matVecADX(SB), NOSPLIT, $0-48
column:
	XORQ R8, R8
	XORQ R9, R9
	XORQ R10, R10
	XORQ R11, R11
	XORQ R12, R12
	XORQ R13, R13
	PASS(limb0, 0, R8, R9, R10, R11, R12, R13)
	REDUCE(R8, R9, R10, R11, R12, R13)
	PASS(limb1, 8, R9, R10, R11, R12, R13, R8)
	REDUCE(R9, R10, R11, R12, R13, R8)
	PASS(limb2, 16, R10, R11, R12, R13, R8, R9)
	REDUCE(R10, R11, R12, R13, R8, R9)
	PASS(limb3, 24, R11, R12, R13, R8, R9, R10)
	REDUCE(R11, R12, R13, R8, R9, R10)
	MOVQ DI, b+16(FP) // the next column

	// v = (R12, R13, R8, R9, R10) < 8.25 r. With q = ⌊v/2^255⌋, v − q·r is in
	// [0, 1.78 r) because r > 0.905·2^255.
	MOVQ  R9, AX
	SHRQ  $63, AX
	LEAQ  (AX)(R10*2), DX
	MOVQ  R0, AX
	MULXQ AX, CX, BX
	MOVQ  R1, AX
	MULXQ AX, SI, R11
	ADDQ  BX, SI
	MOVQ  R2, AX
	MULXQ AX, DI, BX
	ADCQ  R11, DI
	MOVQ  R3, AX
	MULXQ AX, R15, R11
	ADCQ  BX, R15
	SUBQ  CX, R12
	SBBQ  SI, R13
	SBBQ  DI, R8
	SBBQ  R15, R9
	SUBTRACT(R12, R13, R8, R9)

	MOVQ res+0(FP), DI
	CMPQ add+40(FP), $0
	JEQ  store
	ADDQ 0(DI), R12
	ADCQ 8(DI), R13
	ADCQ 16(DI), R8
	ADCQ 24(DI), R9
	SUBTRACT(R12, R13, R8, R9)

store:
	MOVQ R12, 0(DI)
	MOVQ R13, 8(DI)
	MOVQ R8, 16(DI)
	MOVQ R9, 24(DI)
	ADDQ $32, DI
	MOVQ DI, res+0(FP)
	DECQ count+32(FP)
	JNZ  column
	RET
