// Completion of partial witnesses on the device (core/internal/r1cs.Program): Poseidon permutations and insertions are
// computed from leaves and siblings, a thread for each call, one launch for each level of dependence.
#include "program.hpp"

#include <algorithm>

#include "../util/each.cuh"

namespace cuzk::prove {

namespace {

template <class T, class From>
Buffer<T> upload(const From* from, size_t n, cudaStream_t s) {
    static_assert(sizeof(T) == sizeof(From), "layouts agree");
    Buffer<T> b(n);
    if (n > 0) b.upload(reinterpret_cast<const T*>(from), n, s);
    return b;
}

} // namespace

void Program::check(const cuzk_cuda_program& p, size_t templates, size_t calls, size_t scalars) const {
    auto all_below = [](const uint32_t* v, size_t n, size_t most) {
        return std::all_of(v, v + n, [=](uint32_t x) { return x < most; });
    };
    bool good = p.num_starts == templates + 1 && p.num_waves > 0 && p.rules && p.args && p.starts && p.order &&
                p.waves && p.given && p.hashes;
    good = good && std::is_sorted(p.starts, p.starts + p.num_starts) && p.starts[p.num_starts - 1] == p.num_rules &&
           std::is_sorted(p.waves, p.waves + p.num_waves) && p.waves[0] == 0 &&
           p.waves[p.num_waves - 1] == p.num_order && all_below(p.order, p.num_order, calls) &&
           all_below(p.given, p.num_given, scalars);
    for (size_t i = 0; good && i < p.num_hashes; i++) {
        const cuzk_cuda_hash& h = p.hashes[i];
        good = h.t >= 2 && h.t <= Hash::WIDEST && h.constants && h.num_constants == Hash::length(h.t, h.partial);
    }
    for (size_t i = 0; good && i < p.num_rules; i++) {
        const cuzk_cuda_rule& r = p.rules[i];
        const size_t args = r.fn == 0 ? 3 : r.fn;
        good = r.arg <= p.num_args && args <= p.num_args - r.arg;
        if (!good) break;
        const cuzk_cuda_hash* h =
            std::find_if(p.hashes, p.hashes + p.num_hashes, [&](const cuzk_cuda_hash& x) { return x.t == r.fn + 1; });
        good = r.fn == 0 ? r.n == 1 : h != p.hashes + p.num_hashes && r.n == Hash::variables(h->t, h->partial);
    }
    if (!good) throw ArgumentError("the program of the circuit contradicts itself");
}

Program::Program(const cuzk_cuda_program& p, size_t templates, size_t calls, size_t scalars, cudaStream_t s) {
    check(p, templates, calls, scalars);
    static_assert(sizeof(Rule) == sizeof(cuzk_cuda_rule), "layouts agree");
    rules_ = upload<Rule>(p.rules, p.num_rules, s);
    args_ = upload<uint32_t>(p.args, p.num_args, s);
    starts_ = upload<uint32_t>(p.starts, p.num_starts, s);
    order_ = upload<uint32_t>(p.order, p.num_order, s);
    given_ = upload<uint32_t>(p.given, p.num_given, s);
    waves_.assign(p.waves, p.waves + p.num_waves);

    std::vector<Fr> constants;
    Hash hashes[Hash::WIDEST] = {};
    for (size_t i = 0; i < p.num_hashes; i++) {
        const Fr* from = reinterpret_cast<const Fr*>(p.hashes[i].constants);
        constants.insert(constants.end(), from, from + p.hashes[i].num_constants);
    }
    constants_ = upload<Fr>(constants.data(), constants.size(), s);
    const Fr* at = constants_;
    for (size_t i = 0; i < p.num_hashes; at += p.hashes[i++].num_constants)
        hashes[p.hashes[i].t - 1] = {p.hashes[i].t, p.hashes[i].partial, at};
    hashes_ = upload<Hash>(hashes, Hash::WIDEST, s);
    CUZK_CHECK(cudaStreamSynchronize(s)); // some are on this stack
}

void Program::complete(const Fr* given, const uint32_t* bits, Fr* scalars, const r1cs::Instance* calls,
                       const uint32_t* wires, cudaStream_t s) const {
    each(given_.size(), s, "scatter", Scatter{given, given_, scalars});
    for (size_t w = 0; w + 1 < waves_.size(); w++)
        each(waves_[w + 1] - waves_[w], s, "derive",
             Derive{calls, wires, args_, starts_, order_.get() + waves_[w], rules_, hashes_, bits, scalars});
}

} // namespace cuzk::prove
