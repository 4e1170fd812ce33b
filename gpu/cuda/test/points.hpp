// Points for tests and benchmarks: known multiples of the generators, so that
// every sum has one answer, computed by the CPU twin.
#pragma once
#include <functional>
#include <memory>

#include "harness.hpp"

namespace cuzk {
namespace setup {
template <class F>
class FixedBase;
}
namespace test {

template <class F>
Affine<F> generator();
template <>
inline G1 generator<Fp>() {
    const uint32_t x[12] = {0xdb22c6bb, 0xfb3af00a, 0xf97a1aef, 0x6c55e83f, 0x171bac58, 0xa14e3a3f,
                            0x9774b905, 0xc3688c4f, 0x4fa9ac0f, 0x2695638c, 0x3197d794, 0x17f1d3a7};
    const uint32_t y[12] = {0x46c5e7e1, 0x0caa2329, 0xa2888ae4, 0xd03cc744, 0x2c04b3ed, 0x00db18cb,
                            0xd5d00af6, 0xfcf5e095, 0x741d8ae4, 0xa09e30ed, 0xe3aaa0f1, 0x08b3f481};
    FpCanonical gx, gy;
    for (int i = 0; i < 12; i++) gx.v[i] = x[i], gy.v[i] = y[i];
    return {gx.to_montgomery(), gy.to_montgomery()};
}
template <>
inline G2 generator<Fp2>() {
    const uint32_t w[4][12] = {{0xc121bdb8, 0xd48056c8, 0xa805bbef, 0x0bac0326, 0x7ae3d177, 0xb4510b64, 0xfa403b02,
                                0xc6e47ad4, 0x2dc51051, 0x26080527, 0xf08f0a91, 0x024aa2b2},
                               {0x5d042b7e, 0xe5ac7d05, 0x13945d57, 0x334cf112, 0xdc7f5049, 0xb5da61bb, 0x9920b61a,
                                0x596bd0d0, 0x88274f65, 0x7dacd3a0, 0x52719f60, 0x13e02b60},
                               {0x08b82801, 0xe1935486, 0x3baca289, 0x923ac9cc, 0x5160d12c, 0x6d429a69, 0x8cbdd3a7,
                                0xadfd9baa, 0xda2e351a, 0x8cc9cdc6, 0x727d6e11, 0x0ce5d527},
                               {0xf05f79be, 0xaaa9075f, 0x5cec1da1, 0x3f370d27, 0x572e99ab, 0x267492ab, 0x85a763af,
                                0xcb3e287e, 0x2bc28b99, 0x32acd2b0, 0x2ea734cc, 0x0606c4a0}};
    Fp f[4];
    for (int k = 0; k < 4; k++) {
        FpCanonical c;
        for (int i = 0; i < 12; i++) c.v[i] = w[k][i];
        f[k] = c.to_montgomery();
    }
    return {{f[0], f[1]}, {f[2], f[3]}};
}

// k·G for k in Montgomery form.
template <class F>
Affine<F> times_generator(const Fr& k) {
    return multiply(generator<F>(), k.canonical().v).affine();
}

using Draw = std::function<Fr(Rng&, uint32_t)>;

inline Fr small(uint64_t x) { return FrCanonical::of(x).to_montgomery(); }
inline Fr uniform(Rng& r, uint32_t) { return r.field<Fr>(); }
inline Fr mixed(Rng& r, uint32_t i) {
    switch (i % 7) {
    case 0: return Fr::zero();
    case 1: return Fr::one();
    case 2: return Fr::one().neg(); // r − 1
    case 3: return small(r.next() & 0xffff);
    case 4: return small(r.next() & 3).neg();
    default: return r.field<Fr>();
    }
}

// out[i] = scalars[i]·G on the device; compiled in setup_test.cu alone.
template <class F>
class Multiples {
  public:
    // The table of the generator is made for about so many points.
    Multiples(size_t points, cudaStream_t s);
    ~Multiples();
    void operator()(Affine<F>* out, const Fr* scalars, size_t n, cudaStream_t s) const;

  private:
    std::unique_ptr<setup::FixedBase<F>> base_;
};

template <class F>
struct Bench {
    Stream s;
    Multiples<F> multiples;

    // few: a small table, because half a million inversions for the large one take
    // a memory checker minutes.
    explicit Bench(bool few = false) : multiples(few ? 1 << 10 : 1 << 27, s) {}

    // Points s_i·G for the given s_i.
    Buffer<Affine<F>> points(const std::vector<Fr>& k) {
        Buffer<Affine<F>> p(k.size());
        Buffer<Fr> d(k.size());
        d.upload(k.data(), k.size(), s);
        multiples(p, d, k.size(), s);
        s.wait();
        return p;
    }
};

static __global__ void k_scalars(Fr* x, uint64_t seed, size_t n) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        uint64_t z = seed + i * 0x9e3779b97f4a7c15ull;
        Fr f;
        for (int k = 0; k < 4; k++) {
            z += 0x9e3779b97f4a7c15ull;
            uint64_t y = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
            y = (y ^ (y >> 27)) * 0x94d049bb133111ebull, y ^= y >> 31;
            f.v[2 * k] = (uint32_t)y, f.v[2 * k + 1] = (uint32_t)(y >> 32);
            z ^= y;
        }
        f.v[7] &= 0x7fffffffu;
        f.reduce_once();
        x[i] = f;
    }
}
static __global__ void k_dot(Fr* out, const Fr* a, const Fr* b, const uint64_t* bits, size_t n) {
    size_t step = (size_t)gridDim.x * blockDim.x, id = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    Fr s = Fr::zero();
    for (size_t i = id; i < n; i += step) {
        if (bits) {
            if (bits[i / 64] >> (i % 64) & 1) s = s + a[i];
        } else {
            s = s + a[i] * b[i];
        }
    }
    out[id] = s;
}
inline Fr device_dot(const Fr* a, const Fr* b, const uint64_t* bits, size_t n, Stream& s) {
    Buffer<Fr> part(65536);
    k_dot<<<512, 128, 0, s>>>(part, a, b, bits, n);
    std::vector<Fr> h(65536);
    part.download(h.data(), h.size(), s);
    s.wait();
    Fr r = Fr::zero();
    for (auto& v : h) r = r + v;
    return r;
}

} // namespace test
} // namespace cuzk
