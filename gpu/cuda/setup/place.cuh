// Where the points of a section go when they are loaded.
#pragma once
#include "../ec/curve.cuh"
#include "../util/each.cuh"

namespace cuzk::setup {

// Bit variables and the others go to two runs, each in the order of positions.
template <class F>
struct Split {
    const uint32_t *mask, *before;  // bitmap over positions of bit variables, and its ranks
    Affine<F> *bits, *rest;
    CUZK_HD Affine<F>* at(size_t p) const {
        uint32_t m = mask[p >> 5], bit = 1u << (p & 31);
        uint32_t rank = before[p >> 5] + popcount(m & (bit - 1));
        return m & bit ? bits + rank : rest + (p - rank);
    }
};

// Bit-reversed order, in which the quotient's coefficients come (ntt/domain.hpp).
template <class F>
struct Reversed {
    Affine<F>* to;
    int log_n;
    CUZK_HD Affine<F>* at(size_t p) const { return to + reverse_bits(p, log_n); }
};

// Copies the point of one position out.
template <class F, class Place>
struct Pick {
    Place from;
    size_t position;
    Affine<F>* to;
    CUZK_HD void operator()(size_t) const { *to = *from.at(position); }
};

}  // namespace cuzk::setup
