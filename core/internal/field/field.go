// Package field has the vector arithmetic of BLS12-381: products of the base field and
// of the scalar field in the lanes of AVX2 and AVX-512 registers, and from them the
// decoding of points, the affine additions that share one inversion, and the butterflies
// of transforms. The assembly is written by gen (`make generate`).
//
// # AVX2
//
// Four lanes, limbs of 28 bits, products by VPMULUDQ: 406 of them for four products of
// the base field, 210 for four of scalars.
//
// # AVX-512 IFMA
//
// Eight lanes, limbs of 52 bits, products by VPMADD52LUQ and VPMADD52HUQ. Eight products
// of the base field take 2·8² of these instructions for x·y, 2·8 for each of seven
// rounds of reduction by (p·p′ + 1)/2^52, p′ = −1/p mod 2^52, and 2·8 + 1 for the eighth
// by p itself: 257, or 32.1 for a product. Eight products of scalars take 50 + 40 + 11 =
// 101, or 12.6. What else a product does, mainly the carries at its end, is 41 and 22
// vector instructions, which compete for the same two ports on Intel's processors.
//
// Ceiling and share, measured by `go test -bench 'MultiplyAdds|Fp8|Fr8'` on one core of
// an Intel Xeon of the fourth generation (two 512-bit ports, about 2.5 GHz): 5.1
// multiply-adds per ns, thus 6.3 ns for a product of the base field and 2.5 ns for one of
// scalars. Reached: 7.4 ns, 85 % of the ceiling, and 98 % of what the ports allow with
// all its instructions; 3.5 ns, 71 % and 87 %. The scalar code takes 57 ns, AVX2 36 ns. An
// affine addition in G1 takes six products, 45 ns, of about 100 ns in all: the rest is
// gathering, transposing and scattering of points, differences and reductions.
//
// Numbers are reduced only where they are stored. Bounds are with each function; tests
// compare every function with big integers at its bounds, and every level with the
// others. Where the processor lacks AVX-512 the tests run on an emulator of its
// instructions (packages emulator and fieldtest); CUZK_TEST_LEVEL=portable, avx2 or ifma
// chooses one level for tests.
package field

//go:generate go run ./gen
