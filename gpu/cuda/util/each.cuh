// Elementwise kernels: a body that is called once per index.
//
// Everything that needs no cooperation between threads is written this way, so
// that the same source also compiles for the host, where a launch is a loop.
#pragma once
#include "../ff/limbs.cuh"
#include "device.cuh"

namespace cuzk {

constexpr unsigned EACH_THREADS = 256;

#ifdef __CUDACC__
template <unsigned THREADS, unsigned BLOCKS, class Body>
__global__ void __launch_bounds__(THREADS, BLOCKS) k_each(size_t n, Body body) {
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) body(i);
}
#endif

// body(0) … body(n−1) in any order; body is copied to the device. Blocks have
// THREADS threads, and registers suffice for BLOCKS of them in a multiprocessor.
template <unsigned THREADS = EACH_THREADS, unsigned BLOCKS = 1, class Body>
void each(size_t n, cudaStream_t s, const char* name, const Body& body) {
    if (n == 0) return;
#ifdef __CUDACC__
    k_each<THREADS, BLOCKS><<<blocks_for(n, THREADS), THREADS, 0, s>>>(n, body);
    CUZK_LAUNCHED(name);
#else
    CUZK_LAUNCHED(name);
#pragma omp parallel for if (n > 4096)
    for (size_t i = 0; i < n; i++) body(i);
#endif
}

CUZK_HD void atomic_or(uint32_t* p, uint32_t v) {
#ifdef __CUDA_ARCH__
    atomicOr(p, v);
#else
    __atomic_fetch_or(p, v, __ATOMIC_RELAXED);
#endif
}

CUZK_HD void atomic_min(unsigned long long* p, unsigned long long v) {
#ifdef __CUDA_ARCH__
    atomicMin(p, v);
#else
    unsigned long long old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (v < old && !__atomic_compare_exchange_n(p, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
#endif
}

CUZK_HD uint32_t popcount(uint32_t v) {
#ifdef __CUDA_ARCH__
    return (uint32_t)__popc(v);
#else
    return (uint32_t)__builtin_popcount(v);
#endif
}

// The low `bits` bits of i in reverse order.
CUZK_HD uint64_t reverse_bits(uint64_t i, int bits) {
#ifdef __CUDA_ARCH__
    return bits == 0 ? 0 : __brevll(i) >> (64 - bits);
#else
    uint64_t r = 0;
    for (int k = 0; k < bits; k++) r = r << 1 | (i >> k & 1);
    return r;
#endif
}

} // namespace cuzk
