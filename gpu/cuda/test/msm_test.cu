// Multi-scalar multiplication, selected sums, fixed bases and decoding on the
// device. Bases are known multiples of the generator, so that every result has
// one answer: (Σ k_i·s_i)·G, computed by the CPU twin.
#include <algorithm>
#include <functional>
#include <memory>

#include "../msm/msm.hpp"
#include "../srs/decode.hpp"
#include "../srs/fixed_base.hpp"
#include "harness.hpp"

namespace cuzk {
namespace test {

template <class F>
Affine<F> generator();
template <>
G1 generator<Fp>() {
    const uint32_t x[12] = {0xdb22c6bb, 0xfb3af00a, 0xf97a1aef, 0x6c55e83f, 0x171bac58, 0xa14e3a3f,
                            0x9774b905, 0xc3688c4f, 0x4fa9ac0f, 0x2695638c, 0x3197d794, 0x17f1d3a7};
    const uint32_t y[12] = {0x46c5e7e1, 0x0caa2329, 0xa2888ae4, 0xd03cc744, 0x2c04b3ed, 0x00db18cb,
                            0xd5d00af6, 0xfcf5e095, 0x741d8ae4, 0xa09e30ed, 0xe3aaa0f1, 0x08b3f481};
    G1 g;
    for (int i = 0; i < 12; i++) g.x.v[i] = x[i], g.y.v[i] = y[i];
    return {g.x.to_mont(), g.y.to_mont()};
}
template <>
G2 generator<Fp2>() {
    const uint32_t w[4][12] = {{0xc121bdb8, 0xd48056c8, 0xa805bbef, 0x0bac0326, 0x7ae3d177, 0xb4510b64,
                                0xfa403b02, 0xc6e47ad4, 0x2dc51051, 0x26080527, 0xf08f0a91, 0x024aa2b2},
                               {0x5d042b7e, 0xe5ac7d05, 0x13945d57, 0x334cf112, 0xdc7f5049, 0xb5da61bb,
                                0x9920b61a, 0x596bd0d0, 0x88274f65, 0x7dacd3a0, 0x52719f60, 0x13e02b60},
                               {0x08b82801, 0xe1935486, 0x3baca289, 0x923ac9cc, 0x5160d12c, 0x6d429a69,
                                0x8cbdd3a7, 0xadfd9baa, 0xda2e351a, 0x8cc9cdc6, 0x727d6e11, 0x0ce5d527},
                               {0xf05f79be, 0xaaa9075f, 0x5cec1da1, 0x3f370d27, 0x572e99ab, 0x267492ab,
                                0x85a763af, 0xcb3e287e, 0x2bc28b99, 0x32acd2b0, 0x2ea734cc, 0x0606c4a0}};
    Fp f[4];
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 12; i++) f[k].v[i] = w[k][i];
        f[k] = f[k].to_mont();
    }
    return {{f[0], f[1]}, {f[2], f[3]}};
}

// k·G for k in Montgomery form.
template <class F>
Affine<F> times_generator(const Fr& k) {
    Fr plain = k.from_mont();
    return multiply(generator<F>(), plain.v).affine();
}

using Draw = std::function<Fr(Rng&, uint32_t)>;

static Fr small(uint64_t x) {
    Fr r = Fr::zero();
    r.v[0] = (uint32_t)x, r.v[1] = (uint32_t)(x >> 32);
    return r.to_mont();
}
static Fr uniform(Rng& r, uint32_t) { return r.field<Fr>(); }
static Fr mixed(Rng& r, uint32_t i) {
    switch (i % 7) {
    case 0: return Fr::zero();
    case 1: return Fr::one();
    case 2: return Fr::one().neg();  // r − 1
    case 3: return small(r.next() & 0xffff);
    case 4: return small(r.next() & 3).neg();
    default: return r.field<Fr>();
    }
}

template <class F>
struct Bench {
    Stream s;
    std::unique_ptr<FixedBase<F>> fixed;

    // few: points come from the CPU, because half a million inversions for the
    // device's table take a memory checker minutes.
    explicit Bench(bool few = false) : fixed(few ? nullptr : new FixedBase<F>(generator<F>(), s)) {}

    // Points s_i·G for the given s_i.
    Buffer<Affine<F>> points(const std::vector<Fr>& k) {
        Buffer<Affine<F>> p(k.size());
        if (!fixed) {
            std::vector<Affine<F>> host(k.size());
            for (size_t i = 0; i < k.size(); i++) host[i] = times_generator<F>(k[i]);
            p.upload(host.data(), host.size(), s);
        } else {
            Buffer<Fr> d(k.size());
            d.upload(k.data(), k.size(), s);
            fixed->multiples(p, d, (uint32_t)k.size(), true, s);
        }
        s.wait();
        return p;
    }
};

