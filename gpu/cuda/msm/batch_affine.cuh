// Sums of points by key, in affine coordinates with shared inversions.
//
// The entries of a key (a bucket) are adjacent. One level adds neighbours
// (0,1), (2,3), … of every bucket and so halves the lists; after log2 of the
// longest list one point a bucket is left. An addition costs 5 products, one
// square and a share of an inversion (Montgomery's trick: 3 products), against
// 8 and 2 of an XYZZ addition.
//
// Where a bucket's entries start at each level has a closed form, so levels
// need no scan: capacity, not length, is halved and rounded up.
//
// Equal, opposite and infinite points leave the fast path: they are added in
// XYZZ form, one by one.
#pragma once
#include "../ec/curve.cuh"

namespace cuzk {
namespace msm {

// Entries [e0, e1) of the sorted list, which touch buckets b_lo … b_hi.
struct Chunk {
    uint32_t e0, e1, b_lo, b_hi;
};

constexpr uint32_t NEGATIVE = 1u << 31;  // sign bit of a reference

constexpr int LEVEL_THREADS = 128;
constexpr int LEVEL_SLOTS = 64;  // additions of one thread that share an inversion

template <class F>
struct LevelArgs {
    const uint32_t* refs;     // level 0: index into bases, sign in the top bit
    const Affine<F>* bases;   // level 0
    const Affine<F>* in;      // later levels
    Affine<F>* out;
    Affine<F>* buckets;       // takes sums that are complete; null: they stay in out
    Affine<F>* carry;         // a complete sum of a bucket that an earlier chunk began
    const uint32_t* offsets;  // first entry of each bucket; one more than buckets
    const Chunk* chunk;
    F* scratch;               // LEVEL_SLOTS·LEVEL_THREADS per block
    int level;
};

// Where bucket b starts at level l of a chunk.
CUZK_HD uint32_t level_start(const uint32_t* offsets, const Chunk& c, uint32_t b, int level) {
    uint32_t x = offsets[b];
    x = (x < c.e0 ? c.e0 : x > c.e1 ? c.e1 : x) - c.e0;
    for (int i = 0; i < level; i++) x = (x + (b - c.b_lo) + 1) >> 1;
    return x;
}

// How many entries bucket b has there.
CUZK_HD uint32_t level_length(const uint32_t* offsets, const Chunk& c, uint32_t b, int level) {
    uint32_t n = level_start(offsets, c, b + 1, 0) - level_start(offsets, c, b, 0);
    return n == 0 ? 0 : ((n - 1) >> level) + 1;
}

// A position in the output of one level: bucket, its input and output ranges.
struct Walk {
    const uint32_t* offsets;
    Chunk c;
    int level;
    uint32_t b, in, out, next, length;

    CUZK_HD void load() {
        in = level_start(offsets, c, b, level);
        out = level_start(offsets, c, b, level + 1);
        next = level_start(offsets, c, b + 1, level + 1);
        length = level_length(offsets, c, b, level);
    }
    CUZK_HD void seek(uint32_t slot) {
        uint32_t lo = c.b_lo, hi = c.b_hi;
        while (lo < hi) {  // last bucket that starts at or before slot
            uint32_t mid = lo + (hi - lo + 1) / 2;
            if (level_start(offsets, c, mid, level + 1) <= slot)
                lo = mid;
            else
                hi = mid - 1;
        }
        b = lo;
        load();
    }
    CUZK_HD void forward(uint32_t slot) {
        while (slot >= next && b < c.b_hi) b++, load();
    }
    CUZK_HD void backward(uint32_t slot) {
        while (slot < out) b--, load();
    }
};

#ifdef __CUDACC__

// Two neighbours.
template <class F>
struct Pair {
    const Affine<F>*p, *q;
    bool p_negative, q_negative;

