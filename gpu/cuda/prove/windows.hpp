// How a multi-scalar multiplication over fixed bases is cut into windows and how
// many shifted copies of the bases are kept: what costs least within a budget.
#pragma once
#include <algorithm>
#include <memory>

#include "../msm/msm.hpp"

namespace cuzk::prove {

// Entries that are added up at a time: enough to fill the device many times.
constexpr size_t MSM_CHUNK = size_t(1) << 25;

// Products: 6 for an entry that is added in affine form, twice 14 for each
// bucket of each set (running sums in XYZZ form).
inline double msm_cost(size_t n, const msm::Windows& w) {
    return 6.0 * (double)n * w.windows + 28.0 * w.sets * w.buckets();
}

// Bases, and the keys and references of a sort, twice.
template <class F>
size_t msm_bytes(size_t n, const msm::Windows& w) {
    return n * w.copies * sizeof(Affine<F>) + n * w.copies_of(0) * 16 + (size_t)w.buckets() * 3 * sizeof(Affine<F>);
}

// The cheapest windows for n bases that fit into budget bytes; where none do,
// the cheapest without copies.
template <class F>
msm::Windows choose_windows(size_t n, size_t budget) {
    msm::Windows best = msm::Windows::make(4, 1);
    bool fits = false;
    for (int c = 4; c <= 26; c++) {
        for (int copies = 1; copies <= msm::Windows::make(c, 1).windows; copies++) {
            msm::Windows w = msm::Windows::make(c, copies);
            if (w.copies != copies || (uint64_t)n * copies + MSM_CHUNK > (uint64_t(1) << 31)) continue;
            bool here = msm_bytes<F>(n, w) <= budget;
            if (!here && (fits || copies > 1)) continue;
            if (here != fits || msm_cost(n, w) < msm_cost(n, best)) best = w;
            fits = fits || here;
        }
    }
    return best;
}

// Takes over loaded bases, with as many copies as the budget and the card allow:
// when memory is short after all, it tries again with half of the budget.
template <class F>
std::unique_ptr<Bases<F>> make_bases(Buffer<Affine<F>>& points, size_t budget, cudaStream_t s) {
    for (;; budget /= 2) {
        const msm::Windows w = choose_windows<F>(points.size(), budget);
        try {
            auto b = std::make_unique<Bases<F>>(points.get(), (uint32_t)points.size(), w, s);
            CUZK_CHECK(cudaStreamSynchronize(s));
            points = Buffer<Affine<F>>();
            return b;
        } catch (const MemoryError&) {
            if (w.copies == 1) throw;
        }
    }
}

// What the sums over several sections need of one workspace.
struct Need {
    size_t entries = 1, buckets = 1;
    void add(size_t selected) { entries = std::max(entries, selected); }
    void add(size_t n, const msm::Windows& w) {
        entries = std::max(entries, n * w.copies_of(0));
        buckets = std::max<size_t>(buckets, w.buckets());
    }
};

}  // namespace cuzk::prove
