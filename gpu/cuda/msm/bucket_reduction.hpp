// Bucket reduction, the last step of a multi-scalar multiplication: Σ b·B_b over the
// sums B_b of the buckets of a set.
#pragma once
#include "../ec/curve.cuh"
#include "../util/device.cuh"
#include "marginals.hpp"

namespace cuzk {
namespace msm {

// Memory of a bucket reduction; other steps use it before and after.
template <class F>
struct ReductionWork {
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
constexpr size_t REDUCTION_PARTS = size_t(1) << 17;
// With fewer buckets launches cost more than levels save.
constexpr size_t REDUCE_BY_TREES = size_t(1) << 20;

// The most parts that the reduction of some buckets takes.
inline size_t reduction_parts(size_t buckets) { return std::min(buckets / 8 + 1, REDUCTION_PARTS); }

// sets[g] = Σ b·B_b over `group` sets of 2^bits buckets each, one after the
// other, the first of each for b = 1.
template <class F>
void reduce_buckets(Xyzz<F>* sets, const Affine<F>* buckets, int bits, int group, const ReductionWork<F>& room,
                    cudaStream_t s);

// The two ways to do it: by trees of affine additions (about 12 products a bucket), where
// MarginalCut finds room for them, or by running sums over runs of buckets (24 products).
template <class F>
void reduce_by_trees(Xyzz<F>* sets, const Affine<F>* buckets, int bits, int group, const ReductionWork<F>& room,
                     cudaStream_t s);
template <class F>
void reduce_by_running_sums(Xyzz<F>* sets, const Affine<F>* buckets, int bits, int group, const ReductionWork<F>& room,
                            cudaStream_t s);

} // namespace msm
} // namespace cuzk