    // Entries pos and pos + 1 of a level's input; only the first if `single`.
    static __device__ __forceinline__ Pair at(const LevelArgs<F>& a, uint32_t first, uint32_t pos, bool single) {
        if (a.level > 0) return {a.in + pos, a.in + pos + 1, false, false};
        const uint32_t r = a.refs[first + pos], t = single ? r : a.refs[first + pos + 1];
        return {a.bases + (r & ~NEGATIVE), a.bases + (t & ~NEGATIVE), (r & NEGATIVE) != 0, (t & NEGATIVE) != 0};
    }
    // Asks for `bytes` of each point ahead of their use; a hint only.
    __device__ __forceinline__ void prefetch(int bytes) const {
        CUZK_UNROLL for (int i = 0; i < bytes; i += 32) {
            asm volatile("prefetch.global.L1 [%0];" ::"l"((const char*)p + i));
            asm volatile("prefetch.global.L1 [%0];" ::"l"((const char*)q + i));
        }
    }
};

// Denominator of the slope; false for the pairs that need the complete formulas.
template <class F>
__device__ __forceinline__ bool denominator(F& d, const F& x1, const F& x2) {
    d = x2 - x1;
    return !d.is_zero() && !x1.is_zero() && !x2.is_zero();
}

template <class F>
__device__ __noinline__ void add_complete(Affine<F>* out, const Affine<F>* p, const Affine<F>* q, bool p_negative, bool q_negative) {
    Affine<F> a{p->x, p->y.neg_if(p_negative)}, b{q->x, q->y.neg_if(q_negative)};
    if (a.is_infinity()) {
        *out = b;
        return;
    }
    if (b.is_infinity()) {
        *out = a;
        return;
    }
    Xyzz<F> s = Xyzz<F>::from(a);
    s.add(Xyzz<F>::from(b));
    *out = s.affine();
}

// Replaces every thread's value by its inverse: one warp inverts products of
// one value from each warp. `shared` has room for two values a thread.
template <class F>
__device__ __forceinline__ F block_inverse(const F& x, F* shared) {
    constexpr int WARPS = LEVEL_THREADS / 32;
    shared[threadIdx.x] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        // rolled loops: code size matters more than these few products
        F* mine = shared + threadIdx.x;
        F acc = mine[0];
#pragma unroll 1
        for (int w = 1; w < WARPS; w++) {
            acc = acc * mine[32 * w];
            mine[32 * WARPS + 32 * w] = acc;  // products of the first w + 1
        }
        acc = acc.inv();
#pragma unroll 1
        for (int w = WARPS - 1; w > 0; w--) {
            F v = mine[32 * w];
            mine[32 * w] = acc * (w > 1 ? mine[32 * WARPS + 32 * (w - 1)] : mine[0]);
            acc = acc * v;
        }
        mine[0] = acc;
    }
    __syncthreads();
    F r = shared[threadIdx.x];
    __syncthreads();
    return r;
}

// One level: out[slot] = in[2r] + in[2r+1] of its bucket.
template <class F>
__global__ void __launch_bounds__(LEVEL_THREADS, sizeof(F) == sizeof(Fp) ? 4 : 2) k_level(LevelArgs<F> a) {
    __shared__ F shared[2 * LEVEL_THREADS];
    Walk walk{a.offsets, *a.chunk, a.level, 0, 0, 0, 0, 0};
    const uint32_t total = level_start(a.offsets, walk.c, walk.c.b_hi + 1, a.level + 1);
    const uint32_t end = level_start(a.offsets, walk.c, walk.c.b_hi + 1, a.level);
    const uint32_t threads = gridDim.x * LEVEL_THREADS;
    const uint32_t spread = (total + threads - 1) / threads;
    const uint32_t slots = spread < LEVEL_SLOTS ? (spread ? spread : 1) : LEVEL_SLOTS;
    F* pre = a.scratch + ((size_t)blockIdx.x * LEVEL_SLOTS) * LEVEL_THREADS + threadIdx.x;

#pragma unroll 1
    for (uint64_t tile = blockIdx.x; tile * slots * LEVEL_THREADS < total; tile += gridDim.x) {
        const uint64_t first = (tile * LEVEL_THREADS + threadIdx.x) * slots;
        const uint32_t lo = (uint32_t)(first < total ? first : total);
        const uint32_t hi = (uint32_t)(first + slots < total ? first + slots : total);
        F acc = F::one();
        if (lo < hi) walk.seek(lo);
#pragma unroll 1
        for (uint32_t o = lo; o < hi; o++) {
            walk.forward(o);
            const uint32_t r = 2 * (o - walk.out);
            if (r + 1 >= walk.length) continue;  // nothing, or one entry to copy
            const uint32_t pos = walk.in + r;
            const Pair<F> pair = Pair<F>::at(a, walk.c.e0, pos, false);
            F x1 = pair.p->x, x2 = pair.q->x, d;
            if (pos + 3 < end) Pair<F>::at(a, walk.c.e0, pos + 2, false).prefetch(sizeof(F));
            const bool fast = denominator(d, x1, x2);
            if (!fast) continue;
            pre[(o - lo) * LEVEL_THREADS] = acc;
            acc = acc * d;
        }
        F inv = block_inverse(acc, shared);
#pragma unroll 1
        for (uint32_t o = hi; o-- > lo;) {
            walk.backward(o);
            const uint32_t r = 2 * (o - walk.out);
            if (r >= walk.length) continue;
            const bool complete = a.buckets && walk.length <= 2;
            if (complete && walk.length == 1 && a.level > 0) continue;  // went to its bucket before
            Affine<F>* out = !complete ? a.out + o : a.offsets[walk.b] >= walk.c.e0 ? a.buckets + walk.b : a.carry;
            const uint32_t pos = walk.in + r;
            const bool single = r + 1 >= walk.length;
            const Pair<F> pair = Pair<F>::at(a, walk.c.e0, pos, single);
            F x1 = pair.p->x, y1 = pair.p->y.neg_if(pair.p_negative);
            if (single) {
                *out = {x1, y1};
                continue;
            }
            F x2 = pair.q->x, d;
            if (!denominator(d, x1, x2)) {
                add_complete(out, pair.p, pair.q, pair.p_negative, pair.q_negative);
                continue;
            }
            F y2 = pair.q->y.neg_if(pair.q_negative);
            if (pos >= 2) Pair<F>::at(a, walk.c.e0, pos - 2, false).prefetch(sizeof(Affine<F>));
            F l = (y2 - y1) * (inv * pre[(o - lo) * LEVEL_THREADS]);
            inv = inv * d;
            F x3 = l.sqr() - x1 - x2;
            *out = {x3, l * (x1 - x3) - y1};
        }
    }
}

#endif

}  // namespace msm
}  // namespace cuzk
