// Definitions of fixed_base.hpp.
#pragma once
#include "../msm/levels.cuh"
#include "../msm/digits.cuh"
#include "fixed_base.hpp"

namespace cuzk {
namespace srs {

constexpr int WINDOW = 16, WINDOWS = 16, ENTRIES = 1 << (WINDOW - 1);

// starts[w] = 2^(16·w)·base
template <class F>
__global__ void k_starts(Affine<F>* starts, Affine<F> base) {
    Xyzz<F> p = Xyzz<F>::from(base);
#pragma unroll 1
    for (int w = 0; w < WINDOWS; w++) {
        starts[w] = p.affine();
#pragma unroll 1
        for (int i = 0; i < WINDOW; i++) p = p.twice();
    }
}
// table[w][d − 1] = d·starts[w]
template <class F>
__global__ void __launch_bounds__(128) k_table(Affine<F>* table, const Affine<F>* starts) {
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    table[i] = Xyzz<F>::from(starts[i / ENTRIES]).times(i % ENTRIES + 1, WINDOW).affine();
}

template <class F>
__global__ void __launch_bounds__(msm::LEVEL_THREADS) k_multiples(Affine<F>* out, const Affine<F>* table, const Fr* scalars,
                                                                  uint32_t n, bool montgomery, msm::Windows w) {
    __shared__ F shared[2 * msm::LEVEL_THREADS];
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    Fr k = i < n ? scalars[i] : Fr::zero();
    if (montgomery) k = k.from_mont();
    const msm::Recoder r(k, w);
    Xyzz<F> p = Xyzz<F>::infinity();
#pragma unroll 1
    for (int j = 0; j < WINDOWS; j++) {
        int32_t d = r.digit(j, WINDOW);
        if (d == 0) continue;
        Affine<F> q = table[(size_t)j * ENTRIES + (d < 0 ? -d : d) - 1];
        q.y = q.y.neg_if(d < 0);
        p.add(q);
    }
    const bool finite = !p.is_infinity();
    F inv = msm::block_inverse(finite ? p.zz * p.zzz : F::one(), shared, blockIdx.x);
    if (i < n) out[i] = finite ? Affine<F>{p.x * inv * p.zzz, p.y * inv * p.zz} : Affine<F>::infinity();
}

}  // namespace srs

template <class F>
FixedBase<F>::FixedBase(const Affine<F>& base, cudaStream_t s) : table_((size_t)srs::WINDOWS * srs::ENTRIES) {
    Buffer<Affine<F>> starts(srs::WINDOWS);
    srs::k_starts<F><<<1, 1, 0, s>>>(starts, base);
    srs::k_table<F><<<srs::WINDOWS * srs::ENTRIES / 128, 128, 0, s>>>(table_, starts);
    CUZK_LAUNCHED("k_table");
    CUZK_CHECK(cudaStreamSynchronize(s));  // starts is freed here
}

template <class F>
void FixedBase<F>::multiples(Affine<F>* out, const Fr* scalars, uint32_t n, bool montgomery, cudaStream_t s) const {
    if (n == 0) return;
    srs::k_multiples<F><<<blocks_for(n, msm::LEVEL_THREADS), msm::LEVEL_THREADS, 0, s>>>(
        out, table_, scalars, n, montgomery, msm::Windows::make(srs::WINDOW, srs::WINDOWS));
    CUZK_LAUNCHED("k_multiples");
}

}  // namespace cuzk
