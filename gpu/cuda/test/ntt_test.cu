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

static std::vector<Fr> natural_order(const std::vector<Fr>& x, int n) {
    std::vector<Fr> y(x.size());
    for (size_t i = 0; i < x.size(); i++) y[i] = x[reversed(i, n)];
    return y;
}

struct Domain {
    Stream s;
    NttDomain dom;
    Fr w, g; // roots of orders n and 2n

    Domain(int n, bool small) : dom(n, s, small), w(root(n)), g(root(n + 1)) {}
    template <class Op>
    std::vector<Fr> run(const std::vector<Fr>& in, Op op) const {
        Buffer<Fr> d(in.size());
        std::vector<Fr> out(in.size());
        d.upload(in.data(), in.size(), s);
        op(d.get());
        d.download(out.data(), out.size(), s);
        s.wait();
        return out;
    }
};

static std::vector<Fr> random_values(Rng& rng, int n) {
    std::vector<Fr> v(size_t(1) << n);
    for (auto& x : v) x = rng.field<Fr>();
    if (n > 3) v[0] = Fr::zero(), v[1] = Fr::zero() - Fr::one(), v[2] = Fr::one();
    return v;
}

// The parts of the quotient one by one: coefficients whose polynomial has the
// given values, its values on the coset, and back.
static void transforms(Report& rep, Rng& rng, int n, bool small) {
    const Domain d(n, small);
    const cudaStream_t s = d.s;
    const std::vector<Fr> v = random_values(rng, n), u = random_values(rng, n), m = random_values(rng, n);
    const size_t size = v.size();
    const int probes = size < 64 ? (int)size : 24;
    auto half = d.run(v, [&](Fr* x) { d.dom.half_coefficients(x, nullptr, x, s); });
    auto coset = d.run(v, [&](Fr* x) { d.dom.to_coset(x, s); });
    std::vector<Fr> p = natural_order(half, n);
    for (auto& c : p) c = c.twice();
    int bad = 0, off = 0;
    for (int i = 0; i < probes; i++) { // values at random places: the polynomial itself
        const size_t j = size < 64 ? i : rng.next() % size;
        bad += v[j] != eval(p, d.w.pow(j)), off += coset[j] != eval(p, d.g * d.w.pow(j));
    }
    rep.check(bad == 0, "ntt 2^%d: %d of %d values wrong", n, bad, probes);
    rep.check(off == 0, "ntt 2^%d: %d of %d values on the coset wrong", n, off, probes);
    Buffer<Fr> minuend(size), factor(size);
    minuend.upload(m.data(), size, s), factor.upload(u.data(), size, s);
    auto rest = d.run(coset, [&](Fr* x) { d.dom.subtract_half_of_coset(x, nullptr, minuend, s); });
    bad = 0;
    for (size_t i = 0; i < size; i++) bad += rest[i] != m[i] - half[i];
    rep.check(bad == 0, "ntt 2^%d: %d coefficients differ after a turn on the coset", n, bad);
    std::vector<Fr> uv(size);
    for (size_t i = 0; i < size; i++) uv[i] = u[i] * v[i];
    auto product = d.run(v, [&](Fr* x) { d.dom.half_coefficients(x, factor, x, s); });
    rep.check(product == d.run(uv, [&](Fr* x) { d.dom.half_coefficients(x, nullptr, x, s); }),
              "ntt 2^%d: a factor in the inverse", n);
    product = d.run(v, [&](Fr* x) { d.dom.subtract_half_of_coset(x, factor, minuend, s); });
    rep.check(product == d.run(uv, [&](Fr* x) { d.dom.subtract_half_of_coset(x, nullptr, minuend, s); }),
              "ntt 2^%d: a factor on the coset", n);
}

// h must satisfy a(x)b(x) = c(x) + (x^n − 1)h(x) at a random x, where c
// interpolates a∘b.
static void quotient(Report& rep, Rng& rng, int n, bool small = false) {
    const Domain d(n, small);
    const cudaStream_t s = d.s;
    const std::vector<Fr> a = random_values(rng, n), b = random_values(rng, n);
    const size_t size = a.size();
    Buffer<Fr> db(size), dc(size);
    db.upload(b.data(), size, s);
    const auto h = natural_order(d.run(a, [&](Fr* x) { d.dom.quotient(x, db, dc, s); }), n);
    // barycentric: p(x) = (x^n − 1)/n · Σ v_i w^i/(x − w^i)
    Fr x = rng.field<Fr>(), xn = x, wi = Fr::one(), pa = Fr::zero(), pb = pa, pc = pa,
       inv_n = Fr::one().twice().pow(n).inv();
    for (int i = 0; i < n; i++) xn = xn.sqr();
    for (size_t i = 0; i < size; i++, wi = wi * d.w) {
        Fr t = wi * (x - wi).inv();
        pa = pa + a[i] * t, pb = pb + b[i] * t, pc = pc + a[i] * b[i] * t;
    }
    Fr z = xn - Fr::one(), f = z * inv_n;
    pa = pa * f, pb = pb * f, pc = pc * f;
    rep.check(pa * pb == pc + z * eval(h, x), "quotient 2^%d", n);
    rep.check(size < 2 || h[size - 1].is_zero(), "quotient 2^%d: degree too high", n);
}

