// Constants of the two BLS12-381 fields, 32-bit limbs, least significant first.
// They are functions of a constant index so that unrolled code sees immediates.
#pragma once
#include "limbs.cuh"

namespace cuzk {

#define CUZK_TABLE(name, n, ...)             \
    CUZK_HD constexpr uint32_t name(int i) { \
        const uint32_t t[n] = {__VA_ARGS__}; \
        return t[i];                         \
    }

// Base field: p, Montgomery radix 2^384.
struct FpParams {
    static constexpr int N = 12;
    static constexpr uint32_t INV = 0xfffcfffdu; // −p⁻¹ mod 2^32
    static constexpr bool KARATSUBA = false;
    static constexpr bool CALLED = false;          // products are calls, not inlined
    static constexpr bool EXACT_ON_DEVICE = false; // redc leaves values up to 2p
    static constexpr uint32_t INV30 = 0x30003u;    // p⁻¹ mod 2^30
    static CUZK_TABLE(mod, 12, 0xffffaaabu, 0xb9feffffu, 0xb153ffffu, 0x1eabfffeu, 0xf6b0f624u, 0x6730d2a0u,
                      0xf38512bfu, 0x64774b84u, 0x434bacd7u, 0x4b1ba7b6u, 0x397fe69au,
                      0x1a0111eau) static CUZK_TABLE(one, 12, 0x0002fffdu, 0x76090000u, 0xc40c0002u, 0xebf4000bu,
                                                     0x53c758bau, 0x5f489857u, 0x70525745u, 0x77ce5853u, 0xa256ec6du,
                                                     0x5c071a97u, 0xfa80e493u,
                                                     0x15f65ec3u) static CUZK_TABLE(r2, 12, 0x1c341746u, 0xf4df1f34u,
                                                                                    0x09d104f1u, 0x0a76e6a6u,
                                                                                    0x4c95b6d5u, 0x8de5476cu,
                                                                                    0x939d83c0u, 0x67eb88a9u,
                                                                                    0xb519952du, 0x9a793e85u,
                                                                                    0x92cae3aau, 0x11988fe5u)
};

// Scalar field: r, Montgomery radix 2^256.
struct FrParams {
    static constexpr int N = 8;
    static constexpr uint32_t INV = 0xffffffffu;
    static constexpr bool KARATSUBA = false;
    static constexpr bool CALLED = false;
    static constexpr bool EXACT_ON_DEVICE = true;
    static constexpr uint32_t INV30 = 0x1u;
    static CUZK_TABLE(mod, 8, 0x00000001u, 0xffffffffu, 0xfffe5bfeu, 0x53bda402u, 0x09a1d805u, 0x3339d808u, 0x299d7d48u,
                      0x73eda753u) static CUZK_TABLE(one, 8, 0xfffffffeu, 0x00000001u, 0x00034802u, 0x5884b7fau,
                                                     0xecbc4ff5u, 0x998c4fefu, 0xacc5056fu,
                                                     0x1824b159u) static CUZK_TABLE(r2, 8, 0xf3f29c6du, 0xc999e990u,
                                                                                    0x87925c23u, 0x2b6cedcbu,
                                                                                    0x7254398fu, 0x05d31496u,
                                                                                    0x9f59ff11u, 0x0748d9d9u)
        // 2r, and 2^256 − r: r = 1 − 2^32 + 2^64·R, so that limb 0 of 2^256 − r is
        // −1, limb 1 is 0 and limbs 2…7 are 2^192 − R.
        static CUZK_TABLE(mod2, 8, 0x00000002u, 0xfffffffeu, 0xfffcb7fdu, 0xa77b4805u, 0x1343b00au, 0x6673b010u,
                          0x533afa90u, 0xe7db4ea6u) static CUZK_TABLE(neg, 8, 0xffffffffu, 0x00000000u, 0x0001a401u,
                                                                      0xac425bfdu, 0xf65e27fau, 0xccc627f7u,
                                                                      0xd66282b7u, 0x8c1258acu)
        // 7^((r−1)/2^32), the 2^32nd root of unity that bellperson uses.
        static CUZK_TABLE(root32, 8, 0x5f0e466au, 0xb9b58d8cu, 0x1819d7ecu, 0x5b1b4c80u, 0x52a31e64u, 0x0af53ae3u,
                          0x19e9b27bu, 0x5bf3addau)
};
#undef CUZK_TABLE

// The base field for kernels with many products: their code would not fit into
// the instruction cache if each were inlined. Same layout as the field.
struct FpCalledParams : FpParams {
    static constexpr bool CALLED = true;
};

} // namespace cuzk
