// Bucket reduction by both ways, against the CPU twin: buckets are known
// multiples of the generator.
#include "../msm/lists.cuh"
#include "../msm/bucket_reduction.hpp"
#include "points.hpp"

namespace cuzk {
namespace test {

// Memory as a sum with levels of `chunk` entries has it.
template <class F>
struct ReductionMemory {
    size_t chunk;
    Buffer<Affine<F>> sums;
    Buffer<uint2> pairs;
    Buffer<uint32_t> counts{32};
    Buffer<Xyzz<F>> parts, mid{1024}, sets;

    ReductionMemory(int group, size_t chunk)
        : chunk(chunk),
          sums(chunk + msm::levels_padding(chunk)),
          pairs(sums.size()),
          parts(msm::REDUCTION_PARTS),
          sets(group) {}
    msm::ReductionWork<F> room() const { return {sums, pairs, chunk, counts, parts, parts.size(), mid}; }
};

// What the i-th bucket of all holds, as a multiple of the generator.
using Fill = std::function<Fr(Rng&, uint32_t)>;

template <class F>
static void one_weighing(Report& rep, Rng& rng, Bench<F>& b, const char* name, int bits, int group, size_t chunk,
                         Fill fill, const char* what) {
    const uint32_t n = (uint32_t)group << bits;
    std::vector<Fr> m(n), want(group, Fr::zero());
    for (uint32_t i = 0; i < n; i++) {
        m[i] = fill(rng, i);
        want[i >> bits] = want[i >> bits] + small(i % (1u << bits) + 1) * m[i];
    }
    Buffer<Affine<F>> buckets = b.points(m);
    const ReductionMemory<F> memory(group, chunk);
    const bool possible = msm::MarginalCut::make(bits, group, chunk, memory.parts.size()).sets > 0;
    for (bool levels : {false, true}) {
        if (levels && !possible) continue;
        std::vector<Xyzz<F>> got(group);
        (levels ? msm::reduce_by_trees<F> : msm::reduce_by_running_sums<F>)(memory.sets, buckets, bits, group,
                                                                            memory.room(), b.s);
        memory.sets.download(got.data(), group, b.s);
        b.s.wait();
        int bad = 0;
        for (int g = 0; g < group; g++) bad += !(got[g].affine() == times_generator<F>(want[g]));
        rep.check(bad == 0, "%s bucket reduction %s 2^%d × %d, chunk %zu, %s: %d sets wrong", name,
                  levels ? "by trees" : "by running sums", bits, group, chunk, what, bad);
    }
}

template <class F>
static void reductions(Report& rep, Rng& rng, const char* name) {
    Bench<F> b(rep.small);
    const Fr same = rng.field<Fr>();
    const uint32_t full = (uint32_t)rng.next();
    const Fill none = [](Rng&, uint32_t) { return Fr::zero(); };
    const Fill equal = [same](Rng&, uint32_t) { return same; };
    const Fill opposite = [same](Rng&, uint32_t i) { return i & 1 ? same.neg() : same; };
    struct {
        int bits, group;
        size_t chunk;
    } const sizes[] = {{0, 1, 64},   {1, 1, 64},      {2, 1, 64},       {3, 2, 64},       {5, 3, 64},      {6, 1, 128},
                       {7, 2, 1000}, {8, 5, 1 << 12}, {9, 40, 1 << 13}, {11, 1, 1 << 10}, {12, 3, 1 << 14}};
    for (const auto& z : sizes) {
        if (rep.small && z.bits > 6) break;
        const uint32_t n = (uint32_t)z.group << z.bits;
        const Fill single = [&](Rng&, uint32_t i) { return i == full % n ? same : Fr::zero(); };
        one_weighing<F>(rep, rng, b, name, z.bits, z.group, z.chunk, uniform, "uniform");
        one_weighing<F>(rep, rng, b, name, z.bits, z.group, z.chunk, mixed, "mixed");
        one_weighing<F>(rep, rng, b, name, z.bits, z.group, z.chunk, none, "empty");
        one_weighing<F>(rep, rng, b, name, z.bits, z.group, z.chunk, single, "one bucket");
        one_weighing<F>(rep, rng, b, name, z.bits, z.group, z.chunk, equal, "equal");
        one_weighing<F>(rep, rng, b, name, z.bits, z.group, z.chunk, opposite, "P and −P");
    }
}

void reduction_tests(Report& rep, Rng& rng) {
    reductions<Fp>(rep, rng, "G1");
    reductions<Fp2>(rep, rng, "G2");
}

static __global__ void k_weights(Fr* w, int bits, size_t n) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        w[i] = FrCanonical::of((i & ((size_t(1) << bits) - 1)) + 1).to_montgomery();
    }
}

// Both ways over the same full buckets.
template <class F>
static void bench_reduction(Report& rep, int bits, int group, const char* name) {
    Bench<F> b;
    const size_t n = (size_t)group << bits;
    Buffer<Fr> m(n), w(n);
    Buffer<Affine<F>> buckets(n);
    k_scalars<<<4096, 128, 0, b.s>>>(m, 31, n);
    k_weights<<<4096, 128, 0, b.s>>>(w, bits, n);
    const Affine<F> want = times_generator<F>(device_dot(m, w, nullptr, n, b.s));
    b.multiples(buckets, m, n, b.s);
    m = Buffer<Fr>(), w = Buffer<Fr>();
    const ReductionMemory<F> memory(group, size_t(1) << 25);
    auto one = [&](const char* way, auto reduce) {
        const double ms =
            median_ms(b.s, 5, [&] { reduce_buckets(memory.sets, buckets, bits, group, memory.room(), b.s); });
        std::vector<Xyzz<F>> got(group);
        memory.sets.download(got.data(), group, b.s);
        b.s.wait();
        for (int g = 1; g < group; g++) got[0].add(got[g]);
        rep.check(got[0].affine() == want, "%s bucket reduction by %s 2^%d × %d", name, way, bits, group);
        rep.value(std::string("reduction_") + way + "_" + name + "_2p" + std::to_string(bits) + "x" +
                      std::to_string(group) + "_ms",
                  ms, "ms");
    };
    one("running_sums", msm::reduce_by_running_sums<F>);
    one("trees", msm::reduce_by_trees<F>);
}
void reduction_bench(Report& rep, int bits, int group, bool g2) {
    g2 ? bench_reduction<Fp2>(rep, bits, group, "g2") : bench_reduction<Fp>(rep, bits, group, "g1");
}

} // namespace test
} // namespace cuzk
