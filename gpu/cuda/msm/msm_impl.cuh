// Definitions of msm.hpp; one .cu per group instantiates them.
#pragma once
#include <algorithm>

#include "msm.hpp"
#include "weigh.cuh"

namespace cuzk {
namespace msm {

// Squares as calls: the loop below must stay in the instruction cache.
static __device__ __noinline__ Fp square_called(Fp a) { return Fp::squared(a); }
static __device__ __forceinline__ Fp2 square_called(const Fp2& a) { return a.sqr(); }
static __device__ __forceinline__ Fp times_called(const Fp& a, const Fp& b) { return Fp::times_called(a, b); }
static __device__ __forceinline__ Fp2 times_called(const Fp2& a, const Fp2& b) { return a * b; }

// dst[i] = 2^shift · src[i]: doublings in Jacobian coordinates ("dbl-2009-l" of
// the Explicit-Formulas Database: 2 products and 5 squares, the fewest), then
// one inversion a block. Neither group has points of order two.
template <class F>
__global__ void __launch_bounds__(LEVEL_THREADS) k_shift(Affine<F>* dst, const Affine<F>* src, uint32_t n, int shift) {
    __shared__ F shared[2 * LEVEL_THREADS];
    for (uint64_t from = (uint64_t)blockIdx.x * LEVEL_THREADS; from < n; from += (uint64_t)gridDim.x * LEVEL_THREADS) {
        const uint64_t i = from + threadIdx.x;
        Affine<F> p = i < n ? src[i] : Affine<F>::infinity();
        const bool finite = !p.is_infinity();
        F x = p.x, y = p.y, z = finite ? F::one() : F::zero();
#pragma unroll 1
        for (int k = 0; k < shift; k++) {
            F xx = square_called(x), yy = square_called(y), yyyy = square_called(yy);
            F d = (square_called(x + yy) - xx - yyyy).twice(), e = xx.twice() + xx;
            z = times_called(y, z).twice();
            x = square_called(e) - d.twice();
            y = times_called(e, d - x) - yyyy.twice().twice().twice();
        }
        F inv = block_inverse(finite ? z : F::one(), shared, blockIdx.x), inv2 = square_called(inv);
        if (i < n) dst[i] = finite ? Affine<F>{times_called(x, inv2), times_called(y, times_called(inv2, inv))} : Affine<F>::infinity();
    }
}

// One bucket that holds *count entries.
static __global__ void k_single(uint32_t* offsets, const uint32_t* count) {
    offsets[0] = offsets[1] = 0;
    offsets[2] = *count;
}

constexpr size_t MAX_SETS = 128;
constexpr uint32_t TREE_STOP = 1u << 16;  // fewer points than this: a tree in XYZZ form beats more levels

}  // namespace msm

using namespace msm;

template <class F>
MsmWorkspace<F>::MsmWorkspace(size_t entries, size_t buckets, size_t chunk)
    : entries_(std::max<size_t>(entries, 1)), chunk_(std::min(std::max<size_t>(chunk, 64), entries_)), buckets_n_(buckets) {
    if (entries_ + buckets > 0xffffffffu) throw ArgumentError("MSM: more than 2^32 − 1 entries");
    const bool sorted = buckets > 1;
    refs_ = Buffer<uint32_t>(entries_);
    if (sorted) {
        keys_ = Buffer<uint32_t>(entries_), keys2_ = Buffer<uint32_t>(entries_), refs2_ = Buffer<uint32_t>(entries_);
        sort_ = Buffer<uint8_t>(sort_bytes(entries_, 32));
    }
    offsets_ = Buffer<uint32_t>(buckets + 2);
    count_ = Buffer<uint32_t>(1);
    chunks_ = Buffer<Chunk>(entries_ / chunk_ + 1), longest_ = Buffer<uint32_t>(entries_ / chunk_ + 1);
    lists_[0] = Buffer<uint32_t>(chunk_), lists_[1] = Buffer<uint32_t>(chunk_), additions_ = Buffer<uint32_t>(MOST_LEVELS);
    pairs_ = Buffer<uint2>(chunk_), added_ = Buffer<Affine<F>>(chunk_);
    buckets_ = Buffer<Affine<F>>(buckets + 1), carry_ = Buffer<Affine<F>>(1);
    int per_sm = 0;
    CUZK_CHECK(cudaFuncSetAttribute(k_level<F>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)Staging<F>::BYTES));
    CUZK_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, k_level<F>, LEVEL_THREADS, Staging<F>::BYTES));
    grid_ = multiprocessors() * (unsigned)std::max(per_sm, 1);
    scratch_ = Buffer<F>((size_t)grid_ * LEVEL_THREADS * LEVEL_SLOTS);
    partial_ = Buffer<Xyzz<F>>(std::max(weigh_parts(buckets), entries_ / chunk_ + 1));
    sets_ = Buffer<Xyzz<F>>(MAX_SETS + SUM_BLOCKS + MAX_SETS);
}

