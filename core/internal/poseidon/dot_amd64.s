//go:build !purego

#include "textflag.h"

// r, the order of the scalar field, and −1/r mod 2^64.
#define R0 $0xffffffff00000001
#define R1 $0x53bda402fffe5bfe
#define R2 $0x3339d80809a1d805
#define R3 $0x73eda753299d7d48
#define NEGINV $0xfffffffeffffffff

// One row of a schoolbook product: (t0…t5) += DX · (4 limbs at DI). ADCX and
// ADOX run two carry chains, low and high halves. R15 is zero.
#define ROW(t0, t1, t2, t3, t4, t5) \
	XORQ  AX, AX           \
	MULXQ 0(DI), AX, BX    \
	ADCXQ AX, t0           \
	ADOXQ BX, t1           \
	MULXQ 8(DI), AX, BX    \
	ADCXQ AX, t1           \
	ADOXQ BX, t2           \
	MULXQ 16(DI), AX, BX   \
	ADCXQ AX, t2           \
	ADOXQ BX, t3           \
	MULXQ 24(DI), AX, BX   \
	ADCXQ AX, t3           \
	ADOXQ BX, t4           \
	ADCXQ R15, t4          \
	ADOXQ R15, t5          \
	ADCXQ R15, t5

// One Montgomery step: (t0…t5) += m·r with m chosen so that t0 becomes zero.
#define REDUCE(t0, t1, t2, t3, t4, t5) \
	MOVQ  NEGINV, DX       \
	IMULQ t0, DX           \
	MOVQ  R0, AX           \
	MOVQ  R1, BX           \
	XORQ  R15, R15         \
	MULXQ AX, AX, R14      \
	ADCXQ AX, t0           \
	ADOXQ R14, t1          \
	MULXQ BX, AX, R14      \
	ADCXQ AX, t1           \
	ADOXQ R14, t2          \
	MOVQ  R2, BX           \
	MULXQ BX, AX, R14      \
	ADCXQ AX, t2           \
	ADOXQ R14, t3          \
	MOVQ  R3, BX           \
	MULXQ BX, AX, R14      \
	ADCXQ AX, t3           \
	ADOXQ R14, t4          \
	ADCXQ R15, t4          \
	ADOXQ R15, t5          \
	ADCXQ R15, t5

// (t0…t3) −= r unless that is negative. Clobbers AX, BX, R14, R15, DX.
#define SUBTRACT(t0, t1, t2, t3) \
	MOVQ    t0, AX         \
	MOVQ    t1, BX         \
	MOVQ    t2, R14        \
	MOVQ    t3, R15        \
	MOVQ    R0, DX         \
	SUBQ    DX, AX         \
	MOVQ    R1, DX         \
	SBBQ    DX, BX         \
	MOVQ    R2, DX         \
	SBBQ    DX, R14        \
	MOVQ    R3, DX         \
	SBBQ    DX, R15        \
	CMOVQCC AX, t0         \
	CMOVQCC BX, t1         \
	CMOVQCC R14, t2        \
	CMOVQCC R15, t3

#define REWIND() \
	MOVQ a+8(FP), SI       \
	MOVQ b+16(FP), DI      \
	MOVQ n+24(FP), CX

// func dotADX(res, a, b *fr.Element, n int)
//
// Limb i of every a_k is multiplied with b_k and summed into six limbs, then
// one Montgomery step drops the lowest limb: one reduction for n ≤ 16 products.
TEXT ·dotADX(SB), NOSPLIT, $0-32
	XORQ R8, R8
	XORQ R9, R9
	XORQ R10, R10
	XORQ R11, R11
	XORQ R12, R12
	XORQ R13, R13
	XORQ R15, R15

	REWIND()
limb0:
	MOVQ 0(SI), DX
	ROW(R8, R9, R10, R11, R12, R13)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  limb0
	REDUCE(R8, R9, R10, R11, R12, R13)

	REWIND()
limb1:
	MOVQ 8(SI), DX
	ROW(R9, R10, R11, R12, R13, R8)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  limb1
	REDUCE(R9, R10, R11, R12, R13, R8)

	REWIND()
limb2:
	MOVQ 16(SI), DX
	ROW(R10, R11, R12, R13, R8, R9)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  limb2
	REDUCE(R10, R11, R12, R13, R8, R9)

	REWIND()
limb3:
	MOVQ 24(SI), DX
	ROW(R11, R12, R13, R8, R9, R10)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  limb3
	REDUCE(R11, R12, R13, R8, R9, R10)

	// v = (R12, R13, R8, R9, R10) < 8.25 r. With q = ⌊v/2^255⌋, v − q·r is in
	// [0, 1.78 r) because r > 0.905·2^255.
	MOVQ  R9, AX
	SHRQ  $63, AX
	LEAQ  (AX)(R10*2), DX
	MOVQ  R0, AX
	MULXQ AX, SI, BX
	MOVQ  R1, AX
	MULXQ AX, DI, CX
	ADDQ  BX, DI
	MOVQ  R2, AX
	MULXQ AX, R14, BX
	ADCQ  CX, R14
	MOVQ  R3, AX
	MULXQ AX, R15, CX
	ADCQ  BX, R15
	SUBQ  SI, R12
	SBBQ  DI, R13
	SBBQ  R14, R8
	SBBQ  R15, R9
	SUBTRACT(R12, R13, R8, R9)

	MOVQ res+0(FP), DI
	MOVQ R12, 0(DI)
	MOVQ R13, 8(DI)
	MOVQ R8, 16(DI)
	MOVQ R9, 24(DI)
	RET

// func mulAddADX(s, row, x *fr.Element, n int)
//
// s_j += x·row_j for j < n, by limbs of x.
TEXT ·mulAddADX(SB), NOSPLIT, $0-32
	MOVQ s+0(FP), R13
	MOVQ row+8(FP), DI
	MOVQ x+16(FP), SI
	MOVQ n+24(FP), CX

next:
	XORQ R15, R15
	XORQ R8, R8
	XORQ R9, R9
	XORQ R10, R10
	XORQ R11, R11
	XORQ R12, R12

	// The sum stays below 2^320 because r < 2^255: no sixth limb is needed, R15
	// takes its (zero) carries.
	MOVQ 0(SI), DX
	ROW(R8, R9, R10, R11, R12, R15)
	REDUCE(R8, R9, R10, R11, R12, R15)
	MOVQ 8(SI), DX
	ROW(R9, R10, R11, R12, R8, R15)
	REDUCE(R9, R10, R11, R12, R8, R15)
	MOVQ 16(SI), DX
	ROW(R10, R11, R12, R8, R9, R15)
	REDUCE(R10, R11, R12, R8, R9, R15)
	MOVQ 24(SI), DX
	ROW(R11, R12, R8, R9, R10, R15)
	REDUCE(R11, R12, R8, R9, R10, R15)

	SUBTRACT(R12, R8, R9, R10)
	ADDQ 0(R13), R12
	ADCQ 8(R13), R8
	ADCQ 16(R13), R9
	ADCQ 24(R13), R10
	SUBTRACT(R12, R8, R9, R10)
	MOVQ R12, 0(R13)
	MOVQ R8, 8(R13)
	MOVQ R9, 16(R13)
	MOVQ R10, 24(R13)

	ADDQ $32, DI
	ADDQ $32, R13
	DECQ CX
	JNZ  next
	RET