template <class F>
static void fixed_base(Report& rep, Rng& rng, Bench<F>& b, const char* name) {
    std::vector<Fr> k(40);
    for (uint32_t i = 0; i < k.size(); i++) k[i] = mixed(rng, i);
    Buffer<Affine<F>> p = b.points(k);
    std::vector<Affine<F>> got(k.size());
    p.download(got.data(), got.size(), b.s);
    b.s.wait();
    int bad = 0;
    for (uint32_t i = 0; i < k.size(); i++) bad += !(got[i] == times_generator<F>(k[i]));
    rep.check(bad == 0, "%s fixed base: %d of 40 wrong", name, bad);
}

static void encode(std::vector<uint8_t>& out, const Fp& x) {
    Fp p = x.from_mont();
    for (int i = 11; i >= 0; i--)
        for (int s = 24; s >= 0; s -= 8) out.push_back((uint8_t)(p.v[i] >> s));
}
static void encode(std::vector<uint8_t>& out, const Fp2& x) { encode(out, x.c1), encode(out, x.c0); }

template <class F>
static void decoding(Report& rep, Rng& rng, Bench<F>& b, const char* name) {
    const uint32_t n = 200;
    std::vector<Affine<F>> p(n), got(n);
    std::vector<uint8_t> bytes;
    for (uint32_t i = 0; i < n; i++) {
        p[i] = i < 3 ? times_generator<F>(rng.field<Fr>()) : p[i % 3];
        encode(bytes, p[i].x), encode(bytes, p[i].y);
    }
    Buffer<uint8_t> d(bytes.size());
    Buffer<Affine<F>> out(n);
    Buffer<uint32_t> bad(1);
    auto run = [&](const std::vector<uint8_t>& in) {
        uint32_t first = 0;
        d.upload(in.data(), in.size(), b.s);
        decode_points<F>(out, d, n, bad, b.s);
        bad.download(&first, 1, b.s);
        out.download(got.data(), n, b.s);
        b.s.wait();
        return first;
    };
    rep.check(run(bytes) == DECODE_OK && got == p, "%s decode: good points", name);
    const size_t size = sizeof(Affine<F>);
    for (int kind = 0; kind < 4; kind++) {
        std::vector<uint8_t> broken = bytes;
        uint32_t at = (uint32_t)(rng.next() % n), later = n - 1;
        switch (kind) {
        case 0: broken[at * size] |= 0x80; break;                                              // compressed
        case 1: broken[at * size] |= 0x40; break;                                              // infinity
        case 2: broken[at * size + size - 1] ^= 1; break;                                      // off the curve
        default: for (int i = 0; i < 48; i++) broken[at * size + i] = i ? 0xff : 0x1f;          // not below p
        }
        broken[later * size] |= 0x80;
        rep.check(run(broken) == at, "%s decode: fault %d at %u not named", name, kind, at);
    }
}

template <class F>
static void one_msm(Report& rep, Rng& rng, Bench<F>& b, const char* name, uint32_t n, int c, int copies, Draw scalar, Draw base,
                    const char* what, size_t chunk, bool montgomery = true) {
    std::vector<Fr> k(n), m(n);
    Fr want = Fr::zero();
    for (uint32_t i = 0; i < n; i++) {
        k[i] = scalar(rng, i), m[i] = base(rng, i);
        want = want + k[i] * m[i];
        if (!montgomery) k[i] = k[i].from_mont();
    }
    msm::Windows w = msm::Windows::make(c, copies);
    Buffer<Affine<F>> p = b.points(m), out(1);
    Bases<F> bases(p, n, w, b.s);
    const int group = n % 2 ? w.sets : 1;
    MsmWorkspace<F> ws((size_t)n * w.digits_of(0, group), (size_t)w.buckets() * group, chunk);
    Buffer<Fr> d(n);
    d.upload(k.data(), n, b.s);
    Affine<F> got;
    bases.multiply(out, d, 0, n, montgomery, ws, b.s);
    out.download(&got, 1, b.s);
    b.s.wait();
    rep.check(got == times_generator<F>(want), "%s msm n=%u c=%d copies=%d %s", name, n, c, copies, what);
}

