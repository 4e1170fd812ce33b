// Transforms and quotient on the device against definitions on the CPU.
#include "../ntt/domain.hpp"
#include "harness.hpp"

namespace cuzk {
namespace test {

static Fr root(int k) {
    Fr w;
    for (int i = 0; i < 8; i++) w.v[i] = FrParams::root32(i);
    for (int i = k; i < 32; i++) w = w.sqr();
    return w;
}

static size_t reversed(size_t i, int bits) {
    size_t r = 0;
    for (int b = 0; b < bits; b++) r |= (i >> b & 1) << (bits - 1 - b);
    return r;
}

static Fr eval(const std::vector<Fr>& c, const Fr& x) {
    Fr r = Fr::zero();
    for (size_t i = c.size(); i-- > 0;) r = r * x + c[i];
    return r;
}

static std::vector<Fr> run(const std::vector<Fr>& in, Buffer<Fr>& d, Stream& s, void (*op)(const NttDomain&, Fr*, cudaStream_t),
                           const NttDomain& dom) {
    std::vector<Fr> out(in.size());
    d.upload(in.data(), in.size(), s);
    op(dom, d, s);
    d.download(out.data(), out.size(), s);
    s.wait();
    return out;
}

static void transforms(Report& rep, Rng& rng, int n, bool small) {
    Stream s;
    NttDomain dom(n, s, small);
    const size_t size = dom.size();
    std::vector<Fr> x(size);
    for (auto& v : x) v = rng.field<Fr>();
    if (n > 3) x[0] = Fr::zero(), x[1] = Fr::zero() - Fr::one(), x[2] = Fr::one();
    Buffer<Fr> d(size);
    Fr w = root(n);
    auto fwd = run(x, d, s, [](const NttDomain& t, Fr* p, cudaStream_t st) { t.to_reversed(p, false, st); }, dom);
    int bad = 0, probes = size < 64 ? (int)size : 24;
    for (int i = 0; i < probes; i++) {  // values at random places: the polynomial itself
        size_t j = size < 64 ? i : rng.next() % size;
        bad += fwd[reversed(j, n)] != eval(x, w.pow(j));
    }
    rep.check(bad == 0, "ntt 2^%d: %d of %d values wrong", n, bad, probes);
    auto back = run(fwd, d, s, [](const NttDomain& t, Fr* p, cudaStream_t st) { t.to_natural(p, true, st); }, dom);
    rep.check(back == x, "ntt 2^%d: inverse of forward is not the identity", n);
    // natural from reversed coefficients, and the inverse from natural values
    std::vector<Fr> xr(size);
    for (size_t i = 0; i < size; i++) xr[reversed(i, n)] = x[i];
    auto vals = run(xr, d, s, [](const NttDomain& t, Fr* p, cudaStream_t st) { t.to_natural(p, false, st); }, dom);
    bad = 0;
    for (size_t i = 0; i < size; i++) bad += vals[i] != fwd[reversed(i, n)];
    rep.check(bad == 0, "ntt 2^%d: the two orders disagree at %d points", n, bad);
    auto coefs = run(vals, d, s, [](const NttDomain& t, Fr* p, cudaStream_t st) { t.to_reversed(p, true, st); }, dom);
    rep.check(coefs == xr, "ntt 2^%d: inverse to reversed order is not the identity", n);
}

// h must satisfy a(x)b(x) = c(x) + (x^n − 1)h(x) at a random x, where c
// interpolates a∘b.
static void quotient(Report& rep, Rng& rng, int n, bool small = false) {
    Stream s;
    NttDomain dom(n, s, small);
    const size_t size = dom.size();
    std::vector<Fr> a(size), b(size), c(size), h(size);
    for (size_t i = 0; i < size; i++) a[i] = rng.field<Fr>(), b[i] = rng.field<Fr>(), c[i] = a[i] * b[i];
    Buffer<Fr> da(size), db(size), dc(size);
    da.upload(a.data(), size, s), db.upload(b.data(), size, s);
    dom.quotient(da, db, dc, s);
    da.download(h.data(), size, s);
    s.wait();
    // barycentric: p(x) = (x^n − 1)/n · Σ v_i w^i/(x − w^i)
    Fr x = rng.field<Fr>(), xn = x, w = root(n), wi = Fr::one(), pa = Fr::zero(), pb = pa, pc = pa, inv_n = Fr::one().twice().pow(n).inv();
    for (int i = 0; i < n; i++) xn = xn.sqr();
    for (size_t i = 0; i < size; i++, wi = wi * w) {
        Fr t = wi * (x - wi).inv();
        pa = pa + a[i] * t, pb = pb + b[i] * t, pc = pc + c[i] * t;
    }
    Fr z = xn - Fr::one(), f = z * inv_n;
    pa = pa * f, pb = pb * f, pc = pc * f;
    std::vector<Fr> natural(size);
    for (size_t i = 0; i < size; i++) natural[i] = h[reversed(i, n)];
    rep.check(pa * pb == pc + z * eval(natural, x), "quotient 2^%d", n);
    rep.check(size < 2 || natural[size - 1].is_zero(), "quotient 2^%d: degree too high", n);
}

// Sizes too large for the definition: forward then inverse on the device, a
// probe of the constant term and one value by the sum of all inputs.
__global__ void k_fill(Fr* x, uint64_t seed, size_t n) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        uint64_t z = seed + i * 0x9e3779b97f4a7c15ull;
        Fr f;
        for (int k = 0; k < 4; k++) {
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull, z = (z ^ (z >> 27)) * 0x94d049bb133111ebull, z ^= z >> 31;
            f.v[2 * k] = (uint32_t)z, f.v[2 * k + 1] = (uint32_t)(z >> 32);
        }
        f.v[7] &= 0x3fffffffu;
        x[i] = f;
    }
}
__global__ void k_differ(unsigned long long* bad, const Fr* x, const Fr* y, size_t n) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        if (x[i] != y[i]) atomicAdd(bad, 1ull);
}
// Σ x[i]·t^i over each thread's stretch, scaled: partial values of a polynomial.
__global__ void k_eval(Fr* out, const Fr* x, Fr t, size_t per) {
    size_t id = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    Fr r = Fr::zero();
    for (size_t i = per; i-- > 0;) r = r * t + x[id * per + i];
    out[id] = r * t.pow(id * per);
}

