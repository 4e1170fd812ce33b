// Definitions of bucket_reduction.hpp.
#pragma once
#include "../util/each.cuh"
#include "reduce.cuh"
#include "bucket_reduction.hpp"

namespace cuzk {
namespace msm {

// The operands of all additions of both trees, and how many each level has.
struct PairMarginals {
    MarginalTrees m;
    uint2* pairs;
    uint32_t* counts;

    CUZK_HD void operator()(size_t i) const {
        if (i < (size_t)m.levels()) counts[i] = m.additions((int)i);
        int level = 0;
        while (i >= m.before(level + 1)) level++;
        const uint32_t k = (uint32_t)i - m.before(level);
        if (k >= m.additions(level)) return;
        uint2 pair;
        m.operands(level, k, &pair.x, &pair.y);
        pairs[i] = pair;
    }
};

#ifdef __CUDACC__

// out[t] = weight·sum for the rows and then the columns of set blockIdx.y, whose
// first row here is row_first. Weights have `bits` bits.
template <class F>
__global__ void __launch_bounds__(REDUCE_THREADS)
    k_weighted_marginals(Xyzz<F>* out, const Affine<F>* rows, const Affine<F>* columns, int p, int q,
                         uint32_t row_first, int bits) {
    const uint32_t t = blockIdx.x * REDUCE_THREADS + threadIdx.x, n_rows = 1u << p, n = n_rows + (1u << q);
    if (t >= n) return;
    const bool row = t < n_rows;
    const uint32_t weight = row ? (row_first + t) << q : t - n_rows + 1;
    const Affine<F> point = row ? rows[((size_t)blockIdx.y << p) + t] : columns[((size_t)blockIdx.y << q) + t - n_rows];
    Xyzz<F> r = Xyzz<F>::infinity();
#pragma unroll 1
    for (int i = bits - 1; i >= 0; i--) {
        r = r.twice();
        if (weight >> i & 1) r.add(point);
    }
    out[(size_t)blockIdx.y * n + t] = r;
}

// out[t] = Σ b·B_b over the t-th run of 2^log_run buckets of a set's n buckets (b from
// 1; blockIdx.y is the set): running sums from the far end, then the run's
// own start.
template <class F>
__global__ void __launch_bounds__(REDUCE_THREADS, sizeof(F) == sizeof(Fp) ? 3 : 1)
    k_running_sums(Xyzz<F>* out, const Affine<F>* buckets, uint32_t n, int log_run, int index_bits) {
    const uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n >> log_run) return;
    const Affine<F>* mine = buckets + (size_t)blockIdx.y * n + ((size_t)t << log_run);
    Xyzz<F> run = Xyzz<F>::infinity(), acc = run;
#pragma unroll 1
    for (uint32_t i = 1u << log_run; i-- > 0;) {
        run.add(mine[i]);
        acc.add(run);
    }
#pragma unroll 1
    for (int i = 0; i < log_run; i++) run = run.twice();
    acc.add(run.times(t, index_bits));
    out[(size_t)blockIdx.y * (n >> log_run) + t] = acc;
}

template <class F>
void reduce_by_running_sums(Xyzz<F>* sets, const Affine<F>* buckets, int bits, int group, const ReductionWork<F>& room,
                            cudaStream_t s) {
    int log_run = std::max(std::min(7, bits - 16), std::min(4, bits));
    while (log_run < bits && ((size_t)group << (bits - log_run)) > room.most) log_run++;
    const uint32_t parts = 1u << (bits - log_run);
    k_running_sums<Called<F>><<<dim3(blocks_for(parts, REDUCE_THREADS), group), REDUCE_THREADS, 0, s>>>(
        called(room.parts), called(buckets), 1u << bits, log_run, bits - log_run);
    CUZK_LAUNCHED("k_running_sums");
    sum_lists(sets, room.parts, parts, group, room.mid, s);
}

// The weighted marginal sums of some points: room.parts from `parts` on.
template <class F>
void weight_marginals(Xyzz<F>* parts, const Affine<F>* points, const MarginalTrees& m, uint32_t row_first, int bits,
                      const ReductionWork<F>& room, cudaStream_t s) {
    each(m.before(m.levels()), s, "pair margins", PairMarginals{m, room.pairs, room.counts});
    for (int l = 0; l < m.levels(); l++)
        add_level<F>({points, room.sums, m.points}, room.pairs, room.counts, l, m.additions(l), m.additions(l), s);
    const Affine<F>*rows = room.sums + (m.rows_at(m.q) - m.points),
          *columns = room.sums + (m.columns_at(m.p) - m.points);
    const unsigned blocks = blocks_for((size_t(1) << m.p) + (size_t(1) << m.q), REDUCE_THREADS);
    k_weighted_marginals<Called<F>><<<dim3(blocks, m.sets()), REDUCE_THREADS, 0, s>>>(
        called(parts), called(rows), called(columns), m.p, m.q, row_first, bits);
    CUZK_LAUNCHED("k_weighted_marginals");
}

template <class F>
void reduce_by_trees(Xyzz<F>* sets, const Affine<F>* buckets, int bits, int group, const ReductionWork<F>& room,
                     cudaStream_t s) {
    const MarginalCut cut = MarginalCut::make(bits, group, room.chunk, room.most);
    const uint32_t piece = 1u << (cut.p + cut.q), parts = (1u << cut.p) + (1u << cut.q);
    for (int g = 0, n; g < group; g += n) {
        n = std::min(group - g, (int)cut.sets);
        const Affine<F>* from = buckets + ((size_t)g << bits);
        for (uint32_t k = 0; k < cut.pieces; k++)
            weight_marginals(room.parts + (size_t)k * parts, from + (size_t)k * piece,
                             MarginalTrees{n * piece, cut.p, cut.q}, k << cut.p, bits, room, s);
        sum_lists(sets + g, room.parts, cut.pieces * parts, n, room.mid, s);
    }
}

template <class F>
void reduce_buckets(Xyzz<F>* sets, const Affine<F>* buckets, int bits, int group, const ReductionWork<F>& room,
                    cudaStream_t s) {
    if (group == 0) return;
    const bool levels =
        ((size_t)group << bits) >= REDUCE_BY_TREES && MarginalCut::make(bits, group, room.chunk, room.most).sets > 0;
    (levels ? reduce_by_trees<F> : reduce_by_running_sums<F>)(sets, buckets, bits, group, room, s);
}

#endif

} // namespace msm
} // namespace cuzk
