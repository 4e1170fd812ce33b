// Sums of points by key, in affine coordinates with shared inversions: the
// additions of one level (lists.cuh), all of the same kind, without gaps.
//
// An addition costs 5 products, one square and a share of an inversion
// (Montgomery's trick: 3 of the products), against 8 and 2 of an XYZZ addition.
// Equal, opposite and infinite points leave the fast path: they are added in
// XYZZ form, one by one.
#pragma once
#include <algorithm>

#include "../util/device.cuh"
#include "lists.cuh"

namespace cuzk {
namespace msm {

constexpr int LEVEL_THREADS = 128;
constexpr int LEVEL_SLOTS = 64;  // most additions of one thread that share an inversion

#ifdef __CUDACC__

template <class F>
struct LevelArgs {
    Points<F> points;
    const uint2* pairs;
    const uint32_t* counts;
    F* scratch;  // LEVEL_SLOTS·LEVEL_THREADS per block: running products
    int level;
};

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
    __device__ __forceinline__ uint32_t low(int element) const { return mine[element * PIECES * LEVEL_THREADS].x; }
    // Points with these abscissas may be equal, opposite or infinite: so it
    // seems to one pair in 2^30 that is none of it.
    __device__ __forceinline__ bool suspect(int x1, int x2) const {
        const uint32_t a = low(x1), b = low(x2);
        return a == b || a == 0 || b == 0;
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

// Replaces every thread's value by its inverse: warp number `worker` modulo
// their number inverts products of one value from each warp. `shared` has room
// for two values a thread.
template <class F>
__device__ __forceinline__ F block_inverse(const F& x, F* shared, uint32_t worker) {
    constexpr int WARPS = LEVEL_THREADS / 32;
    shared[threadIdx.x] = x;
    __syncthreads();
    if (threadIdx.x / 32 == worker % WARPS) {
        // rolled loops: code size matters more than these few products
        F* mine = shared + threadIdx.x % 32;
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

// A thread's additions of one tile: every LEVEL_THREADS-th, n of them.
template <class F>
struct Additions {
    Points<F> points;
    const uint2* pairs;
    Affine<F>* out;
    F* running;  // products of the denominators before each
    uint32_t n;
    Staging<F> staging;

    __device__ __forceinline__ uint2 pair(uint32_t k) const { return k < n ? pairs[(size_t)k * LEVEL_THREADS] : make_uint2(0, 0); }
};

// Forward: the product of all slopes' denominators, the running products kept.
// Points are fetched one addition ahead, references two.
template <class F>
__device__ __forceinline__ F level_forward(const Additions<F>& t) {
    const Staging<F>& st = t.staging;
    F acc = F::one();
    auto fetch = [&](const uint2& p, int element) {
        st.fetch(element, &t.points.at(p.x)->x);
        st.fetch(element + 1, &t.points.at(p.y)->x);
    };
    uint2 next = t.pair(0);
    if (t.n > 0) fetch(next, 0);
    st.commit();
    next = t.pair(1);
    int element = 0;
    F* running = t.running;
#pragma unroll 1
    for (uint32_t k = 0; k < t.n; k++, running += LEVEL_THREADS) {
        if (k + 1 < t.n) fetch(next, element ^ 2);
        st.commit();
        next = t.pair(k + 2);
        st.template wait<1>();
        *running = acc;  // of a suspect pair as well: it is fetched, though not used
        if (!st.suspect(element, element + 1)) acc = F::times_lazy(acc, F::minus_lazy(st.get(element + 1), st.get(element)));
        element ^= 2;
    }
    st.template wait<0>();
    return acc;
}

// Backward: every addition's own inverse, its slope and its sum. One product is
// in the code, used five times: the code must stay in the instruction cache. No
// point has y = 0 on either curve, so that flip may negate any y.
template <class F>
__device__ __forceinline__ void level_backward(const Additions<F>& t, F inv) {
    const Staging<F>& st = t.staging;
    auto fetch = [&](const uint2& s, uint32_t k) {
        const Affine<F>*p = t.points.at(s.x), *q = t.points.at(s.y);
        st.fetch(0, &p->x), st.fetch(1, &p->y);
        st.fetch(2, &q->x), st.fetch(3, &q->y);
        st.fetch(4, t.running + (size_t)k * LEVEL_THREADS);
        st.commit();
    };
    auto ordinate = [&](int element, uint32_t ref) {
        F y = st.get(element);
        if (ref & NEGATIVE) y.flip();
        return y;
    };
    uint32_t k = t.n;
    uint2 now = t.pair(k - 1), next = t.pair(k - 2);  // past the end for small n: none
    if (k > 0) fetch(now, k - 1);
#pragma unroll 1
    while (k-- > 0) {
        Affine<F>* out = t.out + (size_t)k * LEVEL_THREADS;
        const uint2 later = t.pair(k - 2);
        st.template wait<0>();
        if (st.suspect(0, 2)) {
            add_complete(out, t.points.at(now.x), t.points.at(now.y), now.x & NEGATIVE, now.y & NEGATIVE);
            if (k > 0) fetch(next, k - 1);
        } else {
            F u = inv, v = st.get(4), kept = v;
#pragma unroll 1
            for (int step = 0;; step++) {
                F w = F::times_lazy(u, v);
                if (step == 0) {  // 1/d; go on to the next addition's inverse
                    kept = w;
                    v = F::minus_lazy(st.get(2), st.get(0));
                } else if (step == 1) {
                    inv = w;
                    u = kept;
                    v = F::minus_lazy(ordinate(3, now.y), ordinate(1, now.x));
                } else if (step == 2) {  // slope
                    u = v = w;
                } else if (step == 3) {
                    w.reduce_once();
                    const F x = st.get(0), sum = w - x - st.get(2);
                    out->x = sum;
                    v = F::minus_lazy(x, sum);
                    kept = ordinate(1, now.x);
                    if (k > 0) fetch(next, k - 1);  // the staging memory is free now
                } else {
                    w.reduce_once();
                    out->y = w - kept;
                    break;
                }
            }
        }
        now = next, next = later;
    }
}

// Blocks of a multiprocessor: as many as the registers of the products allow.
template <class F>
constexpr int LEVEL_BLOCKS = sizeof(F) == sizeof(Fp) ? 5 : 2;

// All additions of one level.
template <class F>
__global__ void __launch_bounds__(LEVEL_THREADS, LEVEL_BLOCKS<F>) k_level(LevelArgs<F> a) {
    extern __shared__ uint4 raw[];
    const uint32_t total = a.counts[a.level], threads = gridDim.x * LEVEL_THREADS;
    const uint32_t rounds = total / threads / LEVEL_SLOTS + 1;  // tiles of a block, of equal size
    const uint32_t tile = (total / threads / rounds + 1) * LEVEL_THREADS;
    Affine<F>* out = a.points.sums + additions_before(a.counts, a.level);
    F* running = a.scratch + (size_t)blockIdx.x * LEVEL_SLOTS * LEVEL_THREADS + threadIdx.x;

#pragma unroll 1
    for (uint64_t first = (uint64_t)blockIdx.x * tile; first < total; first += (uint64_t)gridDim.x * tile) {
        const uint64_t end = first + tile < total ? first + tile : total, mine = first + threadIdx.x;
        const uint32_t n = mine < end ? (uint32_t)(end - mine + LEVEL_THREADS - 1) / LEVEL_THREADS : 0;
        const Additions<F> t{a.points, a.pairs + mine, out + mine, running, n, {raw + threadIdx.x}};
        F acc = level_forward(t);
        __syncthreads();
        level_backward(t, block_inverse(acc, reinterpret_cast<F*>(raw), blockIdx.x));
    }
}

// Queues one level of counts[level] additions, most at most.
template <class F>
void add_level(const LevelArgs<F>& a, uint32_t most, unsigned grid, cudaStream_t s) {
    CUZK_CHECK(cudaFuncSetAttribute(k_level<F>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)Staging<F>::BYTES));
    k_level<F><<<std::min(grid, blocks_for(most, LEVEL_THREADS)), LEVEL_THREADS, Staging<F>::BYTES, s>>>(a);
    CUZK_LAUNCHED("k_level");
}

#endif

}  // namespace msm
}  // namespace cuzk
