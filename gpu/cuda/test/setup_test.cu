// Multiples of fixed bases, and points as files have them.
#include "../setup/encoding.cuh"
#include "../setup/fixed.cuh"
#include "points.hpp"

namespace cuzk {
namespace test {

template <class F>
Multiples<F>::Multiples(size_t points, cudaStream_t s) : base_(new setup::FixedBase<F>(generator<F>(), points, s)) {}
template <class F>
Multiples<F>::~Multiples() = default;
template <class F>
void Multiples<F>::operator()(Affine<F>* out, const Fr* scalars, size_t n, cudaStream_t s) const {
    setup::Place<F> place;
    place.rest = out;
    base_->multiply({scalars, Fr::zero(), Fr::zero()}, 0, n, place, s);
}
template class Multiples<Fp>;
template class Multiples<Fp2>;

// Scalars of all kinds, and a sequence, through tables of several widths.
template <class F>
static void fixed_base(Report& rep, Rng& rng, const char* name, bool small) {
    Stream s;
    for (size_t points : {size_t(1), size_t(1) << 12, size_t(1) << 15, size_t(1) << 27}) {
        if (small && points > 1) break;
        const setup::FixedBase<F> base(generator<F>(), points, s);
        const uint32_t n = 42, from = 7;
        std::vector<Fr> k(n);
        for (uint32_t i = 0; i < n; i++) k[i] = mixed(rng, i);
        Buffer<Fr> d(n);
        Buffer<Affine<F>> p(2 * n);
        std::vector<Affine<F>> got(2 * n);
        d.upload(k.data(), n, s);
        setup::Place<F> place;
        place.rest = p;
        base.multiply({d, Fr::zero(), Fr::zero()}, 0, n, place, s);
        const Fr first = rng.field<Fr>(), ratio = rng.field<Fr>();
        place.rest = p + n, place.rest_first = from;
        base.multiply({nullptr, first, ratio}, from, n, place, s);
        p.download(got.data(), 2 * n, s);
        s.wait();
        int bad = 0;
        for (uint32_t i = 0; i < n; i++)
            bad += !(got[i] == times_generator<F>(k[i])) +
                   !(got[n + i] == times_generator<F>(first * ratio.pow(from + i)));
        rep.check(bad == 0, "%s fixed base of %d bits: %d of %d wrong", name, setup::digit_bits(points), bad, 2 * n);
    }
}

// Good points there and back, and faults: each is named with its reason, the
// first one before later ones.
template <class F>
static void encoding(Report& rep, Rng& rng, const char* name) {
    constexpr size_t size = setup::point_bytes<F>();
    const uint32_t n = 200;
    Stream s;
    std::vector<Affine<F>> p(n), got(n);
    for (uint32_t i = 0; i < n; i++) p[i] = i < 3 ? times_generator<F>(rng.field<Fr>()) : p[i % 3];
    std::vector<uint8_t> bytes(n * size), good(n * size), expected(size);
    for (uint32_t i = 0; i < n; i++) setup::encode_point(good.data() + i * size, p[i]);
    Buffer<uint8_t> d(bytes.size());
    Buffer<Affine<F>> out(n);
    Buffer<unsigned long long> bad(1);
    setup::Place<F> place;
    place.rest = out;
    auto decode = [&](const std::vector<uint8_t>& in) {
        unsigned long long first = 0;
        d.upload(in.data(), in.size(), s);
        CUZK_CHECK(cudaMemsetAsync(bad, 0xff, sizeof first, s));
        each(n, s, "decode", setup::Decode<F>{d, 0, place, bad});
        bad.download(&first, 1, s);
        out.download(got.data(), n, s);
        s.wait();
        return first;
    };
    rep.check(decode(good) == ~0ull && got == p, "%s decode: good points", name);
    CUZK_CHECK(cudaMemsetAsync(d, 0, bytes.size(), s));
    each(n, s, "encode", setup::Encode<F>{d, 0, place});
    d.download(bytes.data(), bytes.size(), s);
    s.wait();
    rep.check(bytes == good, "%s encode", name);
    for (int reason :
         {CUZK_CUDA_POINT_INFINITY, CUZK_CUDA_POINT_FLAGS, CUZK_CUDA_POINT_COORDINATE, CUZK_CUDA_POINT_CURVE}) {
        std::vector<uint8_t> broken = good;
        const uint32_t at = (uint32_t)(rng.next() % n);
        uint8_t* b = broken.data() + at * size;
        switch (reason) {
        case CUZK_CUDA_POINT_INFINITY: b[0] |= 0x40; break;
        case CUZK_CUDA_POINT_FLAGS: b[0] |= 0x80; break;
        case CUZK_CUDA_POINT_CURVE: b[size - 1] ^= 1; break;
        default:
            for (int i = 0; i < 48; i++) b[i] = i ? 0xff : 0x1f; // not below p
        }
        if (at < n - 1) broken[(n - 1) * size] |= 0x80;
        rep.check(decode(broken) == at * 8ull + reason, "%s decode: fault %d at %u not named", name, reason, at);
    }
}

void setup_tests(Report& rep, Rng& rng) {
    fixed_base<Fp>(rep, rng, "G1", rep.small);
    fixed_base<Fp2>(rep, rng, "G2", rep.small);
    encoding<Fp>(rep, rng, "G1");
    encoding<Fp2>(rep, rng, "G2");
}

// --- benchmarks ---

template <class F>
static void bench(Report& rep, int log_n, const char* name) {
    Stream s;
    const size_t n = size_t(1) << log_n;
    const std::string tag = std::string(name) + "_2p" + std::to_string(log_n) + "_ms";
    Buffer<Fr> k(n);
    Buffer<Affine<F>> p(n);
    Buffer<uint8_t> bytes(n * setup::point_bytes<F>());
    Buffer<unsigned long long> bad(1);
    k_scalars<<<4096, 128, 0, s>>>(k, 31, n);
    setup::Place<F> place;
    place.rest = p;
    const setup::FixedBase<F> base(generator<F>(), n, s);
    const double multiply = median_ms(s, 3, [&] { base.multiply({k, Fr::zero(), Fr::zero()}, 0, n, place, s); });
    rep.value("fixed_base_" + tag, multiply, "ms", sizeof(F) == 48 ? n * 180.0 / (multiply / 1e3) / 26.9e9 : 0);
    rep.value("encode_" + tag, median_ms(s, 3, [&] { each(n, s, "encode", setup::Encode<F>{bytes, 0, place}); }), "ms");
    CUZK_CHECK(cudaMemsetAsync(bad, 0xff, sizeof(unsigned long long), s));
    rep.value("decode_" + tag, median_ms(s, 3, [&] { each(n, s, "decode", setup::Decode<F>{bytes, 0, place, bad}); }),
              "ms");
    unsigned long long refused = 0;
    bad.download(&refused, 1, s);
    s.wait();
    rep.check(refused == ~0ull, "%s 2^%d: a point was refused", name, log_n);
    int wrong = 0;
    for (size_t i = 0; i < 50; i++) {
        const size_t at = i * (n - 1) / 49;
        Fr scalar;
        Affine<F> got;
        CUZK_CHECK(cudaMemcpy(&scalar, k + at, sizeof scalar, cudaMemcpyDeviceToHost));
        CUZK_CHECK(cudaMemcpy(&got, p + at, sizeof got, cudaMemcpyDeviceToHost));
        wrong += !(got == times_generator<F>(scalar));
    }
    rep.check(wrong == 0, "%s 2^%d: %d of 50 multiples are wrong", name, log_n, wrong);
}

void setup_bench(Report& rep, int log_n, bool g2) { g2 ? bench<Fp2>(rep, log_n, "g2") : bench<Fp>(rep, log_n, "g1"); }

} // namespace test
} // namespace cuzk