template <class F>
size_t MsmWorkspace<F>::bytes() const {
    return keys_.bytes() + keys2_.bytes() + refs_.bytes() + refs2_.bytes() + offsets_.bytes() + lists_[0].bytes() + lists_[1].bytes() +
           pairs_.bytes() + added_.bytes() + buckets_.bytes() + scratch_.bytes() + partial_.bytes() + sets_.bytes() + sort_.bytes();
}

template <class F>
Buffer<Affine<F>> Bases<F>::copied(const Affine<F>* points, uint32_t n, const Windows& w, cudaStream_t s) {
    Buffer<Affine<F>> all((size_t)n * w.copies);
    if (n > 0) CUZK_CHECK(cudaMemcpyAsync(all, points, n * sizeof(Affine<F>), cudaMemcpyDeviceToDevice, s));
    return all;
}

template <class F>
Bases<F>::Bases(const Affine<F>* points, uint32_t n, Windows w, cudaStream_t s) : Bases(copied(points, n, w, s), n, w, s) {}

template <class F>
Bases<F>::Bases(Buffer<Affine<F>>&& points, uint32_t n, Windows w, cudaStream_t s) : n_(n), w_(w), all_(std::move(points)) {
    if (w.c < 4 || w.c > 28 || (size_t)w.sets > MAX_SETS) throw ArgumentError("MSM: window size must be 4…28");
    if ((uint64_t)n * w.copies >= NEGATIVE) throw ArgumentError("MSM: bases times copies must stay below 2^31");
    if (all_.size() < (size_t)n * w.copies) throw ArgumentError("MSM: no room for the copies");
    if (n == 0) return;
    for (int j = 1; j < w.copies; j++) {
        Affine<F>* dst = all_.get() + (size_t)n * j;
        k_shift<F><<<blocks_for(n, LEVEL_THREADS, multiprocessors() * 64), LEVEL_THREADS, 0, s>>>(dst, dst - n, n, w.c * w.sets);
        CUZK_LAUNCHED("k_shift");
    }
}

// Cuts the sorted entries into chunks; the longest list of each. Waits for the
// stream.
template <class F>
std::vector<uint32_t> Bases<F>::chunks(uint32_t buckets, size_t entries, MsmWorkspace<F>& ws, cudaStream_t s) const {
    std::vector<uint32_t> longest((entries + ws.chunk_ - 1) / ws.chunk_);
    const unsigned n = (unsigned)longest.size();
    k_chunks<<<blocks_for(n, 64), 64, 0, s>>>(ws.chunks_, ws.offsets_, buckets, ws.chunk_, n);
    CUZK_CHECK(cudaMemsetAsync(ws.longest_, 0, n * sizeof(uint32_t), s));
    k_longest<<<dim3(blocks_for(buckets, 128, multiprocessors()), n), 128, 0, s>>>(ws.longest_, ws.offsets_, ws.chunks_);
    CUZK_LAUNCHED("k_longest");
    ws.longest_.download(longest.data(), n, s);
    CUZK_CHECK(cudaStreamSynchronize(s));
    return longest;
}

template <class F>
void Bases<F>::check(const MsmWorkspace<F>& ws) const {
    if (all_.size() + ws.chunk_ > NEGATIVE) throw ArgumentError("MSM: bases times copies, with a chunk of entries, must stay below 2^31");
}
template <class F>
Points<F> Bases<F>::points(const MsmWorkspace<F>& ws) const {
    return {all_, ws.added_, (uint32_t)all_.size()};
}
template <class F>
Lists Bases<F>::lists(const MsmWorkspace<F>& ws) const {
    return {ws.refs_, {ws.lists_[0], ws.lists_[1]}};
}

