// From bucket sums to the result: Σ b·B_b, sums of points, joining of sets.
#pragma once
#include "levels.cuh"

namespace cuzk {
namespace msm {

constexpr int REDUCE_THREADS = 128;

// These kernels are instantiated for fields whose products are calls (Called<F>).

#ifdef __CUDACC__

// A chunk that began in the middle of a bucket left that bucket's sum aside.
template <class F>
__global__ void k_carry(Affine<F>* buckets, const Affine<F>* carry, const uint32_t* offsets, const Chunk* chunk) {
    const uint32_t b = chunk->b_lo;
    if (offsets[b] < chunk->e0) add_complete(buckets + b, buckets + b, carry, false, false);
}

// out[t] = Σ b·B_b over the t-th stretch of 2^log_run buckets of a set (b from
// 1; blockIdx.y is the set): running sums from the far end, then the stretch's
// own start.
template <class F>
__global__ void __launch_bounds__(REDUCE_THREADS, sizeof(F) == sizeof(Fp) ? 3 : 1) k_weigh(Xyzz<F>* out, const Affine<F>* buckets, uint32_t n, int log_run,
                                                          int index_bits) {
    const uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n >> log_run) return;
    const Affine<F>* mine = buckets + 1 + (size_t)blockIdx.y * n + ((size_t)t << log_run);
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

// Block-wise sums of n points (affine or XYZZ) for each of gridDim.y lists:
// out[list·gridDim.x + block].
template <class F, class P>
__global__ void __launch_bounds__(REDUCE_THREADS) k_sum(Xyzz<F>* out, const P* in, uint32_t n) {
    extern __shared__ uint4 raw[];
    Xyzz<F>* shared = reinterpret_cast<Xyzz<F>*>(raw);
    in += (size_t)blockIdx.y * n;
    Xyzz<F> s = Xyzz<F>::infinity();
#pragma unroll 1
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s.add(in[i]);
#pragma unroll 1
    for (uint32_t d = REDUCE_THREADS / 2; d > 0; d /= 2) {
        if (threadIdx.x >= d && threadIdx.x < 2 * d) shared[threadIdx.x] = s;
        __syncthreads();
        if (threadIdx.x < d) s.add(shared[threadIdx.x + d]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[(size_t)blockIdx.y * gridDim.x + blockIdx.x] = s;
}

// out = Σ 2^(c·s)·sets[s], in affine form.
template <class F>
__global__ void k_join(Affine<F>* out, const Xyzz<F>* sets, int n, int c) {
    Xyzz<F> r = Xyzz<F>::infinity();
#pragma unroll 1
    for (int s = n - 1; s >= 0; s--) {
#pragma unroll 1
        for (int i = 0; i < c && s < n - 1; i++) r = r.twice();
        r.add(sets[s]);
    }
    *out = r.affine();
}

#endif

}  // namespace msm
}  // namespace cuzk
