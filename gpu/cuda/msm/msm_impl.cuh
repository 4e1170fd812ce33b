// Definitions of msm.hpp; one .cu per group instantiates them.
#pragma once
#include <algorithm>

#include "../util/pause.hpp"
#include "msm.hpp"
#include "bucket_reduction.cuh"

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
        if (i < n)
            dst[i] = finite ? Affine<F>{times_called(x, inv2), times_called(y, times_called(inv2, inv))}
                            : Affine<F>::infinity();
    }
}

// One bucket that holds *count entries.
static __global__ void k_single(uint32_t* offsets, const uint32_t* count) {
    offsets[0] = offsets[1] = 0;
    offsets[2] = *count;
}

// Waits for what is queued on s: a copy to memory that is not locked does so by
// itself, so it comes when nothing else can be done.
static void fetch(uint32_t* to, const Buffer<uint32_t>& from, size_t n, cudaStream_t s) {
    from.download(to, n, s);
    CUZK_CHECK(cudaStreamSynchronize(s));
}

constexpr size_t MAX_SETS = 128;
constexpr uint32_t TREE_STOP = 1u << 16; // fewer points than this: a tree in XYZZ form beats more levels
constexpr unsigned PLAN_BLOCKS = 1, PLAN_BLOCKS_ALONE = 16; // of a multiprocessor, at most: beside levels, or alone
// A level of fewer additions leaves much of a device idle.
template <class F>
constexpr size_t WIDE_LEAST = (size_t(1) << 22) * sizeof(Fp) / sizeof(F) / LEVEL_BLOCKS<Fp> * LEVEL_BLOCKS<F>;

} // namespace msm

using namespace msm;

template <class F>
MsmWorkspace<F>::MsmWorkspace(size_t entries, size_t buckets, size_t chunk)
    : entries_(std::max<size_t>(entries, 1)),
      chunk_(std::min(std::max<size_t>(chunk, 64), entries_)),
      buckets_n_(buckets) {
    if (entries_ + buckets > 0xffffffffu) throw ArgumentError("MSM: more than 2^32 − 1 entries");
    const bool sorts = buckets > 1;
    const size_t chunks = (entries_ + chunk_ - 1) / chunk_;
    if (sorts) {
        keys_ = Buffer<uint32_t>(entries_), keys2_ = Buffer<uint32_t>(entries_), refs2_ = Buffer<uint32_t>(entries_);
        sort_ = Buffer<uint8_t>(sort_bytes(entries_, 32));
    }
    count_ = Buffer<uint32_t>(1);
    for (int i = 0; i < (sorts ? SORTS : 1); i++) sorted_.emplace_back(entries_, buckets, chunks);
    for (size_t i = 0; i < std::min<size_t>(chunks, CHUNK_SLOTS); i++) chunk_slots_.emplace_back(chunk_);
    buckets_ = Buffer<Affine<F>>(buckets + 1), carry_ = Buffer<Affine<F>>(1);
    partial_ = Buffer<Xyzz<F>>(std::max(reduction_parts(buckets), chunks));
    sets_ = Buffer<Xyzz<F>>(MAX_SETS + SUM_BLOCKS + MAX_SETS);
}

template <class F>
msm::SideStreams* MsmWorkspace<F>::side(bool several, cudaStream_t s) {
    if (!several) return nullptr;
    int order = Stream::LAST;
    CUZK_CHECK(cudaStreamGetPriority(s, &order));
    if (!side_) side_ = std::make_unique<SideStreams>((Stream::Order)order);
    return side_.get();
}

template <class F>
size_t MsmWorkspace<F>::bytes() const {
    size_t n = keys_.bytes() + keys2_.bytes() + refs2_.bytes() + sort_.bytes() + buckets_.bytes() + partial_.bytes() +
               sets_.bytes();
    for (auto& x : sorted_) n += x.bytes();
    for (auto& x : chunk_slots_) n += x.bytes();
    return n;
}

