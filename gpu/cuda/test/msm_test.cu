// Multi-scalar multiplication and selected sums on the device. Bases are known
// multiples of the generator, so that every result has one answer: (Σ k_i·s_i)·G,
// computed by the CPU twin.
#include <algorithm>

#include "../msm/msm.hpp"
#include "points.hpp"

namespace cuzk {
namespace test {

template <class F>
static void one_msm(Report& rep, Rng& rng, Bench<F>& b, const char* name, uint32_t n, int c, int copies, Draw scalar,
                    Draw base, const char* what, size_t chunk) {
    std::vector<Fr> k(n), m(n);
    Fr want = Fr::zero();
    for (uint32_t i = 0; i < n; i++) {
        k[i] = scalar(rng, i), m[i] = base(rng, i);
        want = want + k[i] * m[i];
    }
    const msm::Windows w = rng.next() & 1 ? msm::Windows::narrow(c, copies) : msm::Windows::make(c, copies);
    Buffer<Affine<F>> p = b.points(m), out(1);
    Bases<F> bases(p, n, w, b.s);
    const int group = n % 2 ? w.sets : 1;
    MsmWorkspace<F> ws((size_t)n * w.digits_of(0, group), (size_t)w.buckets() * group, chunk);
    Buffer<Fr> d(n);
    d.upload(k.data(), n, b.s);
    Affine<F> got;
    bases.multiply(out, d, 0, n, ws, b.s);
    out.download(&got, 1, b.s);
    b.s.wait();
    rep.check(got == times_generator<F>(want), "%s msm n=%u c=%d copies=%d %s", name, n, c, copies, what);
}

template <class F>
static void one_sum(Report& rep, Rng& rng, Bench<F>& b, const char* name, uint32_t n, int density, Draw base,
                    const char* what, size_t chunk) {
    std::vector<uint64_t> bits((n + 63) / 64 + 1);
    std::vector<Fr> m(n);
    Fr want = Fr::zero();
    for (auto& x : bits) x = density == 0 ? 0 : density == 2 ? ~uint64_t(0) : rng.next();
    for (uint32_t i = 0; i < n; i++) {
        m[i] = base(rng, i);
        if (bits[i / 64] >> (i % 64) & 1) want = want + m[i];
    }
    Buffer<Affine<F>> p = b.points(m), out(1);
    Bases<F> bases(p, n, msm::Windows::make(16, 1), b.s);
    MsmWorkspace<F> ws(n, 1, chunk);
    Buffer<uint64_t> d(bits.size());
    d.upload(bits.data(), bits.size(), b.s);
    Affine<F> got;
    bases.select(out, d, 0, n, ws, b.s);
    out.download(&got, 1, b.s);
    b.s.wait();
    rep.check(got == times_generator<F>(want), "%s sum n=%u density=%d %s", name, n, density, what);
}

static uint32_t low_limb(const Fp& x) { return x.v[0]; }
static uint32_t low_limb(const Fp2& x) { return x.c0.v[0]; }

// Points whose abscissas agree in the low limb alone: what the levels take for
// equal at first sight. Their sums, with others around them.
template <class F>
static void alike(Report& rep, Rng& rng, Bench<F>& b, const char* name) {
    const uint32_t n = 1u << 18; // about eight pairs
    std::vector<Fr> k(n), m;
    for (auto& x : k) x = rng.field<Fr>();
    Buffer<Affine<F>> p = b.points(k);
    std::vector<Affine<F>> got(n);
    p.download(got.data(), n, b.s);
    b.s.wait();
    std::vector<uint32_t> order(n);
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](uint32_t i, uint32_t j) { return low_limb(got[i].x) < low_limb(got[j].x); });
    for (uint32_t i = 0; i + 1 < n; i++)
        if (low_limb(got[order[i]].x) == low_limb(got[order[i + 1]].x))
            m.insert(m.end(), {k[order[i]], k[order[i + 1]], k[i], k[i + 1]});
    rep.check(!m.empty(), "%s: no points alike among 2^18", name);
    one_msm<F>(
        rep, rng, b, name, (uint32_t)m.size(), 8, 1, [](Rng&, uint32_t) { return Fr::one(); },
        [&](Rng&, uint32_t i) { return m[i]; }, "alike points", 1 << 20);
}

