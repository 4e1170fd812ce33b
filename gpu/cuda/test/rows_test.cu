// Rows from templates on the device against a loop over all terms on the CPU.
#include "../r1cs/rows.cuh"
#include "harness.hpp"

namespace cuzk {
namespace test {

namespace {

using namespace r1cs;

// A circuit of random templates and calls, and a witness, in host memory. The
// first template is empty, the first rows of the others have the given lengths.
struct Random {
    std::vector<Fr> coefs, inputs, scalars;
    std::vector<Template> templates;
    std::vector<Instance> calls;
    std::vector<uint32_t> wires, starts, first, bits;
    std::vector<Term> terms;
    uint32_t rows = 0;

    // spread: bits between the first bits of neighbouring calls; usual: bits, and
    // coefficients ±1 in rows of few terms
    Random(Rng& rng, const std::vector<uint32_t>& lengths, uint32_t n_templates, uint32_t n_calls, uint32_t spread = 15, bool usual = false) {
        coefs = {Fr::one(), Fr::one().neg()};
        auto below = [&](uint32_t n) { return (uint32_t)(rng.next() % n); };
        for (int i = 0; i < 9; i++) coefs.push_back(rng.field<Fr>());
        for (int i = 0; i < 40; i++) inputs.push_back(rng.field<Fr>()), scalars.push_back(rng.field<Fr>());
        for (uint32_t i = 0; i < (n_calls * spread + 14000) / 32 + 1; i++) bits.push_back((uint32_t)rng.next());
        auto source = [&](bool wire) {
            if (usual) return SRC_BIT | below(13000);
            switch (below(wire ? 6 : 4)) {
                case 0: return SRC_ONE | 0u;
                case 1: return SRC_INPUT | below(20);
                case 2: return SRC_SCALAR | below(20);
                case 3: return SRC_BIT | below(600);
                default: return SRC_WIRE | below(30);
            }
        };
        for (int i = 0; i < 60; i++) wires.push_back(source(false));
        for (uint32_t t = 0; t < n_templates; t++) {
            Template x{t == 0 ? 0 : (uint32_t)lengths.size() + below(100), {0, 0}};
            for (uint32_t& start : x.start) {
                start = (uint32_t)starts.size();
                for (uint32_t r = 0; r < x.rows; r++) {
                    starts.push_back((uint32_t)terms.size());
                    const uint32_t length = r < lengths.size() ? lengths[r] : below(4);
                    const bool units = usual && length < LONG_ROW;
                    for (uint32_t k = length; k > 0; k--) terms.push_back({source(true), units || below(2) ? below(2) : below((uint32_t)coefs.size())});
                }
                starts.push_back((uint32_t)terms.size());
            }
            templates.push_back(x);
        }
        for (uint32_t i = 0; i < n_calls; i++) {
            const uint32_t t = below(n_templates);
            calls.push_back({t, rows, below(30), below(20), i * spread + below(600), below(20)});
            rows += templates[t].rows;
        }
        for (uint32_t row = 0, call = 0; row < rows; row += ROW_BLOCK) {
            while (call + 1 < calls.size() && calls[call + 1].row <= row) call++;
            first.push_back(call);
        }
        first.push_back((uint32_t)calls.size() - 1);
    }
};

template <class T>
Buffer<T> copy(const std::vector<T>& v, cudaStream_t s) {
    Buffer<T> b(v.size());
    if (!v.empty()) b.upload(v.data(), v.size(), s);
    return b;
}

// The same in device memory.
struct Copied {
    Stream s;
    Buffer<Fr> coefs, inputs, scalars;
    Buffer<Template> templates;
    Buffer<Instance> calls;
    Buffer<Term> terms;
    Buffer<uint32_t> wires, starts, first, bits, long_first, long_rows;
    uint64_t rows;