template <class F>
Buffer<Affine<F>> Bases<F>::copied(const Affine<F>* points, uint32_t n, const Windows& w, cudaStream_t s) {
    Buffer<Affine<F>> all((size_t)n * w.copies);
    if (n > 0) CUZK_CHECK(cudaMemcpyAsync(all, points, n * sizeof(Affine<F>), cudaMemcpyDeviceToDevice, s));
    return all;
}

template <class F>
Bases<F>::Bases(const Affine<F>* points, uint32_t n, Windows w, cudaStream_t s)
    : Bases(copied(points, n, w, s), n, w, s) {}

template <class F>
Bases<F>::Bases(Buffer<Affine<F>>&& points, uint32_t n, Windows w, cudaStream_t s)
    : n_(n), w_(w), all_(std::move(points)) {
    if (w.c < 4 || w.c > 28 || (size_t)w.sets > MAX_SETS) throw ArgumentError("MSM: window size must be 4…28");
    if ((uint64_t)n * w.copies >= NEGATIVE) throw ArgumentError("MSM: bases times copies must stay below 2^31");
    if (all_.size() < (size_t)n * w.copies) throw ArgumentError("MSM: no room for the copies");
    if (n == 0) return;
    for (int j = 1; j < w.copies; j++) {
        Affine<F>* dst = all_.get() + (size_t)n * j;
        k_shift<F>
            <<<blocks_for(n, LEVEL_THREADS, multiprocessors() * 64), LEVEL_THREADS, 0, s>>>(dst, dst - n, n, w.round());
        CUZK_LAUNCHED("k_shift");
    }
}

template <class F>
void Bases<F>::check(const MsmWorkspace<F>& ws) const {
    if (all_.size() + ws.chunk_slots_[0].sums.size() > NEGATIVE)
        throw ArgumentError("MSM: bases times copies, with a chunk of entries, must stay below 2^31");
}

// As many sets at a time as fit into the workspace together.
template <class F>
auto Bases<F>::groups(uint32_t n, const MsmWorkspace<F>& ws) const -> std::vector<Group> {
    std::vector<Group> all;
    auto entries = [&](int set, int sets) { return (size_t)n * w_.digits_of(set, sets); };
    for (int set = 0, sets; set < w_.sets; set += sets) {
        for (sets = 0; set + sets < w_.sets && entries(set, sets + 1) <= ws.entries_ &&
                       (size_t)w_.buckets() * (sets + 1) <= ws.buckets_n_;)
            sets++;
        if (sets == 0) throw ArgumentError("MSM: workspace too small");
        all.push_back({set, sets, w_.buckets() * sets, entries(set, sets)});
    }
    return all;
}

// The entries of a group in order of their buckets.
template <class F>
void Bases<F>::sort(const Group& g, const Scalars& x, int at, MsmWorkspace<F>& ws, Pipeline& pipeline) const {
    Sorted& to = ws.sorted_[at];
    const cudaStream_t s = pipeline.sort;
    const unsigned most = multiprocessors() * 32;
    int bits = w_.c;
    while (g.buckets >> bits) bits++;
    pipeline.after(USED + at, s);
    k_digits<<<blocks_for(x.n, 128, most), 128, 0, s>>>(ws.keys_, to.refs, x.k, x.first, x.n, n_, w_, g.set, g.sets);
    CUZK_LAUNCHED("k_digits");
    bool swapped = false;
    msm::sort(ws.sort_, ws.sort_.bytes(), ws.keys_, ws.keys2_, to.refs, ws.refs2_, g.entries, bits, &swapped, s);
    if (swapped) std::swap(ws.keys_, ws.keys2_), std::swap(to.refs, ws.refs2_);
    k_offsets<<<blocks_for(g.buckets + 2, 128, most), 128, 0, s>>>(to.offsets, ws.keys_, (uint32_t)g.entries,
                                                                   g.buckets);
    CUZK_LAUNCHED("k_offsets");
    cut(g.buckets, g.entries, at, ws, pipeline);
}

