// Kernels that fill the tables of a domain.
#pragma once
#include "kernels.cuh"

namespace cuzk {
namespace ntt {

// w_{2^k}, a primitive 2^k-th root of unity.
__host__ __device__ inline Fr root_of_unity(int k) {
    Fr w;
    CUZK_UNROLL for (int i = 0; i < 8; i++) w.v[i] = FrParams::root32(i);
    for (int i = k; i < 32; i++) w = w.sqr();
    return w;
}

__global__ void k_roots(uint4* out, Fr w) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e > ROOTS) return;
    Shoup s = Shoup::make(w.pow(e));
    constexpr int plane = ROOTS + 1;
    out[e] = make_uint4(s.w[0], s.w[1], s.w[2], s.w[3]);
    out[plane + e] = make_uint4(s.w[4], s.w[5], s.w[6], s.w[7]);
    out[2 * plane + e] = make_uint4(s.quot[0], s.quot[1], s.quot[2], s.quot[3]);
    out[3 * plane + e] = make_uint4(s.quot[4], s.quot[5], s.quot[6], s.quot[7]);
}

// A factor as a table keeps it.
template <class T>
__device__ __forceinline__ T kept(const Fr& f);
template <>
__device__ __forceinline__ Fr kept<Fr>(const Fr& f) {
    return f;
}
template <>
__device__ __forceinline__ Shoup kept<Shoup>(const Fr& f) {
    return Shoup::make(f);
}

// out[i] = scale·G^(rev(row)·(2·col + odd)): all twiddles of a pass.
template <class T>
__global__ void k_twiddles(T* out, Fr g, Fr scale, Pass pass, int odd) {
    const size_t n = size_t(1) << pass.bits(), step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = kept<T>(g.pow(pass.exponent(i, odd)) * scale);
}

// out[i] = scale·g^i for i < 2^bits
__global__ void k_powers(Shoup* out, Fr g, Fr scale, int bits) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size_t(1) << bits) out[i] = Shoup::make(g.pow(i) * scale);
}

// The factors scale·g^rev(m) of the contiguous pass, in its order.
__global__ void k_tile(Shoup* out, Fr g, Fr scale, int k) {
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m < 1 << k) out[tile_place(k, m)] = Shoup::make(g.pow(__brev((uint32_t)m) >> (32 - k)) * scale);
}

} // namespace ntt
} // namespace cuzk
