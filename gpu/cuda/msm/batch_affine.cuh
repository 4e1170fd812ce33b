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
    F* scratch;               // LEVEL_SLOTS·LEVEL_THREADS per block: running products
    uint4* plan;              // as many: what to do with each slot
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
};

#ifdef __CUDACC__

// What a slot of the output asks for. Entries are references with signs at
// level 0, positions later.
enum Kind : uint32_t { NOTHING, COPY, ADD, COMPLETE_ADD };
constexpr uint32_t TO_OUT = 0, TO_CARRY = 0xffffffffu;  // else: the number of a bucket

struct Slot {
    uint32_t p, q, target;
    uint32_t kind;
};

template <class F>
__device__ __forceinline__ Slot slot_at(const LevelArgs<F>& a, Walk& walk, uint32_t o, uint32_t hi) {
    Slot s{0, 0, TO_OUT, NOTHING};
    if (o >= hi) return s;
    walk.forward(o);
    const uint32_t r = 2 * (o - walk.out);
    if (r >= walk.length) return s;
    if (a.buckets && walk.length <= 2) {  // the bucket is complete with this slot
        if (walk.length == 1 && a.level > 0) return s;  // and went to its place before
        s.target = a.offsets[walk.b] >= walk.c.e0 ? walk.b : TO_CARRY;
    }
    s.kind = r + 1 < walk.length ? ADD : COPY;
    s.p = walk.in + r;
    s.q = s.kind == ADD ? s.p + 1 : s.p;
    if (a.level == 0) s.p = a.refs[walk.c.e0 + s.p], s.q = a.refs[walk.c.e0 + s.q];
    return s;
}

template <class F>
__device__ __forceinline__ const Affine<F>* point_of(const LevelArgs<F>& a, uint32_t entry) {
    return a.level == 0 ? a.bases + (entry & ~NEGATIVE) : a.in + entry;
}
template <class F>
__device__ __forceinline__ bool negative(const LevelArgs<F>& a, uint32_t entry) {
    return a.level == 0 && (entry & NEGATIVE);
}

// Shared memory of one thread's next operands, filled by asynchronous copies:
// element e of a thread lies at 16-byte piece e·PIECES + i, threads adjacent.
template <class F>
struct Staging {
    static constexpr int PIECES = sizeof(F) / 16;
    static constexpr size_t BYTES = (size_t)LEVEL_THREADS * 5 * sizeof(F);  // x1, y1, x2, y2, running product
    uint4* mine;

    __device__ __forceinline__ void fetch(int element, const F* from) const {
        CUZK_UNROLL for (int i = 0; i < PIECES; i++) {
            uint32_t to = (uint32_t)__cvta_generic_to_shared(mine + (element * PIECES + i) * LEVEL_THREADS);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"((const uint4*)from + i) : "memory");
        }
    }
    // Ends a group of copies; waits until at most `later` younger groups are open.
    __device__ __forceinline__ void commit() const { asm volatile("cp.async.commit_group;" ::: "memory"); }
    template <int later>
    __device__ __forceinline__ void wait() const {
        asm volatile("cp.async.wait_group %0;" ::"n"(later) : "memory");
    }
    __device__ __forceinline__ F get(int element) const {
        F f;
        uint4* to = reinterpret_cast<uint4*>(&f);
        CUZK_UNROLL for (int i = 0; i < PIECES; i++) to[i] = mine[(element * PIECES + i) * LEVEL_THREADS];
        return f;
    }
};