// Cuts sorted entries into chunks, and finds the longest list of each.
template <class F>
void Bases<F>::cut(uint32_t buckets, size_t entries, int at, MsmWorkspace<F>& ws, Pipeline& pipeline) const {
    Sorted& to = ws.sorted_[at];
    const unsigned n = (unsigned)((entries + ws.chunk_ - 1) / ws.chunk_);
    k_chunks<<<blocks_for(n, 64), 64, 0, pipeline.sort>>>(to.chunks, to.offsets, buckets, ws.chunk_, n);
    CUZK_CHECK(cudaMemsetAsync(to.longest, 0, n * sizeof(uint32_t), pipeline.sort));
    k_longest<<<dim3(blocks_for(buckets, 128, multiprocessors()), n), 128, 0, pipeline.sort>>>(to.longest, to.offsets,
                                                                                               to.chunks);
    CUZK_LAUNCHED("k_longest");
    pipeline.mark(SORTED + at, pipeline.sort);
}

// The longest list of each chunk. Waits until the group is sorted.
template <class F>
std::vector<uint32_t> Bases<F>::lengths(size_t entries, int at, MsmWorkspace<F>& ws, Pipeline& pipeline) const {
    std::vector<uint32_t> longest((entries + ws.chunk_ - 1) / ws.chunk_);
    host_wait(pipeline.sort, pipeline.main, {pipeline.plan, pipeline.rest, pipeline.wide[1]},
              [&] { fetch(longest.data(), ws.sorted_[at].longest, longest.size(), pipeline.sort); });
    return longest;
}

// Plans and adds up the entries of a chunk level by level until no bucket has
// more than `stop` points left; returns the number of levels.
template <class F>
int Bases<F>::levels(const Part& p, uint32_t stop, int slot, MsmWorkspace<F>& ws, Pipeline& pipeline) const {
    int n = 0;
    while (left_after(p.longest, n) > stop) n++;
    plan(p, n, slot, ws, pipeline);
    const ChunkSlot<F>& t = ws.chunk_slots_[slot];
    const cudaStream_t wide = pipeline.next_wide();
    int l = 0;
    auto expected = [&] { return p.entries >> (l + 1); };
    auto add = [&](cudaStream_t s) { // an addition of level l ends a list of more than 2^l entries
        add_level<F>(points(t), t.pairs, t.additions, l, expected(), l == 0 ? p.entries / 2 : p.entries >> l, s,
                     pipeline.alone() ? LEVEL_TILE_ALONE : LEVEL_TILE_BESIDE);
    };
    pipeline.after(FIRST + slot, wide);
    for (; l < n && expected() >= WIDE_LEAST<F>; l++) {
        if (l == 1) pipeline.after(PLANNED + slot, wide);
        add(wide);
    }
    pipeline.mark(ADDED + slot, wide);
    pipeline.after(PLANNED + slot, pipeline.rest), pipeline.after(ADDED + slot, pipeline.rest);
    for (; l < n; l++) add(pipeline.rest);
    return n;
}

// Pairs of the first n levels of a chunk.
template <class F>
void Bases<F>::plan(const Part& p, int n, int slot, MsmWorkspace<F>& ws, Pipeline& pipeline) const {
    const Sorted& from = ws.sorted_[p.at];
    const ChunkSlot<F>& t = ws.chunk_slots_[slot];
    pipeline.after(SORTED + p.at, pipeline.plan), pipeline.after(FREE + slot, pipeline.plan);
    CUZK_CHECK(cudaMemsetAsync(t.additions, 0, t.additions.bytes(), pipeline.plan));
    const unsigned blocks_each = pipeline.alone() ? PLAN_BLOCKS_ALONE : PLAN_BLOCKS;
    for (int l = 0; l < n; l++) {
        // stripes shorten the longest list; but every stripe visits every bucket, so
        // that they are few where buckets are many
        const uint32_t left = left_after(p.longest, l), share = p.buckets >= 1u << 20 ? 1u << 16 : 1u << 12;
        const uint32_t stripes = std::min({left / share + 1, (1u << 29) / (p.buckets + 32) + 1, 2048u});
        const unsigned blocks =
            blocks_for(p.buckets, LIST_THREADS, std::max(multiprocessors() * blocks_each / stripes, 1u));
        k_plan<<<dim3(blocks, stripes), LIST_THREADS, 0, pipeline.plan>>>({lists(from, t), from.offsets,
                                                                           from.chunks.get() + p.chunk, t.pairs,
                                                                           t.additions, (uint32_t)all_.size(), l});
        CUZK_LAUNCHED("k_plan");
        if (l == 0) pipeline.mark(FIRST + slot, pipeline.plan);
    }
    pipeline.mark(PLANNED + slot, pipeline.plan);
}

