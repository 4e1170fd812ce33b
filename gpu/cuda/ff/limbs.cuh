// Multi-precision arithmetic on little-endian 32-bit limbs.
//
// On the device every product is a 32×32→64 multiply-add with carry
// (mad.lo.cc + madc.hi.cc of one operand pair, which the assembler fuses into
// one IMAD.WIDE.X). Partial products are kept in two accumulators, one for even
// and one for odd columns, so that a row is two chains without shuffling limbs.
// On the host the same functions are plain C++, products by words of 64 bits: the CPU twin.
#pragma once
#include <cstdint>
#include <cstddef>
#include <cstring>

#ifndef __CUDACC__
#define __host__
#define __device__
#define __forceinline__ inline
#endif
// Device code is inlined always; the host compiler decides for itself.
// CUZK_PTX selects the device algorithms. CUZK_EMULATE_PTX runs them on the CPU
// over a software carry flag, so that they are tested where there is no GPU.
#if defined(__CUDA_ARCH__)
#define CUZK_PTX 1
#define CUZK_HD __host__ __device__ __forceinline__
#define CUZK_DEV __device__ __forceinline__
#define CUZK_CALL __host__ __device__ __noinline__
#define CUZK_UNROLL _Pragma("unroll")
#else
#define CUZK_HD __host__ __device__ inline
#define CUZK_DEV __host__ __device__ inline
#define CUZK_CALL __host__ __device__
#define CUZK_UNROLL
#if defined(CUZK_EMULATE_PTX)
#define CUZK_PTX 1
#endif
#endif