static Fr device_eval(const Fr* x, size_t n, Fr t, Stream& s) {
    const size_t threads = n < 65536 ? 256 : 65536;
    Buffer<Fr> part(threads);
    k_eval<<<threads / 128, 128, 0, s>>>(part, x, t, n / threads);
    std::vector<Fr> h(threads);
    part.download(h.data(), threads, s);
    s.wait();
    Fr r = Fr::zero();
    for (auto& v : h) r = r + v;
    return r;
}

static void large(Report& rep, Rng& rng, int n, bool small) {
    Stream s;
    NttDomain dom(n, s, small);
    const size_t size = dom.size();
    Buffer<Fr> x(size), y(size);
    Buffer<unsigned long long> bad(1);
    uint64_t seed = rng.next();
    k_fill<<<4096, 128, 0, s>>>(x, seed, size);
    k_fill<<<4096, 128, 0, s>>>(y, seed, size);
    dom.to_reversed(x, false, s);
    int wrong = 0;
    for (int i = 0; i < 4; i++) {
        size_t j = i == 0 ? 1 : rng.next() % size;
        Fr got;
        x.download(&got, 1, s, reversed(j, n));
        wrong += device_eval(y, size, root(n).pow(j), s) != got;
    }
    rep.check(wrong == 0, "ntt 2^%d: %d of 4 values wrong", n, wrong);
    dom.to_natural(x, true, s);
    CUZK_CHECK(cudaMemsetAsync(bad, 0, 8, s));
    k_differ<<<4096, 128, 0, s>>>(bad, x, y, size);
    unsigned long long count = 0;
    bad.download(&count, 1, s);
    s.wait();
    rep.check(count == 0, "ntt 2^%d: %llu points differ after forward and inverse", n, count);
}

void ntt_tests(Report& rep, Rng& rng) {
    if (rep.small) {
        for (int n : {0, 3, 11, 12}) transforms(rep, rng, n, false), quotient(rep, rng, n);
        return;
    }
    for (int n = 0; n <= 16; n++) transforms(rep, rng, n, false);
    for (int n = 19; n <= 20; n++) transforms(rep, rng, n, true);
    for (int n = 0; n <= 14; n++) quotient(rep, rng, n);
    quotient(rep, rng, 16);
    quotient(rep, rng, 19, true);
    for (int n = 18; n <= 24; n++)
        for (bool small : {false, true}) large(rep, rng, n, small);
    for (int n = 27; n <= 28; n++)
        for (bool small : {false, true}) large(rep, rng, n, small);
}

void ntt_bench(Report& rep, int from, int to) {
    for (int n = from; n <= to; n++) {
        Stream s;
        NttDomain dom(n, s), small(n, s, true);
        const size_t size = dom.size();
        Buffer<Fr> a(size), b(size), c(size);
        k_fill<<<4096, 128, 0, s>>>(a, 1, size);
        k_fill<<<4096, 128, 0, s>>>(b, 2, size);
        s.wait();
        const double products = (double)size / 2 * n, ceiling = 60.2e9;  // Montgomery products per second
        std::string tail = "_2p" + std::to_string(n) + "_ms";
        double f = median_ms(s, 5, [&] { dom.to_reversed(a, false, s); });
        rep.value("ntt_dif" + tail, f, "ms", products / (f / 1e3) / ceiling);
        f = median_ms(s, 5, [&] { dom.to_natural(a, false, s); });
        rep.value("ntt_dit" + tail, f, "ms", products / (f / 1e3) / ceiling);
        f = median_ms(s, 5, [&] { dom.quotient(a, b, c, s); });
        rep.value("ntt_partition" + tail, f, "ms", 6 * products / (f / 1e3) / ceiling);
        f = median_ms(s, 5, [&] { small.quotient(a, b, c, s); });
        rep.value("ntt_partition_small_tables" + tail, f, "ms", 6 * products / (f / 1e3) / ceiling);
    }
}

}  // namespace test
}  // namespace cuzk
