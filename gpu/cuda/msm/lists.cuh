// What is to be added: the references of a chunk, bucket by bucket, and how one
// level of additions in pairs shortens every bucket's list.
//
// A reference names a base, with a sign in its top bit, or the sum of an earlier
// addition of the chunk. A level pairs neighbours (0,1), (2,3), … of every list,
// numbers the additions in any order without gaps, and writes the next lists: a
// sum for each pair, and the last entry of an odd list as it is, so that no point
// is copied. List l of a bucket starts where the bucket's entries do.
#pragma once
#include "../ec/curve.cuh"

namespace cuzk {
namespace msm {

// Entries [e0, e1) of the sorted list, which touch buckets b_lo … b_hi.
struct Chunk {
    uint32_t e0, e1, b_lo, b_hi;
};

constexpr uint32_t NEGATIVE = 1u << 31; // sign bit of a reference
constexpr int MOST_LEVELS = 32;

// Places lost because levels begin at multiples of 32, for a chunk of n entries.
inline size_t levels_padding(size_t n) {
    size_t p = 32;
    for (; n > 1; n /= 2) p += 32;
    return p;
}

// A bucket's entries within a chunk; start counts from the chunk's first.
struct Part {
    uint32_t start, length;
};
CUZK_HD Part part_of(const uint32_t* offsets, const Chunk& c, uint32_t b) {
    uint32_t from = offsets[b], to = offsets[b + 1];
    from = from < c.e0 ? c.e0 : from > c.e1 ? c.e1 : from;
    to = to < c.e0 ? c.e0 : to > c.e1 ? c.e1 : to;
    return {from - c.e0, to - from};
}

// What n entries have become after some levels.
CUZK_HD uint32_t left_after(uint32_t n, int levels) { return n == 0 ? 0 : ((n - 1) >> levels) + 1; }

// The lists of one chunk: those before the first level, with all other chunks',
// then two by turns.
struct Lists {
    const uint32_t* refs;
    uint32_t* later[2];

    CUZK_HD const uint32_t* after(int levels, const Chunk& c) const {
        return levels == 0 ? refs + c.e0 : levels & 1 ? later[1] : later[0];
    }
    CUZK_HD uint32_t* next(int level) const { return level & 1 ? later[0] : later[1]; }
};

// Where references lead.
template <class F>
struct Points {
    const Affine<F>* bases;
    Affine<F>* sums;
    uint32_t n_bases; // references below are bases, the others sums