// Every path of a sum with as little work as possible, for compute-sanitizer:
// lists that end in the middle of a chunk, sets by turns and together, a single
// set, equal, opposite and infinite points. Many copies keep k_join short.
template <class F>
static void tiny(Report& rep, Rng& rng, const char* name) {
    Bench<F> b(true);
    const Fr same = rng.field<Fr>();
    Draw opposite = [same](Rng&, uint32_t i) { return i & 1 ? same.neg() : same; };
    Draw equal = [same](Rng&, uint32_t) { return same; };
    one_msm<F>(rep, rng, b, name, 24, 8, 32, uniform, uniform, "uniform", 64);
    one_msm<F>(rep, rng, b, name, 11, 5, 26, mixed, mixed, "mixed, two sets together", 100);
    one_msm<F>(rep, rng, b, name, 10, 4, 32, mixed, uniform, "two sets by turns", 1 << 20);
    one_msm<F>(rep, rng, b, name, 9, 6, 43, equal, opposite, "P and −P", 64);
    one_sum<F>(rep, rng, b, name, 150, 1, mixed, "mixed points", 64);
    one_sum<F>(rep, rng, b, name, 70, 2, equal, "equal points", 1 << 20);
}

template <class F>
static void group(Report& rep, Rng& rng, const char* name) {
    if (rep.small) return tiny<F>(rep, rng, name);
    Bench<F> b;
    Fr same = rng.field<Fr>();
    Draw equal = [same](Rng&, uint32_t) { return same; };
    Draw opposite = [same](Rng&, uint32_t i) { return i & 1 ? same.neg() : same; };
    Draw one = [](Rng&, uint32_t) { return Fr::one(); };
    Draw last = [](Rng&, uint32_t) { return Fr::one().neg(); };
    Draw none = [](Rng&, uint32_t) { return Fr::zero(); };
    const size_t chunk = 1 << 20;
    alike(rep, rng, b, name);
    for (uint32_t n : {0u, 1u, 2u, 3u, 31u, 32u, 33u, 127u, 128u, 129u, 237u, 1023u, 1025u}) {
        one_msm<F>(rep, rng, b, name, n, 8, 1, uniform, uniform, "uniform", chunk);
        one_msm<F>(rep, rng, b, name, n, 5, 3, mixed, uniform, "mixed scalars", chunk);
        one_msm<F>(rep, rng, b, name, n, 11, 6, mixed, mixed, "mixed points", chunk);
        one_msm<F>(rep, rng, b, name, n, 6, 43, uniform, equal, "equal points", 100);
        one_msm<F>(rep, rng, b, name, n, 7, 2, one, opposite, "P and −P", 64);
        one_msm<F>(rep, rng, b, name, n, 9, 4, last, mixed, "r − 1", chunk, false);
        one_msm<F>(rep, rng, b, name, n, 4, 8, none, uniform, "zero scalars", chunk);
        for (int density = 0; density < 3; density++) {
            one_sum<F>(rep, rng, b, name, n, density, uniform, "uniform", chunk);
            one_sum<F>(rep, rng, b, name, n, density, mixed, "mixed points", 100);
            one_sum<F>(rep, rng, b, name, n, density, equal, "equal points", chunk);
            one_sum<F>(rep, rng, b, name, n, density, opposite, "P and −P", chunk);
        }
    }
    one_msm<F>(rep, rng, b, name, 50000, 13, 7, uniform, uniform, "uniform", 1 << 16);
    one_msm<F>(rep, rng, b, name, 65537, 16, 5, mixed, mixed, "mixed", 1 << 17);
    one_msm<F>(rep, rng, b, name, 20000, 20, 2, equal, uniform, "equal scalars", 1 << 13);
    one_sum<F>(rep, rng, b, name, 300000, 1, uniform, "uniform", 100000);
    one_sum<F>(rep, rng, b, name, 300000, 1, mixed, "mixed", chunk);
}