// Sizes too large for the host: polynomials are evaluated on the device, and
// the quotient's identity holds at a random point.
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
// out[i] = x[2i] + t·x[2i+1]
__global__ void k_fold(Fr* out, const Fr* x, Fr t, size_t n) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = x[2 * i] + t * x[2 * i + 1];
}

// The polynomial with coefficients x in bit-reversed order, at t: neighbours are
// half the length apart. `room` holds as many.
static Fr device_eval(const Fr* x, int n, Fr t, Fr* room, cudaStream_t s) {
    std::vector<Fr> powers{t}; // t^(2^i)
    for (int i = 1; i < n; i++) powers.push_back(powers.back().sqr());
    for (int i = n - 1; i >= 0; i--) {
        Fr* to = room + ((n - i) % 2 ? 0 : size_t(1) << (n - 1));
        k_fold<<<1024, 128, 0, s>>>(to, x, powers[i], size_t(1) << i);
        x = to;
    }
    Fr r;
    CUZK_CHECK(cudaMemcpyAsync(&r, x, sizeof r, cudaMemcpyDeviceToHost, s));
    CUZK_CHECK(cudaStreamSynchronize(s));
    return r;
}

static void large(Report& rep, Rng& rng, int n, bool small) {
    const Domain d(n, small);
    const cudaStream_t s = d.s;
    const size_t size = d.dom.size();
    Buffer<Fr> a(size), b(size), c(size), room(size);
    const uint64_t seed[2] = {rng.next(), rng.next()};
    auto fill = [&] {
        k_fill<<<4096, 128, 0, s>>>(a, seed[0], size);
        k_fill<<<4096, 128, 0, s>>>(b, seed[1], size);
    };
    fill();
    Fr x = rng.field<Fr>(), p[3], value[4];
    size_t at[4];
    for (int i = 0; i < 4; i++) {
        at[i] = i == 0 ? 1 : rng.next() % size;
        a.download(&value[i], 1, d.s, at[i]);
    }
    d.dom.half_coefficients(a, b, c, s);
    p[2] = device_eval(c, n, x, room, s);
    d.dom.half_coefficients(a, nullptr, a, s);
    p[0] = device_eval(a, n, x, room, s);
    int bad = 0;
    for (int i = 0; i < 4; i++) bad += device_eval(a, n, d.w.pow(at[i]), room, s).twice() != value[i];
    rep.check(bad == 0, "ntt 2^%d: %d of 4 values wrong", n, bad);
    d.dom.half_coefficients(b, nullptr, b, s);
    p[1] = device_eval(b, n, x, room, s);
    fill();
    d.dom.quotient(a, b, c, s);
    const Fr h = device_eval(a, n, x, room, s), z = x.pow(size) - Fr::one();
    for (Fr& v : p) v = v.twice();
    rep.check(p[0] * p[1] == p[2] + z * h, "quotient 2^%d", n);
}

void ntt_tests(Report& rep, Rng& rng) {
    if (rep.small) {
        for (int n : {0, 3, NTT_TILE, NTT_TILE + 1}) transforms(rep, rng, n, false), quotient(rep, rng, n);
        return;
    }
    for (int n = 0; n <= 16; n++) transforms(rep, rng, n, false), quotient(rep, rng, n);
    for (bool small : {false, true}) transforms(rep, rng, 19, small), quotient(rep, rng, 19, small);
    for (int n = 17; n <= 28; n++)
        for (bool small : {false, true}) large(rep, rng, n, small);
}

// Shares count n/2·log n products a transform, at the rate of Montgomery's.
void ntt_bench(Report& rep, int from, int to) {
    for (int n = from; n <= to; n++) {
        Stream s;
        NttDomain dom(n, s), small(n, s, true);
        const size_t size = dom.size();
        Buffer<Fr> a(size), b(size), c(size);
        k_fill<<<4096, 128, 0, s>>>(a, 1, size);
        k_fill<<<4096, 128, 0, s>>>(b, 2, size);
        s.wait();
        const double products = (double)size / 2 * n, ceiling = 60.2e9; // Montgomery products per second
        std::string tail = "_2p" + std::to_string(n) + "_ms";
        auto bench = [&](const char* name, double transforms, auto work) {
            const double ms = median_ms(s, 5, work);
            rep.value(name + tail, ms, "ms", transforms * products / (ms / 1e3) / ceiling);
        };
        bench("ntt_dif", 1, [&] { dom.half_coefficients(a, nullptr, a, s); });
        bench("ntt_turn", 2, [&] { dom.to_coset(a, s); });
        bench("ntt_partition", 6, [&] { dom.quotient(a, b, c, s); });
        bench("ntt_partition_small_tables", 6, [&] { small.quotient(a, b, c, s); });
    }
}

} // namespace test
} // namespace cuzk