// Fills the buckets of a group. `next`, if any, queues the sort of the next group,
// which begins when the first chunk is planned: else it would come before its levels.
template <class F>
void Bases<F>::accumulate(const Group& g, const std::vector<uint32_t>& longest, int at, MsmWorkspace<F>& ws,
                          Pipeline& pipeline, std::function<void()> next) const {
    const Sorted& from = ws.sorted_[at];
    CUZK_CHECK(cudaMemsetAsync(ws.buckets_, 0, (g.buckets + 1) * sizeof(Affine<F>), pipeline.rest));
    for (size_t i = 0; i < longest.size(); i++) {
        if (longest[i] == 0) continue; // digits 0 only
        const int slot = pipeline.next_slot((int)ws.chunk_slots_.size());
        const ChunkSlot<F>& t = ws.chunk_slots_[slot];
        const Chunk* chunk = from.chunks.get() + i;
        levels({at, i, std::min(ws.chunk_, g.entries - i * ws.chunk_), g.buckets, longest[i]}, 1, slot, ws, pipeline);
        k_collect<F><<<blocks_for(g.buckets, LIST_THREADS, multiprocessors() * 32), LIST_THREADS, 0, pipeline.rest>>>(
            ws.buckets_, ws.carry_, points(t), lists(from, t), from.offsets, chunk);
        k_carry<F><<<1, 1, 0, pipeline.rest>>>(ws.buckets_, ws.carry_, from.offsets, chunk);
        CUZK_LAUNCHED("k_carry");
        pipeline.mark(FREE + slot, pipeline.rest);
        if (next) {
            pipeline.after(PLANNED + slot, pipeline.sort);
            std::exchange(next, nullptr)();
        }
    }
    if (next) next();
    pipeline.mark(USED + at, pipeline.rest);
}

// sets[s] = Σ b·B_b over the buckets of each set of the group, sets that can be
// full together.
template <class F>
void Bases<F>::reduce_buckets(const Group& g, MsmWorkspace<F>& ws, Pipeline& pipeline) const {
    const int slot = pipeline.next_slot((int)ws.chunk_slots_.size());
    const ChunkSlot<F>& t = ws.chunk_slots_[slot];
    const ReductionWork<F> room{
        t.sums, t.pairs, ws.chunk_, t.additions, ws.partial_, ws.partial_.size(), ws.sets_.get() + MAX_SETS};
    const Affine<F>* buckets = ws.buckets_.get() + 1;
    for (int i = 0, n; i < g.sets; i += n) {
        const int bits = w_.filled(g.set + i);
        for (n = 1; bits == w_.c - 1 && i + n < g.sets && w_.filled(g.set + i + n) == bits;) n++;
        msm::reduce_buckets(ws.sets_.get() + g.set + i, buckets + (size_t)i * w_.buckets(), bits, n, room,
                            pipeline.rest);
    }
    pipeline.mark(FREE + slot, pipeline.rest);
}

