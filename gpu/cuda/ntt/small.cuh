// Transforms of at most one tile: a single block, one stage at a time. Nothing
// in production is this small; tests and tiny circuits are.
#pragma once
#include "tile.cuh"

namespace cuzk {
namespace ntt {

constexpr int SMALL_THREADS = 512;

// One block; n ≤ NTT_TILE. DIF is the inverse transform, DIT the forward one.
template <bool DIT>
__global__ void k_ntt_small(Fr* data, const uint4* roots, int n) {
    const uint32_t size = 1u << n;
    for (int i = 0; i < n; i++) {
        const int bit = DIT ? i : n - 1 - i;
        for (uint32_t t = threadIdx.x; t < size / 2; t += blockDim.x) {
            uint32_t low = t & ((1u << bit) - 1), i0 = (t >> bit << (bit + 1)) | low, i1 = i0 | 1u << bit;
            uint32_t e = low << (NTT_TILE - 1 - bit);
            if (!DIT) e = ROOTS - e;
            uint4 q[4];
            for (int p = 0; p < 4; p++) q[p] = roots[p * (ROOTS + 1) + e];
            const Shoup w = {{q[0].x, q[0].y, q[0].z, q[0].w, q[1].x, q[1].y, q[1].z, q[1].w},
                             {q[2].x, q[2].y, q[2].z, q[2].w, q[3].x, q[3].y, q[3].z, q[3].w}};
            Fr a = data[i0], b = data[i1];
            if (DIT) b = (FrLazy::from(b) * w).canonical();
            Fr s = a + b, d = DIT ? a - b : b - a;
            if (!DIT) d = (FrLazy::from(d) * w).canonical();
            data[i0] = s, data[i1] = d;
        }
        __syncthreads();
    }
}

// data[i] *= scale·g^(rev(i)) with g a power given by its base; single block.
__global__ void k_twist_small(Fr* data, Fr g, Fr scale, int n) {
    for (uint32_t i = threadIdx.x; i < (1u << n); i += blockDim.x) {
        uint32_t e = n ? __brev(i) >> (32 - n) : 0;
        data[i] = data[i] * g.pow(e) * scale;
    }
}

// out[i] = a[i]·b[i], and out[i] = (a[i] − b[i]).
__global__ void k_mul_small(Fr* out, const Fr* a, const Fr* b, size_t n) {
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) out[i] = a[i] * b[i];
}
__global__ void k_sub_small(Fr* out, const Fr* a, const Fr* b, size_t n) {
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) out[i] = a[i] - b[i];
}

} // namespace ntt
} // namespace cuzk
