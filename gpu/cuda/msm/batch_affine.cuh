// Sums of points by key, in affine coordinates with shared inversions.
//
// The entries of a key (a bucket) are adjacent. One level adds neighbours
// (0,1), (2,3), … of every bucket and so halves the lists; after log2 of the
// longest list one point a bucket is left. An addition costs 5 products, one
// square and a share of an inversion (Montgomery's trick: 3 products), against
// 8 and 2 of an XYZZ addition, so 1 + 6 + 43/(8·K) ≈ 6.2 multiplications here.
//
// Where a bucket's entries start at each level has a closed form, so levels
// need no scan: capacity, not length, is halved and rounded up.
//
// Equal points double, opposite ones cancel, infinity is the neutral element.
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
constexpr int LEVEL_SLOTS = 32;  // additions of one thread that share an inversion

template <class F>
struct LevelArgs {
    const uint32_t* refs;     // level 0: index into bases, sign in the top bit
    const Affine<F>* bases;   // level 0
    const Affine<F>* in;      // later levels
    Affine<F>* out;
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

template <class F>
struct Pair {
    Affine<F> p, q;
    bool has_p, has_q;
};

enum Kind : int { KEEP_P, KEEP_Q, ADD, DOUBLE, CANCEL, NOTHING };

template <class F>
struct LevelReader {
    const LevelArgs<F>& a;

    __device__ __forceinline__ const Affine<F>* at(uint32_t pos, bool& negative) const {
        if (a.level > 0) {
            negative = false;
            return a.in + pos;
        }
        uint32_t r = a.refs[a.chunk->e0 + pos];
        negative = r & NEGATIVE;
        return a.bases + (r & ~NEGATIVE);
    }
};

// What two neighbours ask for, and the denominator of the slope. Only x is read
// unless x is 0 or both are equal.
template <class F>
__device__ __forceinline__ Kind classify(F& d, const F& x1, const F& x2, const F* y1, const F* y2, bool s1, bool s2) {
    d = x2 - x1;
    if (x1.is_zero() && y1->is_zero()) return x2.is_zero() && y2->is_zero() ? CANCEL : KEEP_Q;
    if (x2.is_zero() && y2->is_zero()) return KEEP_P;
    if (!d.is_zero()) return ADD;
    F u = y1->neg_if(s1), v = y2->neg_if(s2);
    if (u != v || u.is_zero()) return CANCEL;
    d = u.twice();
    return DOUBLE;
}

// Replaces every thread's value by its inverse: one warp inverts products of
// one value from each warp.
template <class F>
__device__ __forceinline__ F block_inverse(const F& x, F* shared) {
    constexpr int WARPS = LEVEL_THREADS / 32;
    shared[threadIdx.x] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        F acc = shared[threadIdx.x], pre[WARPS - 1];
        CUZK_UNROLL for (int w = 1; w < WARPS; w++) {
            pre[w - 1] = acc;
            acc = acc * shared[32 * w + threadIdx.x];
        }
        acc = acc.inv();
        CUZK_UNROLL for (int w = WARPS - 1; w > 0; w--) {
            F v = shared[32 * w + threadIdx.x];
            shared[32 * w + threadIdx.x] = acc * pre[w - 1];
            acc = acc * v;
        }
        shared[threadIdx.x] = acc;
    }
    __syncthreads();
    F r = shared[threadIdx.x];
    __syncthreads();
    return r;
}

// One level: out[slot] = in[2r] + in[2r+1] of its bucket.
template <class F>
__global__ void __launch_bounds__(LEVEL_THREADS, F::N == 12 && sizeof(F) == 48 ? 4 : 2) k_level(LevelArgs<F> a) {
    __shared__ F shared[LEVEL_THREADS];
    Walk walk{a.offsets, *a.chunk, a.level, 0, 0, 0, 0, 0};
    const LevelReader<F> reader{a};
    const uint32_t total = level_start(a.offsets, walk.c, walk.c.b_hi + 1, a.level + 1);
    const uint32_t threads = gridDim.x * LEVEL_THREADS;
    const uint32_t spread = (total + threads - 1) / threads;
    const uint32_t slots = spread < LEVEL_SLOTS ? (spread ? spread : 1) : LEVEL_SLOTS;
    F* pre = a.scratch + ((size_t)blockIdx.x * LEVEL_SLOTS) * LEVEL_THREADS + threadIdx.x;

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
            bool s1, s2;
            const Affine<F>*p = reader.at(walk.in + r, s1), *q = reader.at(walk.in + r + 1, s2);
            F d;
            Kind k = classify<F>(d, p->x, q->x, &p->y, &q->y, s1, s2);
            pre[(o - lo) * LEVEL_THREADS] = acc;
            if (k == ADD || k == DOUBLE) acc = acc * d;
        }
        F inv = block_inverse(acc, shared);
#pragma unroll 1
        for (uint32_t o = hi; o-- > lo;) {
            walk.backward(o);
            const uint32_t r = 2 * (o - walk.out);
            if (r >= walk.length) continue;
            bool s1, s2 = false;
            const Affine<F>*p = reader.at(walk.in + r, s1), *q = p;
            if (r + 1 >= walk.length) {
                a.out[o] = {p->x, p->y.neg_if(s1)};
                continue;
            }
            q = reader.at(walk.in + r + 1, s2);
            F x1 = p->x, x2 = q->x, d;
            Kind k = classify<F>(d, x1, x2, &p->y, &q->y, s1, s2);
            F y1 = p->y.neg_if(s1), y2 = q->y.neg_if(s2);
            if (k == ADD || k == DOUBLE) {
                F i = inv * pre[(o - lo) * LEVEL_THREADS];
                inv = inv * d;
                F num = y2 - y1;
                if (k == DOUBLE) {
                    F xx = x1.sqr();
                    num = xx.twice() + xx;
                }
                F l = num * i;
                F x3 = l.sqr() - x1 - x2;
                a.out[o] = {x3, l * (x1 - x3) - y1};
            } else if (k == KEEP_P) {
                a.out[o] = {x1, y1};
            } else if (k == KEEP_Q) {
                a.out[o] = {x2, y2};
            } else {
                a.out[o] = Affine<F>::infinity();
            }
        }
    }
}

#endif

}  // namespace msm
}  // namespace cuzk