// *out = ±p ± q for any two points.
template <class F>
__device__ __noinline__ void add_complete(Affine<F>* out, const Affine<F>* p, const Affine<F>* q, bool p_negative, bool q_negative) {
    using C = Called<F>;
    Affine<C> a = *reinterpret_cast<const Affine<C>*>(p), b = *reinterpret_cast<const Affine<C>*>(q);
    a.y = a.y.neg_if(p_negative), b.y = b.y.neg_if(q_negative);
    Xyzz<C> s = Xyzz<C>::from(a);
    s.add(b);
    *reinterpret_cast<Affine<C>*>(out) = a.is_infinity() ? b : b.is_infinity() ? a : s.affine();
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

// Forward over a thread's slots: the product of all slopes' denominators, the
// running products kept. Loads run one slot ahead of their use, references two.
template <class F>
__device__ __forceinline__ F level_forward(const LevelArgs<F>& a, Walk& walk, uint32_t lo, uint32_t hi, F* pre, uint4* plan,
                                           const Staging<F>& st) {
    F acc = F::one();
    if (lo < hi) walk.seek(lo);
    Slot now = slot_at(a, walk, lo, hi), next = slot_at(a, walk, lo + 1, hi);
    auto fetch = [&](const Slot& s, int element) {
        if (s.kind == ADD) {
            st.fetch(element, &point_of(a, s.p)->x);
            st.fetch(element + 1, &point_of(a, s.q)->x);
        }
        st.commit();
    };
    int element = 0;
    fetch(now, element);
#pragma unroll 1
    for (uint32_t o = lo; o < hi; o++, pre += LEVEL_THREADS, plan += LEVEL_THREADS) {
        fetch(next, element ^ 2);
        st.template wait<1>();
        F d = F::one();
        if (now.kind == ADD) {
            F x1 = st.get(element), x2 = st.get(element + 1);
            d = x2 - x1;
            if (d.is_zero() || x1.is_zero() || x2.is_zero()) now.kind = COMPLETE_ADD;  // equal, opposite or infinite
        }
        element ^= 2;
        *plan = make_uint4(now.p, now.q, now.target, now.kind);
        const bool adds = now.kind == ADD;
        now = next;
        next = slot_at(a, walk, o + 2, hi);
        if (adds) {
            *pre = acc;
            acc = F::times_lazy(acc, d);
        }
    }
    st.template wait<0>();
    return acc;
}

// Neither group has a point with y = 0, so that flip_if may negate any y.
// Backward: every slot's own inverse, its slope and its sum. One product is in
// the code, used five times: the code must stay in the instruction cache.
template <class F>
__device__ __forceinline__ void level_backward(const LevelArgs<F>& a, F inv, uint32_t lo, uint32_t hi, const F* pre, const uint4* plan,
                                               const Staging<F>& st) {
    auto fetch = [&](const uint4& s, const F* running) {
        if (s.w == COPY || s.w == ADD) {
            const Affine<F>* p = point_of(a, s.x);
            st.fetch(0, &p->x), st.fetch(1, &p->y);
        }
        if (s.w == ADD) {
            const Affine<F>* q = point_of(a, s.y);
            st.fetch(2, &q->x), st.fetch(3, &q->y);
            st.fetch(4, running);
        }
        st.commit();
    };
    const uint4 none = make_uint4(0, 0, 0, NOTHING);
    uint32_t j = hi - lo;
    uint4 now = j > 0 ? plan[(j - 1) * LEVEL_THREADS] : none, next = j > 1 ? plan[(j - 2) * LEVEL_THREADS] : none;
    if (j > 0) fetch(now, pre + (j - 1) * LEVEL_THREADS);
#pragma unroll 1
    while (j-- > 0) {
        const uint4 later = j > 1 ? plan[(j - 2) * LEVEL_THREADS] : none;
        const F* running = pre + (j > 0 ? j - 1 : 0) * LEVEL_THREADS;
        Affine<F>* out = now.z == TO_OUT ? a.out + lo + j : now.z == TO_CARRY ? a.carry : a.buckets + now.z;
        st.template wait<0>();
        if (now.w != ADD) {
            if (now.w == COPY)
                *out = {st.get(0), st.get(1).neg_if(negative(a, now.x))};
            else if (now.w == COMPLETE_ADD)
                add_complete(out, point_of(a, now.x), point_of(a, now.y), negative(a, now.x), negative(a, now.y));
            fetch(next, running);
        } else {
            F u = inv, v = st.get(4), l = u, x = u, y = u, both = u;
#pragma unroll 1
            for (int step = 0;; step++) {
                F w = F::times_lazy(u, v);
                if (step == 0) {  // 1/d; go on to the next slot's inverse
                    l = w;
                    x = st.get(0), both = st.get(2);
                    v = F::minus_lazy(both, x);
                    both = both + x;
                } else if (step == 1) {
                    inv = w;
                    y = st.get(1), u = st.get(3);
                    if (a.level == 0) y.flip_if(negative(a, now.x)), u.flip_if(negative(a, now.y));
                    u = F::minus_lazy(u, y);
                    v = l;
                    fetch(next, running);  // the staging memory is free now
                } else if (step == 2) {  // slope
                    u = v = l = w;
                } else if (step == 3) {
                    w.reduce_once();
                    both = w - both;  // x3
                    v = F::minus_lazy(x, both);
                } else {
                    w.reduce_once();
                    *out = {both, w - y};
                    break;
                }
            }
        }
        now = next, next = later;
    }
}

// One level: out[slot] = in[2r] + in[2r+1] of its bucket.
template <class F>
__global__ void __launch_bounds__(LEVEL_THREADS, sizeof(F) == sizeof(Fp) ? 4 : 2) k_level(LevelArgs<F> a) {
    extern __shared__ uint4 raw[];
    static_assert(5 * sizeof(F) >= 2 * sizeof(F), "the inverse shares the staging memory");
    const Staging<F> st{raw + threadIdx.x};
    Walk walk{a.offsets, *a.chunk, a.level, 0, 0, 0, 0, 0};
    const uint32_t total = level_start(a.offsets, walk.c, walk.c.b_hi + 1, a.level + 1);
    const uint32_t threads = gridDim.x * LEVEL_THREADS;
    const uint32_t spread = (total + threads - 1) / threads;
    const uint32_t slots = spread < LEVEL_SLOTS ? (spread ? spread : 1) : LEVEL_SLOTS;
    const size_t own = ((size_t)blockIdx.x * LEVEL_SLOTS) * LEVEL_THREADS + threadIdx.x;

#pragma unroll 1
    for (uint64_t tile = blockIdx.x; tile * slots * LEVEL_THREADS < total; tile += gridDim.x) {
        const uint64_t first = (tile * LEVEL_THREADS + threadIdx.x) * slots;
        const uint32_t lo = (uint32_t)(first < total ? first : total);
        const uint32_t hi = (uint32_t)(first + slots < total ? first + slots : total);
        F acc = level_forward(a, walk, lo, hi, a.scratch + own, a.plan + own, st);
        __syncthreads();
        F inv = block_inverse(acc, reinterpret_cast<F*>(raw));
        level_backward(a, inv, lo, hi, a.scratch + own, a.plan + own, st);
    }
}

#endif

}  // namespace msm
}  // namespace cuzk
