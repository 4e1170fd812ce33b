// From bucket sums to the result: sums of points, joining of sets.
#pragma once
#include <algorithm>

#include "../util/device.cuh"
#include "digits.cuh"
#include "levels.cuh"

namespace cuzk {
namespace msm {

constexpr int REDUCE_THREADS = 128;
constexpr uint32_t SUM_BLOCKS = 512;

// These kernels are instantiated for fields whose products are calls (Called<F>).

// The same memory as points over the field whose products are calls.
template <class F>
Affine<Called<F>>* called(Affine<F>* p) {
    return reinterpret_cast<Affine<Called<F>>*>(p);
}
template <class F>
const Affine<Called<F>>* called(const Affine<F>* p) {
    return reinterpret_cast<const Affine<Called<F>>*>(p);
}
template <class F>
const Xyzz<Called<F>>* called(const Xyzz<F>* p) {
    return reinterpret_cast<const Xyzz<Called<F>>*>(p);
}
template <class F>
Xyzz<Called<F>>* called(Xyzz<F>* p) {
    return reinterpret_cast<Xyzz<Called<F>>*>(p);
}

#ifdef __CUDACC__

// A chunk that began in the middle of a bucket left that bucket's sum aside.
template <class F>
__global__ void k_carry(Affine<F>* buckets, const Affine<F>* carry, const uint32_t* offsets, const Chunk* chunk) {
    const uint32_t b = chunk->b_lo;
    if (offsets[b] < chunk->e0) add_complete(buckets + b, buckets + b, carry, false, false);
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

// out[l] = sum of the l-th list of n points; mid has room for SUM_BLOCKS points,
// and one for each list.
template <class F, class P>
void sum_lists(Xyzz<F>* out, const P* in, uint32_t n, int lists, Xyzz<F>* mid, cudaStream_t s) {
    const size_t shared = REDUCE_THREADS * sizeof(Xyzz<F>);
    const unsigned blocks = blocks_for(n, REDUCE_THREADS, std::max(SUM_BLOCKS / lists, 1u));
    k_sum<Called<F>><<<dim3(blocks, lists), REDUCE_THREADS, shared, s>>>(called(mid), called(in), n);
    k_sum<Called<F>><<<dim3(1, lists), REDUCE_THREADS, shared, s>>>(called(out), called(mid), blocks);
    CUZK_LAUNCHED("k_sum");
}

// out = Σ 2^w.before(s)·sets[s], in affine form.
template <class F>
__global__ void k_join(Affine<F>* out, const Xyzz<F>* sets, int n, Windows w) {
    Xyzz<F> r = Xyzz<F>::infinity();
#pragma unroll 1
    for (int s = n - 1; s >= 0; s--) {
#pragma unroll 1
        for (int i = 0; i < w.width(s) && s < n - 1; i++) r = r.twice();
        r.add(sets[s]);
    }
    *out = r.affine();
}

#endif

} // namespace msm
} // namespace cuzk