// Adds up the entries of a chunk level by level until no bucket has more than
// `stop` points left; returns the number of levels.
template <class F>
int Bases<F>::levels(size_t chunk, uint32_t buckets, uint32_t longest, uint32_t stop, MsmWorkspace<F>& ws, cudaStream_t s) const {
    CUZK_CHECK(cudaMemsetAsync(ws.additions_, 0, ws.additions_.bytes(), s));
    const Chunk* c = ws.chunks_.get() + chunk;
    int l = 0;
    for (; left_after(longest, l) > stop; l++) {
        // stripes shorten the longest list; but every stripe visits every bucket
        const uint32_t stripes = std::min({left_after(longest, l) / 4096 + 1, (1u << 29) / (buckets + 32) + 1, 2048u});
        const unsigned blocks = blocks_for(buckets, LIST_THREADS, std::max(multiprocessors() * 16 / stripes, 1u));
        k_plan<<<dim3(blocks, stripes), LIST_THREADS, 0, s>>>({lists(ws), ws.offsets_, c, ws.pairs_, ws.additions_, (uint32_t)all_.size(), l});
        CUZK_LAUNCHED("k_plan");
        k_level<F><<<ws.grid_, LEVEL_THREADS, Staging<F>::BYTES, s>>>({points(ws), ws.pairs_, ws.additions_, ws.scratch_, l});
        CUZK_LAUNCHED("k_level");
    }
    return l;
}

// How many sets from `set` on fit into the workspace together.
template <class F>
int Bases<F>::group_at(int set, uint32_t n, const MsmWorkspace<F>& ws) const {
    int group = 0;
    while (set + group < w_.sets && (size_t)n * w_.digits_of(set, group + 1) <= ws.entries_ &&
           (size_t)w_.buckets() * (group + 1) <= ws.buckets_n_)
        group++;
    if (group == 0) throw ArgumentError("MSM: workspace too small");
    return group;
}

// Fills the buckets of `group` sets.
template <class F>
void Bases<F>::accumulate(int set, int group, const Fr* scalars, uint32_t first, uint32_t n, bool montgomery, MsmWorkspace<F>& ws,
                          cudaStream_t s) const {
    const uint32_t buckets = w_.buckets() * group;
    const unsigned most = multiprocessors() * 32;
    const size_t entries = (size_t)n * w_.digits_of(set, group);
    int bits = w_.c;
    while (buckets >> bits) bits++;
    k_digits<<<blocks_for(n, 128, most), 128, 0, s>>>(ws.keys_, ws.refs_, scalars, first, n, n_, w_, set, group, montgomery);
    CUZK_LAUNCHED("k_digits");
    bool swapped = false;
    sort(ws.sort_, ws.sort_.bytes(), ws.keys_, ws.keys2_, ws.refs_, ws.refs2_, entries, bits, &swapped, s);
    if (swapped) std::swap(ws.keys_, ws.keys2_), std::swap(ws.refs_, ws.refs2_);
    k_offsets<<<blocks_for(buckets + 2, 128, most), 128, 0, s>>>(ws.offsets_, ws.keys_, (uint32_t)entries, buckets);
    CUZK_CHECK(cudaMemsetAsync(ws.buckets_, 0, (buckets + 1) * sizeof(Affine<F>), s));
    const std::vector<uint32_t> longest = chunks(buckets, entries, ws, s);
    for (size_t i = 0; i < longest.size(); i++) {
        if (longest[i] == 0) continue;  // digits 0 only
        levels(i, buckets, longest[i], 1, ws, s);
        k_collect<F><<<blocks_for(buckets, LIST_THREADS, most), LIST_THREADS, 0, s>>>(ws.buckets_, ws.carry_, points(ws), lists(ws), ws.offsets_,
                                                                                     ws.chunks_.get() + i);
        k_carry<F><<<1, 1, 0, s>>>(ws.buckets_, ws.carry_, ws.offsets_, ws.chunks_.get() + i);
        CUZK_LAUNCHED("k_carry");
    }
}

