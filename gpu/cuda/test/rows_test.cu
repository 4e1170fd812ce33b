// Rows from templates on the device against a loop over all terms on the CPU.
#include <algorithm>

#include "../r1cs/rows.cuh"
#include "harness.hpp"

namespace cuzk {
namespace test {

namespace {

using namespace r1cs;

// What rows are made of: everything, bits (with coefficients ±1 in short rows),
// or scalars near the row (with coefficients in rows of three terms and more).
enum class Kind { MIXED, BITS, SCALARS };

// A circuit of random templates and calls, and a witness, in host memory. The
// first template is empty, the first rows of the others have the given lengths.
struct Random {
    Rng& rng;
    Kind kind;
    std::vector<Fr> coefs{Fr::one(), Fr::one().neg()}, inputs, scalars;
    std::vector<Template> templates;
    std::vector<Instance> calls;
    std::vector<uint32_t> wires, starts, bits;
    std::vector<Term> terms;
    uint32_t rows = 0;

    // spread: bits between the first bits of neighbouring calls
    Random(Rng& r, Kind k, const std::vector<uint32_t>& lengths, uint32_t n_templates, uint32_t n_calls,
           uint32_t spread = 15)
        : rng(r), kind(k) {
        for (int i = 0; i < 9; i++) coefs.push_back(rng.field<Fr>());
        for (int i = 0; i < 40; i++) inputs.push_back(rng.field<Fr>()), scalars.push_back(rng.field<Fr>());
        for (uint32_t i = 0; i < (n_calls * spread + 14000) / 32 + 1; i++) bits.push_back((uint32_t)rng.next());
        for (int i = 0; i < 60; i++) wires.push_back(mixed(4));
        for (uint32_t t = 0; t < n_templates; t++)
            add_template(t == 0 ? 0 : (uint32_t)lengths.size() + (kind == Kind::MIXED ? below(100) : 0), lengths);
        for (uint32_t i = 0; i < n_calls; i++) {
            const uint32_t t = kind == Kind::SCALARS ? n_templates - 1 : below(n_templates);
            calls.push_back(
                {t, rows, below(30), below(20), i * spread + below(600), kind == Kind::SCALARS ? rows : below(20)});
            rows += templates[t].rows;
        }
    }
    uint32_t below(uint32_t n) { return (uint32_t)(rng.next() % n); }
    uint32_t mixed(uint32_t kinds) {
        switch (below(kinds)) {
        case 0: return SRC_ONE | 0u;
        case 1: return SRC_INPUT | below(20);
        case 2: return SRC_SCALAR | below(20);
        case 3: return SRC_BIT | below(600);
        default: return SRC_WIRE | below(30);
        }
    }
    Term term(uint32_t row, uint32_t length) {
        if (kind == Kind::MIXED) return {mixed(6), below(below(2) ? 2 : (uint32_t)coefs.size())};
        if (kind == Kind::BITS)
            return {SRC_BIT | below(13000), below(length < LONG_ROW || below(2) ? 2 : (uint32_t)coefs.size())};
        return {SRC_SCALAR | (row - below(std::min(row + 1, 66u))),
                length < 3 ? below(2) : below((uint32_t)coefs.size())};
    }
    void add_template(uint32_t n, const std::vector<uint32_t>& lengths) {
        Template x{n, {0, 0}};
        for (uint32_t m = 0; m < 2; m++) {
            x.start[m] = (uint32_t)starts.size();
            for (uint32_t r = 0; r < n; r++) {
                starts.push_back((uint32_t)terms.size());
                const uint32_t length = kind == Kind::SCALARS && m == 1 ? 1
                                        : r < lengths.size()            ? lengths[r]
                                                                        : below(4);
                for (uint32_t k = length; k > 0; k--) terms.push_back(term(r, length));
            }
            starts.push_back((uint32_t)terms.size());
        }
        templates.push_back(x);
    }
    Source source() const {
        return {rows,         inputs.size(), templates.data(), templates.size(), calls.data(),
                calls.size(), starts.data(), starts.size(),    terms.data(),     terms.size()};
    }
};

template <class T>
Buffer<T> copy(const std::vector<T>& v, cudaStream_t s) {
    Buffer<T> b(v.size());
    if (!v.empty()) b.upload(v.data(), v.size(), s);
    return b;
}

// The same in device memory; n rows with the zeros at the end.
struct Copied {
    Stream s;
    Buffer<Fr> coefs, inputs, scalars;
    Buffer<Template> templates;
    Buffer<Instance> calls;
    Buffer<Term> terms;
    Buffer<uint32_t> wires, starts, bits;
    uint64_t rows;
    Rows spread;

