// Sums of products of Fr with one reduction at the end.
#pragma once
#include "../ff/fr.cuh"

namespace cuzk::r1cs {

// Σ aᵢ·bᵢ for fewer than 2^32 products.
struct Dot {
    uint32_t t[17] = {};

    CUZK_HD void add(const Fr& a, const Fr& b) {
        uint32_t p[16];
        Fr::product(p, a, b);
        t[16] += limbs_add<16>(t, t, p);
    }
    // The sum as Montgomery's product has it: divided by 2^256.
    CUZK_HD Fr total() const {
        uint32_t low[16];
        Fr high;
        CUZK_UNROLL for (int i = 0; i < 8; i++) high.v[i] = t[8 + i];
        high.reduce_once(), high.reduce_once(); // 2^256 < 3r
        CUZK_UNROLL for (int i = 0; i < 8; i++) low[i] = t[i], low[8 + i] = high.v[i];
        return Fr::reduced(low) + FrCanonical::of(t[16]).to_montgomery();
    }
};

} // namespace cuzk::r1cs