// sets[set + g] = Σ b·B_b over the buckets of each set of the group. The last set
// may have fewer that are ever filled.
template <class F>
void Bases<F>::weigh(int set, int group, MsmWorkspace<F>& ws, cudaStream_t s) const {
    const WeighRoom<F> room{ws.added_, ws.pairs_, ws.chunk_, ws.additions_, ws.partial_, ws.partial_.size(), ws.sets_.get() + MAX_SETS, ws.scratch_, ws.grid_};
    const int bits = w_.c - 1, last = w_.filled(set + group - 1), full = last < bits ? group - 1 : group;
    const Affine<F>* buckets = ws.buckets_.get() + 1;
    msm::weigh(ws.sets_.get() + set, buckets, bits, full, room, s);
    if (full < group) msm::weigh(ws.sets_.get() + set + full, buckets + ((size_t)full << bits), last, 1, room, s);
}

template <class F>
void Bases<F>::multiply(Affine<F>* out, const Fr* scalars, uint32_t first, uint32_t n, bool montgomery, MsmWorkspace<F>& ws,
                        cudaStream_t s) const {
    if ((uint64_t)first + n > n_) throw ArgumentError("MSM: more scalars than bases");
    check(ws);
    if (n == 0) {
        CUZK_CHECK(cudaMemsetAsync(out, 0, sizeof(Affine<F>), s));
        return;
    }
    for (int set = 0, group; set < w_.sets; set += group) {
        group = group_at(set, n, ws);
        accumulate(set, group, scalars, first, n, montgomery, ws, s);
        weigh(set, group, ws, s);
    }
    k_join<Called<F>><<<1, 1, 0, s>>>(called(out), called(ws.sets_.get()), w_.sets, w_.c);
    CUZK_LAUNCHED("k_join");
}

template <class F>
void Bases<F>::select(Affine<F>* out, const uint64_t* bits, uint32_t first, uint32_t n, MsmWorkspace<F>& ws, cudaStream_t s) const {
    if ((uint64_t)first + n > n_) throw ArgumentError("sum: more bits than bases");
    if (n > ws.entries_) throw ArgumentError("sum: workspace too small");
    check(ws);
    uint32_t count = 0;
    if (n) {
        const uint32_t words = (n + 63) / 64;
        CUZK_CHECK(cudaMemsetAsync(ws.count_, 0, ws.count_.bytes(), s));
        k_select<<<blocks_for(words, 128, multiprocessors() * 16), 128, 0, s>>>(ws.refs_, ws.count_.get(), bits, words, first, n);
        CUZK_LAUNCHED("k_select");
        k_single<<<1, 1, 0, s>>>(ws.offsets_, ws.count_.get());
        ws.count_.download(&count, 1, s);
        CUZK_CHECK(cudaStreamSynchronize(s));
    }
    if (count == 0) {
        CUZK_CHECK(cudaMemsetAsync(out, 0, sizeof(Affine<F>), s));
        return;
    }
    const std::vector<uint32_t> longest = chunks(1, count, ws, s);
    const uint32_t pieces = (uint32_t)longest.size();
    for (uint32_t i = 0; i < pieces; i++) {  // one bucket: the list of a chunk is the chunk
        const int done = levels(i, 1, longest[i], TREE_STOP, ws, s);
        const uint32_t left = left_after(longest[i], done);
        Affine<F>* rest = ws.added_.get() + (longest[i] - left);  // behind the sums
        k_gather<F><<<blocks_for(left, LIST_THREADS), LIST_THREADS, 0, s>>>(rest, points(ws), lists(ws), ws.chunks_.get() + i, done, left);
        CUZK_LAUNCHED("k_gather");
        sum_lists(ws.partial_.get() + i, rest, left, 1, ws.sets_.get() + MAX_SETS, s);
    }
    sum_lists(ws.sets_.get(), ws.partial_.get(), pieces, 1, ws.sets_.get() + MAX_SETS, s);
    k_join<Called<F>><<<1, 1, 0, s>>>(called(out), called(ws.sets_.get()), 1, 1);
    CUZK_LAUNCHED("k_join");
}

}  // namespace cuzk
