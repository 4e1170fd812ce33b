// Weighing of buckets, the last step of a multi-scalar multiplication.
#pragma once
#include "../ec/curve.cuh"
#include "../util/device.cuh"
#include "margins.hpp"

namespace cuzk {
namespace msm {

// Memory for a weighing, which others use before and after.
template <class F>
struct WeighRoom {
    Affine<F>* sums; // of the levels' additions, and
    uint2* pairs;    // their operands, `chunk` and levels_padding of both
    size_t chunk;
    uint32_t* counts; // MOST_LEVELS
    Xyzz<F>* parts;   // of the results, `most` of them
    size_t most;
    Xyzz<F>* mid; // for sum_lists
    F* scratch;
    unsigned grid;
};

// Parts that fill the device.
constexpr size_t WEIGH_PARTS = size_t(1) << 17;
// With fewer buckets launches cost more than levels save.
constexpr size_t WEIGH_BY_LEVELS = size_t(1) << 20;

// How many parts weighing some buckets takes at most.
inline size_t weigh_parts(size_t buckets) { return std::min(buckets / 8 + 1, WEIGH_PARTS); }

// sets[g] = Σ b·B_b over `group` sets of 2^bits buckets each, one after the
// other, the first of each for b = 1.
template <class F>
void weigh(Xyzz<F>* sets, const Affine<F>* buckets, int bits, int group, const WeighRoom<F>& room, cudaStream_t s);

// The two ways to do it: through levels (about 12 products a bucket), where
// MarginCut finds room for them, or by running sums over stretches (24 products).
template <class F>
void weigh_levels(Xyzz<F>* sets, const Affine<F>* buckets, int bits, int group, const WeighRoom<F>& room,
                  cudaStream_t s);
template <class F>
void weigh_stretches(Xyzz<F>* sets, const Affine<F>* buckets, int bits, int group, const WeighRoom<F>& room,
                     cudaStream_t s);

} // namespace msm
} // namespace cuzk
