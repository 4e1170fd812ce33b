// Field and curve arithmetic: device against the CPU twin (the same templates
// without the device code paths), and the twin against gnark-crypto's values.
#include "gnark.hpp"
#include "harness.hpp"

namespace cuzk {
namespace test {

template <class F>
__global__ void k_all(Results<F>* out, const F* a, const F* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = all(a[i], b[i]);
}

template <class P>
Field<P> edge(int i) { // 0, 1, p−1, 1 in Montgomery form, its negative, small ones
    Field<P> z = Field<P>::zero(), one = z;
    one.v[0] = 1;
    switch (i) {
    case 0: return z;
    case 1: return one;
    case 2: return z - one;
    case 3: return Field<P>::one();
    case 4: return Field<P>::one().neg();
    default:
        z.v[i % Field<P>::N] = 0xffffffffu;
        z.v[Field<P>::N - 1] &= 0x0fffffffu;
        return z;
    }
}

template <class F>
F draw(Rng& r, int i, int k) {
    if (k < 8) return edge<typename F::Params>(i ? k / 3 : k);
    return r.field<F>();
}
template <>
Fp2 draw<Fp2>(Rng& r, int i, int k) {
    return {draw<Fp>(r, i, k), draw<Fp>(r, !i, k)};
}

template <class F>
void twin(Report& rep, Rng& rng, const char* name) {
    const int n = 4096;
    std::vector<F> a(n), b(n);
    for (int i = 0; i < n; i++) a[i] = draw<F>(rng, 0, i % 64), b[i] = draw<F>(rng, 1, i / 64);
    Stream s;
    Buffer<F> da(n), db(n);
    Buffer<Results<F>> out(n);
    da.upload(a.data(), n, s), db.upload(b.data(), n, s);
    k_all<F><<<n / 64, 64, 0, s>>>(out, da, db, n);
    CUZK_LAUNCHED("k_all");
    std::vector<Results<F>> got(n);
    out.download(got.data(), n, s);
    s.wait();
    int bad = 0;
    for (int i = 0; i < n; i++) bad += !same(got[i], all(a[i], b[i]));
    rep.check(bad == 0, "%s: %d of %d differ from the twin", name, bad, n);
}

// Shoup products and lazy sums.
__global__ void k_lazy(Fr* out, const Fr* a, const Fr* b, const Shoup* w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    FrLazy x = FrLazy::from(a[i]), y = FrLazy::from(b[i]);
    x = (x - y) * w[i] + (x + x) * w[i] - (y + x) * w[i];
    out[i] = x.canonical();
}

void lazy(Report& rep, Rng& rng) {
    const int n = 4096;
    std::vector<Fr> a(n), b(n), f(n), got(n);
    std::vector<Shoup> w(n);
    for (int i = 0; i < n; i++) {
        a[i] = draw<Fr>(rng, 0, i % 64), b[i] = draw<Fr>(rng, 1, i / 64),
        f[i] = draw<Fr>(rng, 0, (i * 7 + i / 64) % 64);
        w[i] = Shoup::make(f[i]);
    }
    Stream s;
    Buffer<Fr> da(n), db(n), out(n);
    Buffer<Shoup> dw(n);
    da.upload(a.data(), n, s), db.upload(b.data(), n, s), dw.upload(w.data(), n, s);
    k_lazy<<<n / 64, 64, 0, s>>>(out, da, db, dw, n);
    CUZK_LAUNCHED("k_lazy");
    out.download(got.data(), n, s);
    s.wait();
    int bad = 0, host = 0;
    for (int i = 0; i < n; i++) {
        Fr want = (a[i] - b[i]) * f[i] + a[i].twice() * f[i] - (a[i] + b[i]) * f[i];
        bad += got[i] != want;
        host += (FrLazy::from(a[i]) * w[i]).canonical() != a[i] * f[i];
    }
    rep.check(bad == 0, "Shoup: %d of %d differ", bad, n);
    rep.check(host == 0, "Shoup on the host: %d of %d differ", host, n);
}

// Karatsuba on the device.
__global__ void k_karatsuba(uint32_t* bad, const Fp* a, const Fp* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t t[24], u[24];
    limbs_mul<12>(t, a[i].v, b[i].v);
    limbs_mul_karatsuba<12>(u, a[i].v, b[i].v);
    if (!limbs_equal<24>(t, u)) atomicAdd(bad, 1u);
}

void karatsuba(Report& rep, Rng& rng) {
    const int n = 4096;
    std::vector<Fp> a(n), b(n);
    for (int i = 0; i < n; i++) a[i] = draw<Fp>(rng, 0, i % 64), b[i] = draw<Fp>(rng, 1, i / 64);
    Stream s;
    Buffer<Fp> da(n), db(n);
    Buffer<uint32_t> bad(1);
    uint32_t count = 0;
    da.upload(a.data(), n, s), db.upload(b.data(), n, s), bad.upload(&count, 1, s);
    k_karatsuba<<<n / 64, 64, 0, s>>>(bad, da, db, n);
    CUZK_LAUNCHED("k_karatsuba");
    bad.download(&count, 1, s);
    s.wait();
    rep.check(count == 0, "Karatsuba: %u of %d differ", count, n);
}

void field_tests(Report& rep, Rng& rng, const std::string& vectors) {
    for (const GnarkResult& r : compare_with_gnark(vectors.c_str()))
        rep.check(r.bad == 0, "%s: %d values differ from gnark-crypto (−1: no or short file)", r.name, r.bad);
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        cudaGetLastError();
        printf("no device: the twin was compared with gnark-crypto only\n");
        return;
    }
    twin<Fp>(rep, rng, "Fp");
    twin<Fr>(rep, rng, "Fr");
    twin<Fp2>(rep, rng, "Fp2");
    lazy(rep, rng);
    karatsuba(rep, rng);
}

} // namespace test
} // namespace cuzk