void msm_tests(Report& rep, Rng& rng) {
    group<Fp>(rep, rng, "G1");
    group<Fp2>(rep, rng, "G2");
}

// --- benchmarks ---

template <class F>
static void bench_msm(Report& rep, int log_n, int copies, int c, const char* name) {
    Bench<F> b;
    const uint32_t n = 1u << log_n;
    Buffer<Fr> m(n), k(n);
    k_scalars<<<4096, 128, 0, b.s>>>(m, 11, n);
    k_scalars<<<4096, 128, 0, b.s>>>(k, 12, n);
    Fr want = device_dot(m, k, nullptr, n, b.s);
    std::string tag = std::string(name) + "_2p" + std::to_string(log_n),
                detail = "_c" + std::to_string(c) + "_k" + std::to_string(copies);
    const msm::Windows w = msm::Windows::narrow(c, copies);
    auto load = [&] {
        Buffer<Affine<F>> p(n);
        b.multiples(p, m, n, b.s);
        Event from, to;
        from.record(b.s);
        Bases<F> bases(p, n, w, b.s);
        to.record(b.s);
        rep.value("msm_copies_" + tag + detail + "_ms", to.since(from), "ms");
        return bases;
    };
    Bases<F> bases = load();
    m = Buffer<Fr>();
    int group = 1; // sets at a time: a billion entries at most
    while (group < w.sets && (double)n * w.digits_of(0, group + 1) <= 1e9) group++;
    MsmWorkspace<F> ws((size_t)n * w.digits_of(0, group), (size_t)w.buckets() * group,
                       size_t(1) << (sizeof(F) == sizeof(Fp) ? 26 : 24));
    Buffer<Affine<F>> out(1);
    Affine<F> got;
    double ms = median_ms(b.s, 3, [&] { bases.multiply(out, k, 0, n, ws, b.s); });
    out.download(&got, 1, b.s);
    b.s.wait();
    rep.check(got == times_generator<F>(want), "%s msm 2^%d c=%d copies=%d", name, log_n, c, copies);
    const double adds = (double)n * w.windows;
    rep.value("msm_" + tag + detail + "_ms", ms, "ms", sizeof(F) == 48 ? adds * 6 / (ms / 1e3) / 27.6e9 : 0);
    rep.value("msm_workspace_" + tag + detail + "_gib", ws.bytes() / 1073741824.0, "GiB");
}

template <class F>
static void bench_sum(Report& rep, int log_n, const char* name) {
    Bench<F> b;
    const uint32_t n = 1u << log_n;
    Buffer<Fr> m(n), k(n / 256 + 1);
    k_scalars<<<4096, 128, 0, b.s>>>(m, 21, n);
    k_scalars<<<4096, 128, 0, b.s>>>(k, 22, n / 256 + 1);
    const uint64_t* bits = (const uint64_t*)k.get();
    Fr want = device_dot(m, nullptr, bits, n, b.s);
    Buffer<Affine<F>> p(n), out(1);
    b.multiples(p, m, n, b.s);
    Bases<F> bases(p, n, msm::Windows::make(16, 1), b.s);
    MsmWorkspace<F> ws(n, 1, size_t(1) << 27);
    Affine<F> got;
    double ms = median_ms(b.s, 5, [&] { bases.select(out, bits, 0, n, ws, b.s); });
    out.download(&got, 1, b.s);
    b.s.wait();
    rep.check(got == times_generator<F>(want), "%s sum 2^%d", name, log_n);
    rep.value(std::string("bitsum_") + name + "_2p" + std::to_string(log_n) + "_ms", ms, "ms",
              sizeof(F) == 48 ? n / 2.0 * 6 / (ms / 1e3) / 27.6e9 : 0);
}

void msm_bench(Report& rep, int log_n, int copies, int c, bool g2) {
    g2 ? bench_msm<Fp2>(rep, log_n, copies, c, "g2") : bench_msm<Fp>(rep, log_n, copies, c, "g1");
}
void sum_bench(Report& rep, int log_n, bool g2) {
    g2 ? bench_sum<Fp2>(rep, log_n, "g2") : bench_sum<Fp>(rep, log_n, "g1");
}

} // namespace test
} // namespace cuzk