    CUZK_HD const Affine<F>* at(uint32_t ref) const {
        const uint32_t i = ref & ~NEGATIVE;
        return (i < n_bases ? bases : sums - n_bases) + i;
    }
    CUZK_HD Affine<F> get(uint32_t ref) const {
        Affine<F> p = *at(ref);
        p.y = p.y.neg_if(ref & NEGATIVE);
        return p;
    }
};

#ifdef __CUDACC__

constexpr uint32_t LIST_THREADS = 256, LIST_WARPS = LIST_THREADS / 32;

struct PlanArgs {
    Lists lists;
    const uint32_t* offsets;
    const Chunk* chunk;
    uint2* pairs;     // out: the operands of each addition, of all levels
    uint32_t* counts; // additions of each level, this one's 0 before
    uint32_t n_bases;
    int level;
};

__device__ __forceinline__ uint32_t sum_before(uint32_t x, uint32_t lane) {
    uint32_t s = x;
    for (int d = 1; d < 32; d *= 2) {
        uint32_t y = __shfl_up_sync(0xffffffffu, s, d);
        if (lane >= d) s += y;
    }
    return s - x;
}

// Where the additions of a level begin among those of all levels: at a full row
// of a warp.
__device__ __forceinline__ uint32_t additions_before(const uint32_t* counts, int level) {
    uint32_t n = 0;
    for (int l = 0; l < level; l++) n += (counts[l] + 31) & ~31u;
    return n;
}

// Bases of numbers handed out to warps: each gets as many as it asks for, one
// step of the counter for a whole block.
struct Numbers {
    uint32_t wanted[LIST_WARPS], base;
};
static __device__ __forceinline__ uint32_t take_numbers(Numbers& n, uint32_t* counter, uint32_t wanted) {
    const uint32_t warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) n.wanted[warp] = wanted;
    __syncthreads();
    uint32_t before = 0, all = 0;
    for (uint32_t w = 0; w < LIST_WARPS; w++) {
        if (w == warp) before = all;
        all += n.wanted[w];
    }
    if (threadIdx.x == 0) n.base = all ? atomicAdd(counter, all) : 0;
    __syncthreads();
    return n.base + before;
}

// The pairs of 32 buckets from `first` on, one bucket a lane, or a share of
// them: stripe blockIdx.y of gridDim.y, so that a long list does not stay with
// one warp. All warps of a block call this together.
static __device__ __forceinline__ void plan_buckets(const PlanArgs& a, const Chunk& c, uint32_t first, uint32_t done,
                                                    Numbers& numbers) {
    constexpr uint32_t ALL = 0xffffffffu;
    constexpr int BATCH = 4; // slots of a lane whose loads are under way together
    const uint32_t lane = threadIdx.x % 32;
    const Part part = first + lane <= c.b_hi ? part_of(a.offsets, c, first + lane) : Part{0, 0};
    const uint32_t n = left_after(part.length, a.level), slots = n < 2 ? 0 : n / 2 + (n & 1);
    const uint32_t before = sum_before(slots, lane), total = __shfl_sync(ALL, before + slots, 31);
    const uint32_t t0 = (uint32_t)((uint64_t)total * blockIdx.y / gridDim.y),
                   t1 = (uint32_t)((uint64_t)total * (blockIdx.y + 1) / gridDim.y);

    // the additions among this lane's slots in [t0, t1), and their numbers
    const uint32_t skipped = min(min(max(t0, before) - before, slots), n / 2);
    const uint32_t mine = min(min(max(t1, before) - before, slots), n / 2) - skipped;
    uint32_t number = sum_before(mine, lane);
    number += take_numbers(numbers, a.counts + a.level, __shfl_sync(ALL, number + mine, 31)) - skipped;

    const uint32_t* in = a.lists.after(a.level, c);
    uint32_t* out = a.lists.next(a.level);
    for (uint32_t round = t0; round < t1; round += 32 * BATCH) {
        uint32_t from[BATCH], to[BATCH], k[BATCH], p[BATCH], q[BATCH];
        bool pair[BATCH];
        CUZK_UNROLL for (int i = 0; i < BATCH; i++) {
            const uint32_t t = min(round + 32 * i + lane, t1 - 1);
            int j = 0; // the last lane whose slots begin at or before t
            for (int d = 16; d > 0; d /= 2)
                if (__shfl_sync(ALL, before, j + d) <= t) j += d;
            const uint32_t r = t - __shfl_sync(ALL, before, j), at = __shfl_sync(ALL, part.start, j);
            from[i] = at + 2 * r, to[i] = at + r, k[i] = __shfl_sync(ALL, number, j) + r;
            pair[i] = 2 * r + 1 < __shfl_sync(ALL, n, j);
        }
        CUZK_UNROLL for (int i = 0; i < BATCH; i++) p[i] = __ldg(in + from[i]), q[i] = __ldg(in + from[i] + pair[i]);
        CUZK_UNROLL for (int i = 0; i < BATCH; i++) {
            if (round + 32 * i + lane >= t1) continue;
            if (pair[i]) a.pairs[done + k[i]] = make_uint2(p[i], q[i]);
            out[to[i]] = pair[i] ? a.n_bases + done + k[i] : p[i];
        }
    }
}

static __global__ void __launch_bounds__(LIST_THREADS) k_plan(PlanArgs a) {
    __shared__ Numbers numbers[2]; // by turns: no warp may still read what the next round writes
    const Chunk c = *a.chunk;
    const uint32_t done = additions_before(a.counts, a.level), warp = threadIdx.x / 32;
    int turn = 0;
    for (uint32_t first = c.b_lo + LIST_THREADS * blockIdx.x; first <= c.b_hi;
         first += LIST_THREADS * gridDim.x, turn ^= 1)
        plan_buckets(a, c, first + 32 * warp, done, numbers[turn]);
}

// The one point left of every bucket goes to its place, or to `carry` if an
// earlier chunk began the bucket.
template <class F>
__global__ void __launch_bounds__(LIST_THREADS) k_collect(Affine<F>* buckets, Affine<F>* carry, Points<F> points,
                                                          Lists lists, const uint32_t* offsets, const Chunk* chunk) {
    const Chunk c = *chunk;
    for (uint32_t b = c.b_lo + blockIdx.x * LIST_THREADS + threadIdx.x; b <= c.b_hi; b += gridDim.x * LIST_THREADS) {
        const Part part = part_of(offsets, c, b);
        if (part.length == 0) continue;
        const int levels = 32 - __clz(part.length - 1); // until one is left
        *(offsets[b] >= c.e0 ? buckets + b : carry) = points.get(lists.after(levels, c)[part.start]);
    }
}

// out[i] = the i-th entry of a chunk of one bucket, after some levels.
template <class F>
__global__ void __launch_bounds__(LIST_THREADS)
    k_gather(Affine<F>* out, Points<F> points, Lists lists, const Chunk* chunk, int levels, uint32_t n) {
    const uint32_t* list = lists.after(levels, *chunk);
    for (uint32_t i = blockIdx.x * LIST_THREADS + threadIdx.x; i < n; i += gridDim.x * LIST_THREADS)
        out[i] = points.get(list[i]);
}

#endif

} // namespace msm
} // namespace cuzk
