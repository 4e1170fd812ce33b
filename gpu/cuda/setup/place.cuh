// Where the points of a section go when they are loaded.
#pragma once
#include "../ec/curve.cuh"
#include "../util/each.cuh"

namespace cuzk::setup {

// A stretch of positions in memory. Where some of them are bit variables (mask),
// those and the others go to two runs, each in the order of positions.
template <class F>
struct Place {
    Affine<F>* rest = nullptr;
    Affine<F>* bits = nullptr;
    const uint32_t *mask = nullptr, *before = nullptr; // bitmap over all positions of bit variables, and its ranks
    size_t bits_first = 0, rest_first = 0;             // ranks of bits[0] and rest[0]
    int reversed = -1; // at least 0: bit-reversed order, in which the quotient's coefficients come (ntt/domain.hpp)

    CUZK_HD Affine<F>* at(size_t p) const {
        if (reversed >= 0) return rest + reverse_bits(p, reversed);
        if (mask == nullptr) return rest + (p - rest_first);
        uint32_t m = mask[p >> 5], bit = 1u << (p & 31);
        size_t rank = before[p >> 5] + popcount(m & (bit - 1));
        return m & bit ? bits + (rank - bits_first) : rest + (p - rank - rest_first);
    }
};

} // namespace cuzk::setup