template <class F>
static void one_sum(Report& rep, Rng& rng, Bench<F>& b, const char* name, uint32_t n, int density, Draw base, const char* what,
                    size_t chunk) {
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
    const uint32_t n = 1u << 18;  // about eight pairs
    std::vector<Fr> k(n), m;
    for (auto& x : k) x = rng.field<Fr>();
    Buffer<Affine<F>> p = b.points(k);
    std::vector<Affine<F>> got(n);
    p.download(got.data(), n, b.s);
    b.s.wait();
    std::vector<uint32_t> order(n);
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    std::sort(order.begin(), order.end(), [&](uint32_t i, uint32_t j) { return low_limb(got[i].x) < low_limb(got[j].x); });
    for (uint32_t i = 0; i + 1 < n; i++)
        if (low_limb(got[order[i]].x) == low_limb(got[order[i + 1]].x)) m.insert(m.end(), {k[order[i]], k[order[i + 1]], k[i], k[i + 1]});
    rep.check(!m.empty(), "%s: no points alike among 2^18", name);
    one_msm<F>(rep, rng, b, name, (uint32_t)m.size(), 8, 1, [](Rng&, uint32_t) { return Fr::one(); }, [&](Rng&, uint32_t i) { return m[i]; },
               "alike points", 1 << 20);
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
    one_msm<F>(rep, rng, b, name, 10, 4, 32, mixed, uniform, "two sets by turns", 1 << 20, false);
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

template <class F>
static void setup(Report& rep, Rng& rng, const char* name) {
    Bench<F> b;
    fixed_base(rep, rng, b, name);
    decoding(rep, rng, b, name);
}
void setup_tests(Report& rep, Rng& rng) {
    setup<Fp>(rep, rng, "G1");
    setup<Fp2>(rep, rng, "G2");
}

// --- benchmarks ---

__global__ void k_scalars(Fr* x, uint64_t seed, size_t n) {
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
__global__ void k_dot(Fr* out, const Fr* a, const Fr* b, const uint64_t* bits, size_t n) {
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
static Fr device_dot(const Fr* a, const Fr* b, const uint64_t* bits, size_t n, Stream& s) {
    Buffer<Fr> part(65536);
    k_dot<<<512, 128, 0, s>>>(part, a, b, bits, n);
    std::vector<Fr> h(65536);
    part.download(h.data(), h.size(), s);
    s.wait();
    Fr r = Fr::zero();
    for (auto& v : h) r = r + v;
    return r;
}

template <class F>
static void bench_msm(Report& rep, int log_n, int copies, int c, const char* name) {
    Bench<F> b;
    const uint32_t n = 1u << log_n;
    Buffer<Fr> m(n), k(n);
    k_scalars<<<4096, 128, 0, b.s>>>(m, 11, n);
    k_scalars<<<4096, 128, 0, b.s>>>(k, 12, n);
    Fr want = device_dot(m, k, nullptr, n, b.s);
    std::string tag = std::string(name) + "_2p" + std::to_string(log_n), detail = "_c" + std::to_string(c) + "_k" + std::to_string(copies);
    msm::Windows w = msm::Windows::make(c, copies);
    auto load = [&] {
        Buffer<Affine<F>> p(n);
        double ms = median_ms(b.s, 1, [&] { b.fixed->multiples(p, m, n, true, b.s); });
        rep.value("fixed_base_" + tag + "_ms", ms, "ms");
        Event from, to;
        from.record(b.s);
        Bases<F> bases(p, n, w, b.s);
        to.record(b.s);
        rep.value("msm_copies_" + tag + detail + "_ms", to.since(from), "ms");
        return bases;
    };
    Bases<F> bases = load();
    m = Buffer<Fr>();
    int group = 1;  // sets at a time: a billion entries at most
    while (group < w.sets && (double)n * w.digits_of(0, group + 1) <= 1e9) group++;
    MsmWorkspace<F> ws((size_t)n * w.digits_of(0, group), (size_t)w.buckets() * group, size_t(1) << 28);
    Buffer<Affine<F>> out(1);
    Affine<F> got;
    double ms = median_ms(b.s, 3, [&] { bases.multiply(out, k, 0, n, true, ws, b.s); });
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
    b.fixed->multiples(p, m, n, true, b.s);
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
void sum_bench(Report& rep, int log_n, bool g2) { g2 ? bench_sum<Fp2>(rep, log_n, "g2") : bench_sum<Fp>(rep, log_n, "g1"); }

}  // namespace test
}  // namespace cuzk
