// Twiddles between passes: a pass of k stages and stride 2^s multiplies the
// point at (row, col) by G^(±rev_k(row)·(2·col + odd)), G of order 2^(k+s+1).
//
// odd = 0 is the plain transform. odd = 1 is the one onto the coset of the
// 2n-th root g, or back: there a point's factor g^±rev(i) is the product of one
// such G^±rev(row) for each pass, so it costs nothing where there are twiddles.
//
// Back from the coset needs the reciprocals of the way there, which are the same
// table: with col' = 2^s − 1 − col,
//     G^(−j·(2·col + 1)) = G^(j·(2·col' + 1)) · w^(−j),  w = G^(2^(s+1)) of order 2^k,
// and w^(−j) on the results of a transform is a rotation of its rows by one.
#pragma once
#include "../ff/fr.cuh"
#include "tile.cuh"

namespace cuzk {
namespace ntt {

enum Direction { COSET, INVERSE, HALVES, DIRECTIONS }; // HALVES: inverse, divided by 2n

struct Pass {
    int k, s;
    __host__ __device__ int bits() const { return k + s; }
    // Of the twiddle of point i of 2^(k+s).
    __device__ __forceinline__ uint64_t exponent(uint64_t i, int odd) const {
        const uint64_t j = __brev((uint32_t)(i >> s)) >> (32 - k), col = i & ((uint64_t(1) << s) - 1);
        return j * (2 * col + odd);
    }
};

// One factor a point, in memory order.
struct Table {
    const Fr* factors;
    using Factor = Fr;
    __device__ __forceinline__ Fr fetch(const Pass&, size_t i) const { return load(factors + i); }
    __device__ __forceinline__ static FrLazy times(const FrLazy& x, const Fr& f) { return x * f; }
};

// The same as pairs for Shoup's method; short tables only, which stay in L2.
struct Pairs {
    const Shoup* factors;
    using Factor = const Shoup*;
    __device__ __forceinline__ const Shoup* fetch(const Pass&, size_t i) const { return factors + i; }
    __device__ __forceinline__ static FrLazy times(const FrLazy& x, const Shoup* f) { return x * load(f); }
};

// log2 of the first of two tables that stand for 2^bits powers.
__host__ __device__ constexpr int low_bits(int bits) { return (bits + 1) / 2; }

// Two tables of powers, G^e for e < 2^low and G^(e·2^low): a product more, a
// few thousandths of the memory.
struct Powers {
    const Shoup* powers;
    int odd;
    struct Factor {
        const Shoup *low, *high;
    };
    __device__ __forceinline__ Factor fetch(const Pass& p, size_t i) const {
        const int low = low_bits(p.bits() + 1);
        const uint64_t e = p.exponent(i, odd);
        return {powers + (e & ((uint64_t(1) << low) - 1)), powers + (uint64_t(1) << low) + (e >> low)};
    }
    __device__ __forceinline__ static FrLazy times(const FrLazy& x, const Factor& f) {
        return x * load(f.low) * load(f.high);
    }
};

} // namespace ntt
} // namespace cuzk