template <class F>
void Bases<F>::multiply(Affine<F>* out, const Fr* scalars, uint32_t first, uint32_t n, MsmWorkspace<F>& ws,
                        cudaStream_t s) const {
    if ((uint64_t)first + n > n_) throw ArgumentError("MSM: more scalars than bases");
    check(ws);
    if (n == 0) {
        CUZK_CHECK(cudaMemsetAsync(out, 0, sizeof(Affine<F>), s));
        return;
    }
    const std::vector<Group> all = groups(n, ws);
    const Scalars x{scalars, first, n};
    Pipeline pipeline(ws.side(all.size() > 1 || all[0].entries > ws.chunk_, s), s);
    sort(all[0], x, 0, ws, pipeline);
    for (size_t i = 0; i < all.size(); i++) {
        const std::vector<uint32_t> longest = lengths(all[i].entries, i % SORTS, ws, pipeline);
        std::function<void()> next;
        if (i + 1 < all.size()) next = [&] { sort(all[i + 1], x, (i + 1) % SORTS, ws, pipeline); };
        accumulate(all[i], longest, i % SORTS, ws, pipeline, std::move(next));
        reduce_buckets(all[i], ws, pipeline);
    }
    k_join<Called<F>><<<1, 1, 0, pipeline.rest>>>(called(out), called(ws.sets_.get()), w_.sets, w_);
    CUZK_LAUNCHED("k_join");
    pipeline.end();
}

// The references of set bits, as one bucket; how many.
template <class F>
uint32_t Bases<F>::choose(const uint64_t* bits, uint32_t first, uint32_t n, MsmWorkspace<F>& ws, cudaStream_t s) const {
    uint32_t count = 0;
    if (n == 0) return 0;
    const uint32_t words = (n + 63) / 64;
    CUZK_CHECK(cudaMemsetAsync(ws.count_, 0, ws.count_.bytes(), s));
    k_select<<<blocks_for(words, 128, multiprocessors() * 16), 128, 0, s>>>(ws.sorted_[0].refs, ws.count_.get(), bits,
                                                                            words, first, n);
    CUZK_LAUNCHED("k_select");
    k_single<<<1, 1, 0, s>>>(ws.sorted_[0].offsets, ws.count_.get());
    host_wait(s, s, {}, [&] { fetch(&count, ws.count_, 1, s); });
    return count;
}

template <class F>
void Bases<F>::select(Affine<F>* out, const uint64_t* bits, uint32_t first, uint32_t n, MsmWorkspace<F>& ws,
                      cudaStream_t s) const {
    if ((uint64_t)first + n > n_) throw ArgumentError("sum: more bits than bases");
    if (n > ws.entries_) throw ArgumentError("sum: workspace too small");
    check(ws);
    const uint32_t count = choose(bits, first, n, ws, s);
    if (count == 0) {
        CUZK_CHECK(cudaMemsetAsync(out, 0, sizeof(Affine<F>), s));
        return;
    }
    Pipeline pipeline(ws.side(count > ws.chunk_, s), s);
    cut(1, count, 0, ws, pipeline);
    const uint32_t pieces = (uint32_t)((count + ws.chunk_ - 1) / ws.chunk_);
    for (uint32_t i = 0; i < pieces; i++) { // one bucket: the list of a chunk is the chunk
        const uint32_t here = (uint32_t)std::min<size_t>(ws.chunk_, count - i * ws.chunk_);
        const int slot = pipeline.next_slot((int)ws.chunk_slots_.size());
        const ChunkSlot<F>& t = ws.chunk_slots_[slot];
        const int done = levels({0, i, here, 1, here}, TREE_STOP, slot, ws, pipeline);
        const uint32_t left = left_after(here, done);
        Affine<F>* rest = t.sums.get() + (t.sums.size() - left); // behind the sums
        k_gather<F><<<blocks_for(left, LIST_THREADS), LIST_THREADS, 0, pipeline.rest>>>(
            rest, points(t), lists(ws.sorted_[0], t), ws.sorted_[0].chunks.get() + i, done, left);
        CUZK_LAUNCHED("k_gather");
        sum_lists(ws.partial_.get() + i, rest, left, 1, ws.sets_.get() + MAX_SETS, pipeline.rest);
        pipeline.mark(FREE + slot, pipeline.rest);
    }
    sum_lists(ws.sets_.get(), ws.partial_.get(), pieces, 1, ws.sets_.get() + MAX_SETS, pipeline.rest);
    k_join<Called<F>><<<1, 1, 0, pipeline.rest>>>(called(out), called(ws.sets_.get()), 1, w_);
    CUZK_LAUNCHED("k_join");
    pipeline.end();
}

} // namespace cuzk