    Copied(const Random& x, size_t n)
        : coefs(copy(x.coefs, s)),
          inputs(copy(x.inputs, s)),
          scalars(copy(x.scalars, s)),
          templates(copy(x.templates, s)),
          calls(copy(x.calls, s)),
          terms(copy(x.terms, s)),
          wires(copy(x.wires, s)),
          starts(copy(x.starts, s)),
          bits(copy(x.bits, s)),
          rows(x.rows),
          spread(x.source(), n, s) {
        s.wait();
    }
    void evaluate(Fr* a, Fr* b) const {
        spread.evaluate({rows, inputs.size(), calls.size(), coefs, templates, calls, wires, starts, terms},
                        {inputs, bits, scalars}, a, b, s);
    }
};

// Returns how many templates went by lanes.
size_t one_circuit(Report& rep, Rng& rng, const std::vector<uint32_t>& lengths, uint32_t templates, uint32_t calls) {
    const Random x(rng, Kind::MIXED, lengths, templates, calls);
    const size_t n = x.rows + x.inputs.size() + 100;
    const Copied d(x, n);
    const Stream& s = d.s;
    Buffer<Fr> a(n), b(n);
    CUZK_CHECK(cudaMemsetAsync(a, 0xff, a.bytes(), s));
    CUZK_CHECK(cudaMemsetAsync(b, 0xff, b.bytes(), s));
    d.evaluate(a, b);
    std::vector<Fr> got[2] = {std::vector<Fr>(n), std::vector<Fr>(n)},
                    want[2] = {std::vector<Fr>(n, Fr::zero()), std::vector<Fr>(n, Fr::zero())};
    a.download(got[0].data(), n, s), b.download(got[1].data(), n, s);
    s.wait();
    const Circuit c{x.rows,         x.inputs.size(), x.calls.size(),  x.coefs.data(), x.templates.data(),
                    x.calls.data(), x.wires.data(),  x.starts.data(), x.terms.data()};
    const Witness w{x.inputs.data(), x.bits.data(), x.scalars.data()};
    for (const Instance& in : x.calls)
        for (uint32_t m = 0; m < 2; m++)
            for (uint32_t r = 0; r < x.templates[in.tmpl].rows; r++) {
                const Range t = terms_of(c, in, m, r);
                Fr& sum = want[m][in.row + r];
                for (uint32_t k = t.begin; k < t.end; k++) { // a term at a time, each as a product
                    Partial p{Fr::zero(), 0};
                    p.add(c, w, in, x.terms[k]);
                    sum = p.units > 0 ? sum + Fr::one() : p.units < 0 ? sum - Fr::one() : sum + p.sum;
                }
            }
    for (size_t i = 0; i < x.inputs.size(); i++) want[0][x.rows + i] = x.inputs[i];
    for (int m = 0; m < 2; m++) {
        size_t bad = 0;
        for (size_t i = 0; i < n; i++) bad += got[m][i] != want[m][i];
        rep.check(bad == 0, "rows: %zu of %zu wrong in matrix %d, %u calls", bad, n, m, calls);
    }
    return d.spread.stripes();
}

} // namespace

void rows_tests(Report& rep, Rng& rng) {
    one_circuit(rep, rng, {0, 1, 2, 3}, 2, 1);
    one_circuit(rep, rng, {0, 1, 2, 11, 12, 13, 31, 32, 33, 64, 100, 929}, 5, 40);
    one_circuit(rep, rng, {200, 0, 0, 300}, 9, rep.small ? 10 : 500);
    // templates of products, for lanes: calls below, at and above a warp's, some templates only
    std::vector<uint32_t> hash(LANE_ROWS, 9);
    for (uint32_t i = 0; i < 40; i++) hash.push_back(30 + i);
    for (uint32_t calls : {31u, 32u, 33u}) one_circuit(rep, rng, hash, 2, 2 * calls);
    rep.check(one_circuit(rep, rng, hash, 2, 400) == 1, "rows: a template of products does not go by lanes");
    for (uint32_t i = 0; i < 3; i++) one_circuit(rep, rng, hash, 4, 130);
}

namespace {

void bench(Report& rep, const char* name, const Copied& d) {
    const size_t n = size_t(1) << 27;
    Buffer<Fr> a(n), b(n);
    const double ms = median_ms(d.s, 5, [&] { d.evaluate(a, b); });
    rep.value(name, ms, "ms", 2.0 * n * sizeof(Fr) / (ms / 1e3) / 4e12);
}

} // namespace

// Rows of the shapes of 32 GiB circuits. PoRep: 130 million in calls of 26,184,
// most of one or two terms, every 374th of hundreds. WindowPoSt: 125 million in
// calls of 530, hashes of eight: sums of nine terms and of 10, 11, … 66.
void rows_bench(Report& rep) {
    Rng rng{31};
    const size_t n = size_t(1) << 27;
    std::vector<uint32_t> lengths;
    for (uint32_t r = 0; r < 26184; r++)
        lengths.push_back(r % 374 == 373 ? 32 * (1 + r / 374 % 20) : 1 + rng.next() % 2);
    bench(rep, "rows_2p27_ms",
          Copied(Random(rng, Kind::BITS, lengths, 2, 9940, 13000), n)); // half of the calls are of the empty template

    lengths.assign(24, 1);
    auto round = [&](uint32_t terms) { lengths.insert(lengths.end(), {terms, 1, 1, 1}); };
    for (int i = 0; i < 27; i++) round(9);
    for (uint32_t i = 10; i < 66; i++) round(i);
    for (int i = 0; i < 38; i++) round(i < 9 ? 66 : 9);
    lengths.resize(530, 1);
    Random x(rng, Kind::SCALARS, lengths, 2, 236000);
    Copied d(x, n);
    std::vector<Fr> block(1 << 16);
    for (auto& v : block) v = rng.field<Fr>();
    d.scalars = Buffer<Fr>(n);
    for (size_t i = 0; i < n; i += block.size())
        CUZK_CHECK(
            cudaMemcpyAsync(d.scalars.get() + i, block.data(), block.size() * sizeof(Fr), cudaMemcpyHostToDevice, d.s));
    d.s.wait();
    bench(rep, "rows_of_hashes_2p27_ms", d);
}

} // namespace test
} // namespace cuzk
