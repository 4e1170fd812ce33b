// Arithmetic in registers: the ceilings that the other kernels are held against.
#include "harness.hpp"

namespace cuzk {
namespace test {

struct FpKaratsuba : FpParams {
    static constexpr bool KARATSUBA = true;
};
struct FrKaratsuba : FrParams {
    static constexpr bool KARATSUBA = true;
};
using FpK = Field<FpKaratsuba>;
using FrK = Field<FrKaratsuba>;

template <class F>
struct Mul {
    using T = F;
    static __device__ __forceinline__ void step(F& a, const F& b) { a = a * b; }
};
template <class F>
struct Sqr {
    using T = F;
    static __device__ __forceinline__ void step(F& a, const F&) { a = a.sqr(); }
};
template <class F>
struct Inv {
    using T = F;
    static __device__ __forceinline__ void step(F& a, const F& b) { a = a.inv() + b; }
};
template <class F>
struct AddSub {
    using T = F;
    static __device__ __forceinline__ void step(F& a, const F& b) { a = (a + b) - (b - a); }
};

template <class Op>
__global__ void __launch_bounds__(128) k_chain(typename Op::T* x, int n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    auto a = x[i], b = a;
#pragma unroll 1
    for (int k = 0; k < n; k++) Op::step(a, b);
    x[i] = a;
}
__global__ void __launch_bounds__(128) k_chain_shoup(FrLazy* x, const Shoup* w, int n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    FrLazy a = x[i];
    Shoup s = w[threadIdx.x];
#pragma unroll 1
    for (int k = 0; k < n; k++) a = a * s;
    x[i] = a;
}
template <class F>
__global__ void __launch_bounds__(128, 3) k_chain_xyzz(Affine<F>* x, int n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    Affine<F> a = x[i];
    Xyzz<F> s = Xyzz<F>::infinity();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        s.add(a);
        a.x.v[0] ^= (uint32_t)k, a.y.v[1] ^= (uint32_t)k; // not on the curve: only time matters
    }
    x[i] = {s.x + s.zz, s.y + s.zzz};
}

static void timed(Report& rep, const char* name, double ops_per_thread, unsigned blocks,
                  void (*launch)(void*, unsigned, int, cudaStream_t), int n, double ceiling) {
    Stream s;
    Buffer<uint32_t> mem((size_t)blocks * 128 * 48);
    std::vector<uint32_t> init(mem.size());
    Rng rng{7};
    for (auto& v : init) v = (uint32_t)rng.next() & 0x0fffffff;
    mem.upload(init.data(), init.size(), s);
    double ms = median_ms(s, 3, [&] { launch(mem.get(), blocks, n, s); });
    CUZK_LAUNCHED(name);
    double rate = ops_per_thread * n * blocks * 128.0 / ms / 1e6;
    rep.value(name, rate, "Gop/s", ceiling > 0 ? rate / ceiling : 0);
}

template <class Op>
static void chain(Report& rep, const char* name, int n, double ceiling) {
    timed(
        rep, name, 1, multiprocessors() * 16,
        [](void* m, unsigned b, int k, cudaStream_t s) { k_chain<Op><<<b, 128, 0, s>>>((typename Op::T*)m, k); }, n,
        ceiling);
}

void field_bench(Report& rep) {
    const unsigned blocks = multiprocessors() * 16;
    chain<Mul<Fp>>(rep, "fp_mul", 2000, 27.6);
    chain<Mul<FpK>>(rep, "fp_mul_karatsuba", 2000, 27.6);
    chain<Mul<FpCalled>>(rep, "fp_mul_called", 2000, 27.6);
    chain<Sqr<Fp>>(rep, "fp_sqr", 2000, 34.55);
    chain<AddSub<Fp>>(rep, "fp_3addsub", 4000, 144);
    chain<Inv<Fp>>(rep, "fp_inv", 40, 0);
    chain<Mul<Fr>>(rep, "fr_mul", 4000, 60.2);
    chain<Mul<FrK>>(rep, "fr_mul_karatsuba", 4000, 60.2);
    timed(
        rep, "fr_mul_shoup", 1, blocks,
        [](void* m, unsigned b, int k, cudaStream_t s) { k_chain_shoup<<<b, 128, 0, s>>>((FrLazy*)m, (Shoup*)m, k); },
        4000, 60.2);
    chain<Mul<Fp2>>(rep, "fp2_mul", 600, 0);
    timed(
        rep, "g1_xyzz_add", 1, blocks,
        [](void* m, unsigned b, int k, cudaStream_t s) { k_chain_xyzz<Fp><<<b, 128, 0, s>>>((Affine<Fp>*)m, k); }, 200,
        2.72);
    timed(
        rep, "g1_xyzz_add_karatsuba", 1, blocks,
        [](void* m, unsigned b, int k, cudaStream_t s) { k_chain_xyzz<FpK><<<b, 128, 0, s>>>((Affine<FpK>*)m, k); },
        200, 2.72);
}

} // namespace test
} // namespace cuzk
