// How a multi-scalar multiplication over fixed bases is cut into windows, how
// many shifted copies of the bases are kept, and how its workspace is sized:
// what costs least within a budget.
#pragma once
#include <algorithm>

#include "../ec/curve.cuh"
#include "../msm/msm.hpp"

namespace cuzk::prove {

// Entries that are added up at a time, at most: enough to fill the device many
// times; and at least, where memory is short.
template <class F>
constexpr size_t MSM_CHUNK = (size_t(1) << 25) * sizeof(Fp) / sizeof(F);
constexpr size_t MSM_CHUNK_LEAST = size_t(1) << 16;
// Entries up to which several bucket sets are summed together.
constexpr size_t MSM_TOGETHER = size_t(1) << 25;

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
            if (w.copies != copies || (uint64_t)n * copies + MSM_CHUNK<F> > (uint64_t(1) << 31)) continue;
            bool here = msm_bytes<F>(n, w) <= budget;
            if (!here && (fits || copies > 1)) continue;
            if (here != fits || msm_cost(n, w) < msm_cost(n, best)) best = w;
            fits = fits || here;
        }
    }
    return best;
}

// The arguments of a workspace.
struct WorkSize {
    size_t entries = 1, buckets = 1, chunk = MSM_CHUNK_LEAST;
};

template <class F>
size_t work_bytes(const WorkSize& w) {
    Arena count = Arena::counting();
    Arena::Scope scope(count);
    MsmWorkspace<F> ws(w.entries, w.buckets, w.chunk);
    return count.used();
}

// Halves the chunk until the workspace fits. Throws MemoryError if it never does.
template <class F>
WorkSize shrink(WorkSize w, size_t budget) {
    for (;; w.chunk /= 2) {
        const size_t bytes = work_bytes<F>(w);
        if (bytes <= budget) return w;
        if (w.chunk <= MSM_CHUNK_LEAST || w.chunk / 2 > w.entries) throw MemoryError(bytes, budget, "workspace of a sum");
    }
}

// A workspace for sums of up to n selected bases within a budget.
template <class F>
WorkSize select_size(size_t n, size_t budget) {
    return shrink<F>({std::max<size_t>(n, 1), 1, MSM_CHUNK<F>}, budget);
}

// A workspace for n scalars: as many bucket sets together as make up
// MSM_TOGETHER entries and fit.
template <class F>
WorkSize multiply_size(size_t n, const msm::Windows& w, size_t budget) {
    int group = w.sets;
    while (group > 1 && n * w.digits_of(0, group) > MSM_TOGETHER) group--;
    for (;; group--) {
        try {
            return shrink<F>({std::max<size_t>(n * w.digits_of(0, group), 1), (size_t)w.buckets() * group, MSM_CHUNK<F>}, budget);
        } catch (const MemoryError&) {
            if (group == 1) throw;
        }
    }
}

// Windows without copies for n bases that are there for a moment, narrower where
// the workspace would not fit.
template <class F>
std::pair<msm::Windows, WorkSize> passing_windows(size_t n, size_t budget) {
    for (msm::Windows w = choose_windows<F>(n, 0);; w = msm::Windows::make(w.c - 1, 1)) {
        try {
            return {w, multiply_size<F>(n, w, budget)};
        } catch (const MemoryError&) {
            if (w.c <= 8) throw;
        }
    }
}

}  // namespace cuzk::prove