    Copied(const Random& x, const LongRows& rest)
        : coefs(copy(x.coefs, s)), inputs(copy(x.inputs, s)), scalars(copy(x.scalars, s)), templates(copy(x.templates, s)), calls(copy(x.calls, s)),
          terms(copy(x.terms, s)), wires(copy(x.wires, s)), starts(copy(x.starts, s)), first(copy(x.first, s)), bits(copy(x.bits, s)),
          long_first(copy(rest.first, s)), long_rows(copy(rest.rows, s)), rows(x.rows) {
        s.wait();
    }
    void evaluate(size_t n, Fr* a, Fr* b) const {
        r1cs::rows({rows, inputs.size(), calls.size(), coefs, templates, calls, wires, starts, terms, first, long_first, long_rows},
                   {inputs, bits, scalars}, n, a, b, s);
    }
};

void one_circuit(Report& rep, Rng& rng, const std::vector<uint32_t>& lengths, uint32_t templates, uint32_t calls) {
    const Random x(rng, lengths, templates, calls);
    const Copied d(x, LongRows(x.templates.data(), x.templates.size(), x.starts.data(), x.starts.size()));
    const size_t n = x.rows + x.inputs.size() + 100;
    const Stream& s = d.s;
    Buffer<Fr> a(n), b(n);
    CUZK_CHECK(cudaMemsetAsync(a, 0xff, a.bytes(), s));
    CUZK_CHECK(cudaMemsetAsync(b, 0xff, b.bytes(), s));
    d.evaluate(n, a, b);
    std::vector<Fr> got[2] = {std::vector<Fr>(n), std::vector<Fr>(n)}, want[2] = {std::vector<Fr>(n, Fr::zero()), std::vector<Fr>(n, Fr::zero())};
    a.download(got[0].data(), n, s), b.download(got[1].data(), n, s);
    s.wait();
    const Circuit c{x.rows,          x.inputs.size(), x.calls.size(), x.coefs.data(), x.templates.data(), x.calls.data(), x.wires.data(), x.starts.data(),
                    x.terms.data(), x.first.data(), nullptr,         nullptr};
    const Witness w{x.inputs.data(), x.bits.data(), x.scalars.data()};
    for (const Instance& in : x.calls)
        for (uint32_t m = 0; m < 2; m++)
            for (uint32_t r = 0; r < x.templates[in.tmpl].rows; r++) {
                const Range t = terms_of(c, in, m, r);
                Fr& sum = want[m][in.row + r];
                for (uint32_t k = t.begin; k < t.end; k++) {  // a term at a time, each as a product
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
}

}  // namespace

void rows_tests(Report& rep, Rng& rng) {
    one_circuit(rep, rng, {0, 1, 2, 3}, 2, 1);
    one_circuit(rep, rng, {0, 1, 2, 11, 12, 13, 31, 32, 33, 64, 100, 929}, 5, 40);
    one_circuit(rep, rng, {200, 0, 0, 300}, 9, rep.small ? 10 : 500);
}

// Rows of the shape of 32 GiB PoRep: 130 million in calls of 26,184, most of one
// or two terms, every 374th of hundreds.
void rows_bench(Report& rep) {
    Rng rng{31};
    std::vector<uint32_t> lengths;
    for (uint32_t r = 0; r < 26184; r++) lengths.push_back(r % 374 == 373 ? 32 * (1 + r / 374 % 20) : 1 + rng.next() % 2);
    const Random x(rng, lengths, 2, 9940, 13000, true);  // half of the calls are of the empty template
    const Copied d(x, LongRows(x.templates.data(), x.templates.size(), x.starts.data(), x.starts.size()));
    const size_t n = size_t(1) << 27;
    Buffer<Fr> a(n), b(n);
    const double ms = median_ms(d.s, 5, [&] { d.evaluate(n, a, b); });
    rep.value("rows_2p27_ms", ms, "ms", 2.0 * n * sizeof(Fr) / (ms / 1e3) / 4e12);
}

}  // namespace test
}  // namespace cuzk
