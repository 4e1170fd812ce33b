// How a multi-scalar multiplication over fixed bases is cut into windows, how
// many shifted copies of the bases are kept, and how its workspace is sized:
// what costs least within a budget.
#pragma once
#include <algorithm>
#include <cmath>

#include "../ec/curve.cuh"
#include "../msm/msm.hpp"
#include "../msm/bucket_reduction.hpp"
#include "choice.hpp"

namespace cuzk::prove {

// Entries that are added up at a time, at most and, where memory is short, at
// least.
template <class F>
constexpr size_t MSM_CHUNK = (size_t(1) << 27) * sizeof(Fp) / sizeof(F);
constexpr size_t MSM_CHUNK_LEAST = size_t(1) << 16;
// The same for selected bases: more make no difference.
template <class F>
constexpr size_t SELECT_CHUNK = (size_t(1) << 25) * sizeof(Fp) / sizeof(F);
// Entries up to which several bucket sets are summed together.
constexpr size_t MSM_TOGETHER = size_t(1) << 25;
// Windows of more bits have more buckets than sums of 2^27 can fill.
constexpr int WIDEST_WINDOW = 26;

// Making copies is worth a five-hundredth of its time a sum.
constexpr double SUMS_OF_A_LOAD = 500;

// The arguments of a workspace.
struct WorkSize {
    size_t entries = 1, buckets = 1, chunk = MSM_CHUNK_LEAST;
};

// Milliseconds of one H200, fitted to sums of 2^27 scalars with 1 to 6 copies and
// of smaller ones (within 3 %; README.md, docs/bench/kernels-h200.jsonl); choices
// need their relations only.
template <class F>
struct Pace {
    static constexpr bool G1 = sizeof(F) == sizeof(Fp);
    static constexpr double ADDITION = G1 ? 0.29e-6 : 0.80e-6; // of a level
    static constexpr double BUCKET = G1 ? 0.85e-6 : 2.7e-6;    // collected, and reduced by trees
    static constexpr double RUNNING = G1 ? 1.65e-6 : 4.2e-6;   // the same by running sums
    static constexpr double LEVEL = 0.02;                      // of a chunk, without its additions: its end
    static constexpr double GROUP = 1.5; // of bucket sets: its last levels, the end of the bucket reduction
    static double sorting(int c) { return 1e-8 * ((c + 7) / 8) + 0.5e-8; } // an entry: digits, sort by bytes
    static constexpr double DOUBLING = G1 ? 0.29e-6 : 0.75e-6;             // while parameters are loaded
    static constexpr double BESIDE = 0.15; // share of sorting that delays additions of earlier sets
};

// What a sum of n scalars takes with these windows and a workspace of this size.
template <class F>
double msm_ms(size_t n, const msm::Windows& w, const WorkSize& size) {
    using P = Pace<F>;
    double ms = 0;
    if (n == 0) return ms;
    for (int set = 0, group; set < w.sets; set += group) {
        group = 1;
        while (set + group < w.sets && n * w.digits_of(set, group + 1) <= size.entries &&
               (size_t)w.buckets() * (group + 1) <= size.buckets)
            group++;
        double buckets = 0;
        for (int g = 0; g < group; g++) buckets += std::ldexp(1.0, w.filled(set + g));
        const double entries = (double)n * w.digits_of(set, group),
                     filled = buckets * (1 - std::exp(-entries / buckets));
        const double levels = std::log2(entries / filled + 1) + 3, chunks = std::ceil(entries / (double)size.chunk);
        ms += (entries - filled) * P::ADDITION + P::GROUP + chunks * levels * P::LEVEL;
        ms += buckets * (buckets < (double)msm::REDUCE_BY_TREES ? P::RUNNING : P::BUCKET);
        ms += entries * P::sorting(w.c) * (set == 0 ? 1 : P::BESIDE);
    }
    return ms;
}

// What the sum of the selected ones of n bases takes, about half of them.
template <class F>
double select_ms(size_t n) {
    return (double)n * (sizeof(F) == sizeof(Fp) ? 0.16e-6 : 0.48e-6);
}

// What making the copies takes.
template <class F>
double copying_ms(size_t n, const msm::Windows& w) {
    return (double)n * w.round() * (w.copies - 1) * Pace<F>::DOUBLING;
}

template <class F>
size_t work_bytes(const WorkSize& w) {
    Arena count = Arena::counting();
    Arena::Scope scope(count);
    MsmWorkspace<F> ws(w.entries, w.buckets, w.chunk);
    return count.used();
}

// Halves the chunk until the workspace fits; false if it never does.
template <class F>
bool shrink(WorkSize& w, size_t budget) {
    while (work_bytes<F>(w) > budget) {
        if (w.chunk <= MSM_CHUNK_LEAST || w.chunk / 2 > w.entries) return false;
        w.chunk /= 2;
    }
    return true;
}

// A workspace for sums of up to n selected bases within a budget. Throws
// MemoryError.
template <class F>
WorkSize select_size(size_t n, size_t budget) {
    WorkSize w{std::max<size_t>(n, 1), 1, SELECT_CHUNK<F>};
    if (!shrink<F>(w, budget)) throw MemoryError(work_bytes<F>(w), budget, "workspace of a selection");
    return w;
}

// A workspace for n scalars: as many bucket sets together as make up
// MSM_TOGETHER entries and fit. False if it does not fit at all.
template <class F>
bool multiply_size(size_t n, const msm::Windows& w, size_t budget, WorkSize* size) {
    int group = w.sets;
    while (group > 1 && n * w.digits_of(0, group) > MSM_TOGETHER) group--;
    for (; group > 0; group--) {
        *size = {std::max<size_t>(n * w.digits_of(0, group), 1), (size_t)w.buckets() * group, MSM_CHUNK<F>};
        while (n * w.copies + size->chunk >= size_t(1) << 31 && size->chunk > MSM_CHUNK_LEAST)
            size->chunk /= 2; // references have 31 bits
        if (shrink<F>(*size, budget)) return true;
    }
    return false;
}

struct SumPlan {
    msm::Windows windows;
    WorkSize work;
};

// The ways to multiply n bases within `budget` bytes of work area, and what they
// take of `most` bytes for bases and copies.
template <class F>
std::vector<Option<SumPlan>> sum_plans(size_t n, size_t budget, size_t most) {
    std::vector<Option<SumPlan>> all;
    for (int c = 4; c <= WIDEST_WINDOW; c++) {
        const int windows = msm::Windows::make(c, 1).windows;
        for (int sets = windows; sets > 0; sets--) {
            const int copies = (windows + sets - 1) / sets;
            const size_t bytes = n * copies * sizeof(Affine<F>);
            if (msm::Windows::make(c, copies).sets != sets) continue; // as many copies make fewer sets
            if (bytes > most || (uint64_t)n * copies + 2 * MSM_CHUNK_LEAST > uint64_t(1) << 31) break;
            for (const msm::Windows& w : {msm::Windows::make(c, copies), msm::Windows::narrow(c, copies)}) {
                SumPlan p{w, {}};
                // sets that are not alike are reduced one by one
                if (!multiply_size<F>(n, w, budget, &p.work) || (w.halved() && p.work.buckets > w.buckets())) continue;
                all.push_back({p, bytes, msm_ms<F>(n, w, p.work) + copying_ms<F>(n, w) / SUMS_OF_A_LOAD});
            }
        }
    }
    return worthwhile(std::move(all));
}

// The best windows without copies. Throws MemoryError.
template <class F>
SumPlan sum_plan(size_t n, size_t budget) {
    const auto all = sum_plans<F>(n, budget, n * sizeof(Affine<F>));
    if (all.empty()) {
        const msm::Windows w = msm::Windows::make(4, 1);
        throw MemoryError(work_bytes<F>({std::max<size_t>(n, 1), w.buckets(), MSM_CHUNK_LEAST}), budget,
                          "workspace of a sum");
    }
    return all.front().what;
}

} // namespace cuzk::prove