namespace cuzk {

#ifdef CUZK_PTX
// One PTX instruction each; CC is the carry flag. The statements are volatile,
// so their order, and with it the flag, is kept.
namespace ptx {
#ifdef __CUDA_ARCH__
#define CUZK_PTX2(name, ins)                                           \
    __device__ __forceinline__ uint32_t name(uint32_t a, uint32_t b) { \
        uint32_t r;                                                    \
        asm volatile(ins " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));   \
        return r;                                                      \
    }
#define CUZK_PTX3(name, ins)                                                       \
    __device__ __forceinline__ uint32_t name(uint32_t a, uint32_t b, uint32_t c) { \
        uint32_t r;                                                                \
        asm volatile(ins " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));   \
        return r;                                                                  \
    }
CUZK_PTX2(add_cc, "add.cc.u32")
CUZK_PTX2(addc_cc, "addc.cc.u32")
CUZK_PTX2(addc, "addc.u32")
CUZK_PTX2(sub_cc, "sub.cc.u32")
CUZK_PTX2(subc_cc, "subc.cc.u32")
CUZK_PTX2(subc, "subc.u32")
CUZK_PTX3(mad_lo_cc, "mad.lo.cc.u32")
CUZK_PTX3(madc_lo_cc, "madc.lo.cc.u32")
CUZK_PTX3(madc_lo, "madc.lo.u32")
CUZK_PTX3(mad_hi_cc, "mad.hi.cc.u32")
CUZK_PTX3(madc_hi_cc, "madc.hi.cc.u32")
CUZK_PTX3(madc_hi, "madc.hi.u32")
#undef CUZK_PTX2
#undef CUZK_PTX3
CUZK_DEV uint32_t mul_hi(uint32_t a, uint32_t b) { return __umulhi(a, b); }
#else
// The same instructions over one software flag.
inline thread_local uint32_t cc = 0;
inline uint32_t sum(uint32_t a, uint32_t b, uint32_t c, bool set) {
    uint64_t s = (uint64_t)a + b + c;
    if (set) cc = (uint32_t)(s >> 32);
    return (uint32_t)s;
}
inline uint32_t difference(uint32_t a, uint32_t b, uint32_t c, bool set) {
    uint64_t s = (uint64_t)a - b - c;
    if (set) cc = (uint32_t)(s >> 63);
    return (uint32_t)s;
}
inline uint32_t mul_hi(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
inline uint32_t add_cc(uint32_t a, uint32_t b) { return sum(a, b, 0, true); }
inline uint32_t addc_cc(uint32_t a, uint32_t b) { return sum(a, b, cc, true); }
inline uint32_t addc(uint32_t a, uint32_t b) { return sum(a, b, cc, false); }
inline uint32_t sub_cc(uint32_t a, uint32_t b) { return difference(a, b, 0, true); }
inline uint32_t subc_cc(uint32_t a, uint32_t b) { return difference(a, b, cc, true); }
inline uint32_t subc(uint32_t a, uint32_t b) { return difference(a, b, cc, false); }
inline uint32_t mad_lo_cc(uint32_t a, uint32_t b, uint32_t c) { return sum(a * b, c, 0, true); }
inline uint32_t madc_lo_cc(uint32_t a, uint32_t b, uint32_t c) { return sum(a * b, c, cc, true); }
inline uint32_t madc_lo(uint32_t a, uint32_t b, uint32_t c) { return sum(a * b, c, cc, false); }
inline uint32_t mad_hi_cc(uint32_t a, uint32_t b, uint32_t c) { return sum(mul_hi(a, b), c, 0, true); }
inline uint32_t madc_hi_cc(uint32_t a, uint32_t b, uint32_t c) { return sum(mul_hi(a, b), c, cc, true); }
inline uint32_t madc_hi(uint32_t a, uint32_t b, uint32_t c) { return sum(mul_hi(a, b), c, cc, false); }
#endif
} // namespace ptx
#endif

#ifndef CUZK_PTX
// Two limbs as one word of the host.
inline uint64_t word(const uint32_t* v) {
    uint64_t w;
    memcpy(&w, v, sizeof w);
    return w;
}
inline void put(uint32_t* v, uint64_t w) { memcpy(v, &w, sizeof w); }
#endif

// r = a + b; returns the carry (0 or 1).
template <int N>
CUZK_HD uint32_t limbs_add(uint32_t* r, const uint32_t* a, const uint32_t* b) {
#ifdef CUZK_PTX
    r[0] = ptx::add_cc(a[0], b[0]);
    CUZK_UNROLL for (int i = 1; i < N; i++) r[i] = ptx::addc_cc(a[i], b[i]);
    return ptx::addc(0, 0);
#else
    uint64_t c = 0;
    for (int i = 0; i + 1 < N; i += 2) {
        const unsigned __int128 s = (unsigned __int128)word(a + i) + word(b + i) + c;
        put(r + i, (uint64_t)s), c = (uint64_t)(s >> 64);
    }
    if (N % 2) c += (uint64_t)a[N - 1] + b[N - 1], r[N - 1] = (uint32_t)c, c >>= 32;
    return (uint32_t)c;
#endif
}

// r = a − b; returns the borrow as a mask (0 or all ones).
template <int N>
CUZK_HD uint32_t limbs_sub(uint32_t* r, const uint32_t* a, const uint32_t* b) {
#ifdef CUZK_PTX
    r[0] = ptx::sub_cc(a[0], b[0]);
    CUZK_UNROLL for (int i = 1; i < N; i++) r[i] = ptx::subc_cc(a[i], b[i]);
    return ptx::subc(0, 0);
#else
    uint64_t c = 0;
    for (int i = 0; i + 1 < N; i += 2) {
        const unsigned __int128 d = (unsigned __int128)word(a + i) - word(b + i) - c;
        put(r + i, (uint64_t)d), c = (uint64_t)(d >> 64) & 1;
    }
    if (N % 2) c = (uint64_t)a[N - 1] - b[N - 1] - c, r[N - 1] = (uint32_t)c, c >>= 63;
    return 0u - (uint32_t)c;
#endif
}

// r = take ? a : r, limb by limb.
template <int N>
CUZK_HD void limbs_select(uint32_t* r, const uint32_t* a, bool take) {
    CUZK_UNROLL for (int i = 0; i < N; i++) r[i] = take ? a[i] : r[i];
}

template <int N>
CUZK_HD bool limbs_zero(const uint32_t* a) {
    uint32_t x = 0;
    CUZK_UNROLL for (int i = 0; i < N; i++) x |= a[i];
    return x == 0;
}

template <int N>
CUZK_HD bool limbs_equal(const uint32_t* a, const uint32_t* b) {
    uint32_t x = 0;
    CUZK_UNROLL for (int i = 0; i < N; i++) x |= a[i] ^ b[i];
    return x == 0;
}

#ifdef CUZK_PTX
// acc[0..N] += b · Σ a[2k] 2^(64k): one carry chain over N/2 products. acc[N]
// takes the carry.
template <int N>
CUZK_DEV void chain_mad(uint32_t* acc, const uint32_t* a, uint32_t b) {
    acc[0] = ptx::mad_lo_cc(a[0], b, acc[0]);
    acc[1] = ptx::madc_hi_cc(a[0], b, acc[1]);
    CUZK_UNROLL for (int k = 2; k < N; k += 2) {
        acc[k] = ptx::madc_lo_cc(a[k], b, acc[k]);
        acc[k + 1] = ptx::madc_hi_cc(a[k], b, acc[k + 1]);
    }
    acc[N] = ptx::addc(acc[N], 0);
}

CUZK_DEV void wide(uint32_t& lo, uint32_t& hi, uint32_t a, uint32_t b) {
    uint64_t w = (uint64_t)a * b;
    lo = (uint32_t)w, hi = (uint32_t)(w >> 32);
}

// even + 2^32·odd, the two accumulators of a 2N-limb product.
template <int N>
CUZK_DEV void merge_columns(uint32_t* even, const uint32_t* odd) {
    even[1] = ptx::add_cc(even[1], odd[0]);
    CUZK_UNROLL for (int i = 2; i < 2 * N - 1; i++) even[i] = ptx::addc_cc(even[i], odd[i - 1]);
    even[2 * N - 1] = ptx::addc(even[2 * N - 1], odd[2 * N - 2]);
}
#endif

#ifndef CUZK_PTX
// acc[0..W) += b·a in words of 64 bits; returns the carry.
template <int W>
inline uint64_t row_mad(uint64_t* acc, const uint64_t* a, uint64_t b) {
    uint64_t carry = 0;
    for (int j = 0; j < W; j++) {
        const unsigned __int128 s = (unsigned __int128)a[j] * b + acc[j] + carry;
        acc[j] = (uint64_t)s, carry = (uint64_t)(s >> 64);
    }
    return carry;
}
#endif

// t[0..2N) = a · b, N even. N² wide products.
template <int N>
CUZK_HD void limbs_mul(uint32_t* t, const uint32_t* a, const uint32_t* b) {
#ifdef CUZK_PTX
    uint32_t even[2 * N + 2], odd[2 * N + 2];
    CUZK_UNROLL for (int i = N; i < 2 * N + 2; i++) even[i] = odd[i] = 0;
    CUZK_UNROLL for (int j = 0; j < N; j += 2) {
        wide(even[j], even[j + 1], a[j], b[0]);
        wide(odd[j], odd[j + 1], a[j + 1], b[0]);
    }
    CUZK_UNROLL for (int i = 1; i < N; i++) {
        if (i & 1) { // columns i+j: even j meet odd columns
            chain_mad<N>(odd + i - 1, a, b[i]);
            chain_mad<N>(even + i + 1, a + 1, b[i]);
        } else {
            chain_mad<N>(even + i, a, b[i]);
            chain_mad<N>(odd + i, a + 1, b[i]);
        }
    }
    merge_columns<N>(even, odd);
    CUZK_UNROLL for (int i = 0; i < 2 * N; i++) t[i] = even[i];
#else
    constexpr int W = N / 2;
    uint64_t x[W], y[W], out[2 * W] = {0};
    memcpy(x, a, sizeof x), memcpy(y, b, sizeof y);
    for (int i = 0; i < W; i++) out[i + W] = row_mad<W>(out + i, x, y[i]);
    memcpy(t, out, sizeof out);
#endif
}

// t[0..2N) = a². N(N+1)/2 wide products: each mixed one once, doubled by a
// shift, then the squares in a single chain.
template <int N>
CUZK_HD void limbs_sqr(uint32_t* t, const uint32_t* a) {
#ifdef CUZK_PTX
    uint32_t even[2 * N + 2], odd[2 * N + 2];
    CUZK_UNROLL for (int i = 0; i < 2 * N + 2; i++) even[i] = odd[i] = 0;
    CUZK_UNROLL for (int i = 0; i < N - 1; i++) {
        // j = i+1, i+3, … land in odd columns 2i+1, 2i+3, …
        odd[2 * i] = ptx::mad_lo_cc(a[i + 1], a[i], odd[2 * i]);
        odd[2 * i + 1] = ptx::madc_hi_cc(a[i + 1], a[i], odd[2 * i + 1]);
        CUZK_UNROLL for (int j = i + 3; j < N; j += 2) {
            odd[i + j - 1] = ptx::madc_lo_cc(a[j], a[i], odd[i + j - 1]);
            odd[i + j] = ptx::madc_hi_cc(a[j], a[i], odd[i + j]);
        }
        const int top = N - 1 - ((N - 2 - i) & 1); // last j of this chain
        odd[i + top + 1] = ptx::addc(odd[i + top + 1], 0);
        if (i + 2 < N) {
            even[2 * i + 2] = ptx::mad_lo_cc(a[i + 2], a[i], even[2 * i + 2]);
            even[2 * i + 3] = ptx::madc_hi_cc(a[i + 2], a[i], even[2 * i + 3]);
            CUZK_UNROLL for (int j = i + 4; j < N; j += 2) {
                even[i + j] = ptx::madc_lo_cc(a[j], a[i], even[i + j]);
                even[i + j + 1] = ptx::madc_hi_cc(a[j], a[i], even[i + j + 1]);
            }
            const int last = N - 1 - ((N - 3 - i) & 1);
            even[i + last + 2] = ptx::addc(even[i + last + 2], 0);
        }
    }
    merge_columns<N>(even, odd);
    CUZK_UNROLL for (int i = 2 * N - 1; i > 0; i--) even[i] = (even[i] << 1) | (even[i - 1] >> 31);
    even[0] = 0;
    t[0] = ptx::mad_lo_cc(a[0], a[0], even[0]);
    t[1] = ptx::madc_hi_cc(a[0], a[0], even[1]);
    CUZK_UNROLL for (int i = 1; i < N - 1; i++) {
        t[2 * i] = ptx::madc_lo_cc(a[i], a[i], even[2 * i]);
        t[2 * i + 1] = ptx::madc_hi_cc(a[i], a[i], even[2 * i + 1]);
    }
    t[2 * N - 2] = ptx::madc_lo_cc(a[N - 1], a[N - 1], even[2 * N - 2]);
    t[2 * N - 1] = ptx::madc_hi(a[N - 1], a[N - 1], even[2 * N - 1]);
#else
    limbs_mul<N>(t, a, a);
#endif
}

// t = a · b by one Karatsuba step (three half products, subtractive form), for
// N divisible by 4: N²/4 fewer wide products against about 5N more additions,
// which run on a pipe that is idle otherwise.
template <int N>
CUZK_HD void limbs_mul_karatsuba(uint32_t* t, const uint32_t* a, const uint32_t* b) {
    constexpr int H = N / 2;
    uint32_t d[H], e[H], m[N + 1], s[N + 1];
    // (a0 − a1)(b1 − b0) = a0b1 + a1b0 − a0b0 − a1b1, in two's complement
    uint32_t da = limbs_sub<H>(d, a, a + H);
    uint32_t eb = limbs_sub<H>(e, b + H, b);
    limbs_mul<H>(m, d, e);
    CUZK_UNROLL for (int i = 0; i < H; i++) {
        uint32_t x = d[i] & eb;
        d[i] = e[i] & da, e[i] = x;
    }
    uint32_t top = (da & eb & 1) + limbs_sub<H>(m + H, m + H, d);
    m[N] = top + limbs_sub<H>(m + H, m + H, e);
    limbs_mul<H>(t, a, b);
    limbs_mul<H>(t + N, a + H, b + H);
    s[N] = limbs_add<N>(s, t, t + N);
    limbs_add<N + 1>(m, m, s);
    uint32_t c = limbs_add<N + 1>(t + H, t + H, m);
#ifdef CUZK_PTX
    t[N + H + 1] = ptx::add_cc(t[N + H + 1], c);
    CUZK_UNROLL for (int i = N + H + 2; i < 2 * N; i++) t[i] = ptx::addc_cc(t[i], 0);
#else
    for (int i = N + H + 1; i < 2 * N; i++) c = (t[i] += c) < c;
#endif
}

} // namespace cuzk
