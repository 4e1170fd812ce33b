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
constexpr uint32_t LEVEL_TILE = 128; // most additions of one thread; they share an inversion
// Fewest: alone, a level had better use the whole device; beside others it had
// better share inversions.
constexpr uint32_t LEVEL_TILE_ALONE = 1, LEVEL_TILE_BESIDE = 16;

// Blocks of a multiprocessor: as many as the registers of the products allow.
template <class F>
constexpr int LEVEL_BLOCKS = sizeof(F) == sizeof(Fp) ? 5 : 2;

#ifdef __CUDACC__

template <class F>
struct LevelArgs {
    Points<F> points;
    const uint2* pairs; // of all levels
    const uint32_t* counts;
    int level;
    uint32_t tile; // additions of a thread
};

// Shared memory of one thread's next operands, filled by asynchronous copies:
// element e of a thread lies at 16-byte piece e·PIECES + i, threads adjacent.
template <class F>
struct Staging {
    static constexpr int PIECES = sizeof(F) / 16;
    static constexpr size_t BYTES = (size_t)LEVEL_THREADS * 5 * sizeof(F); // x1, y1, x2, y2, running product
    uint4* mine;

    __device__ __forceinline__ void fetch(int element, const F* from) const {
        fetch_pieces<1>(element, (const uint4*)from);
    }
    // The pieces of an element stand `apart` pieces from each other.
    template <int apart>
    __device__ __forceinline__ void fetch_pieces(int element, const uint4* from) const {
        CUZK_UNROLL for (int i = 0; i < PIECES; i++) {
            uint32_t to = (uint32_t)__cvta_generic_to_shared(mine + (element * PIECES + i) * LEVEL_THREADS);
            asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + i * apart) : "memory");
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

// *out = ±p ± q for any two points; a copy where one of them is infinite.
template <class F>
__device__ __noinline__ void add_complete(Affine<F>* out, const Affine<F>* p, const Affine<F>* q, bool p_negative,
                                          bool q_negative) {
    using C = Called<F>;
    Affine<C> a = *reinterpret_cast<const Affine<C>*>(p), b = *reinterpret_cast<const Affine<C>*>(q);
    a.y = a.y.neg_if(p_negative), b.y = b.y.neg_if(q_negative);
    if (a.is_infinity()) {
        a = b;
    } else if (!b.is_infinity()) {
        Xyzz<C> s = Xyzz<C>::from(a);
        s.add(b);
        a = s.affine();
    }
    *reinterpret_cast<Affine<C>*>(out) = a;
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
            mine[32 * WARPS + 32 * w] = acc; // products of the first w + 1
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

// A lane's share of the additions of a warp in one tile: one of every row of 32.
// Rows of a warp stand LEVEL_THREADS apart.
template <class F>
struct Additions {
    Points<F> points;
    const uint2* pairs;  // this lane's in the first row
    Affine<F>* out;      // where its sum goes
    uint32_t rows, mine; // rows of the warp, additions of this lane: as many or one less
    Staging<F> staging;

    __device__ __forceinline__ uint2 pair(uint32_t k) const {
        return k < mine ? pairs[(size_t)k * LEVEL_THREADS] : make_uint2(0, 0);
    }
    // The running product before the addition of a row lies where the row's sums
    // will be, in 16-byte pieces, lanes adjacent.
    __device__ __forceinline__ uint4* running(uint32_t k) const {
        const uint32_t lane = threadIdx.x % 32;
        return reinterpret_cast<uint4*>(out + (size_t)k * LEVEL_THREADS - lane) + lane;
    }
    __device__ __forceinline__ void keep(uint32_t k, const F& product) const {
        const uint4* from = reinterpret_cast<const uint4*>(&product);
        uint4* to = running(k);
        CUZK_UNROLL for (int i = 0; i < Staging<F>::PIECES; i++) to[i * 32] = from[i];
    }
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
    if (t.rows > 0) fetch(next, 0);
    st.commit();
    next = t.pair(1);
    int element = 0;
#pragma unroll 1
    for (uint32_t k = 0; k < t.rows; k++) {
        if (k + 1 < t.rows) fetch(next, element ^ 2);
        st.commit();
        next = t.pair(k + 2);
        st.template wait<1>();
        t.keep(k, acc); // of a suspect pair as well: it is fetched, though not used
        if (!st.suspect(element, element + 1))
            acc = F::times_lazy(acc, F::minus_lazy(st.get(element + 1), st.get(element)));
        element ^= 2;
    }
    st.template wait<0>();
    return acc;
}

// A square of its own saves a quarter of a product; for Fp2 it is a call, and
// saves less than it costs.
template <class F>
constexpr bool LEVEL_SQUARES = sizeof(F) == sizeof(Fp);

// Backward: every addition's own inverse, its slope and its sum. One product is
// in the code, used four or five times: the code must stay in the instruction cache. No
// point has y = 0 on either curve, so that flip may negate any y. A row is
// written when all lanes have their running products of it.
template <class F>
__device__ __forceinline__ void level_backward(const Additions<F>& t, F inv) {
    const Staging<F>& st = t.staging;
    auto fetch = [&](const uint2& s, uint32_t k) {
        const Affine<F>*p = t.points.at(s.x), *q = t.points.at(s.y);
        st.fetch(0, &p->x), st.fetch(1, &p->y);
        st.fetch(2, &q->x), st.fetch(3, &q->y);
        st.template fetch_pieces<32>(4, t.running(k));
        st.commit();
    };
    auto ordinate = [&](int element, uint32_t ref) {
        F y = st.get(element);
        if (ref & NEGATIVE) y.flip();
        return y;
    };
    uint32_t k = t.rows;
    uint2 now = t.pair(k - 1), next = t.pair(k - 2); // past the end for small n: none
    if (k > 0) fetch(now, k - 1);
#pragma unroll 1
    while (k-- > 0) {
        Affine<F>* out = t.out + (size_t)k * LEVEL_THREADS;
        const uint2 later = t.pair(k - 2);
        st.template wait<0>();
        __syncwarp();
        if (st.suspect(0, 2)) {
            if (k < t.mine)
                add_complete(out, t.points.at(now.x), t.points.at(now.y), now.x & NEGATIVE, now.y & NEGATIVE);
            if (k > 0) fetch(next, k - 1);
        } else {
            F u = inv, v = st.get(4), kept = v;
#pragma unroll 1
            for (int step = 0;; step++) {
                F w = F::times_lazy(u, v);
                if (step == 0) { // 1/d; go on to the next addition's inverse
                    kept = w;
                    v = F::minus_lazy(st.get(2), st.get(0));
                } else if (step == 1) {
                    inv = w;
                    u = kept;
                    v = F::minus_lazy(ordinate(3, now.y), ordinate(1, now.x));
                } else if (step == 4) {
                    w.reduce_once();
                    out->y = w - kept;
                    break;
                } else { // slope, or its square
                    if (step == 2) {
                        u = w;
                        if constexpr (!LEVEL_SQUARES<F>) {
                            v = w;
                            continue;
                        }
                        w = F::squared_lazy(w);
                        step = 3;
                    }
                    w.reduce_once();
                    const F x = st.get(0), sum = w - x - st.get(2);
                    out->x = sum;
                    v = F::minus_lazy(x, sum);
                    kept = ordinate(1, now.x);
                    if (k > 0) fetch(next, k - 1); // the staging memory is free now
                }
            }
        }
        now = next, next = later;
    }
}

// One block, one tile of a level's additions; blocks beyond the last leave.
template <class F>
__global__ void __launch_bounds__(LEVEL_THREADS, LEVEL_BLOCKS<F>) k_level(LevelArgs<F> a) {
    extern __shared__ uint4 raw[];
    const uint32_t total = a.counts[a.level];
    const uint64_t tile = (uint64_t)a.tile * LEVEL_THREADS, first = blockIdx.x * tile,
                   end = min(first + tile, (uint64_t)total);
    if (first >= end) return;
    auto every = [&](uint64_t from) {
        return from < end ? (uint32_t)(end - from + LEVEL_THREADS - 1) / LEVEL_THREADS : 0;
    };
    const uint64_t mine = first + threadIdx.x, at = additions_before(a.counts, a.level) + mine;
    const Additions<F> t{a.points,    a.pairs + at,       a.points.sums + at, every(mine - threadIdx.x % 32),
                         every(mine), {raw + threadIdx.x}};
    F acc = level_forward(t);
    __syncthreads();
    level_backward(t, block_inverse(acc, reinterpret_cast<F*>(raw), blockIdx.x));
}

// The tile for a level of about `expected` additions: shorter where the device
// would not be full otherwise.
template <class F>
uint32_t level_tile(size_t expected, uint32_t least) {
    const size_t threads = (size_t)multiprocessors() * LEVEL_BLOCKS<F> * LEVEL_THREADS;
    return (uint32_t)std::clamp<size_t>((expected + threads - 1) / threads, least, LEVEL_TILE);
}

// The additions of one level (counts[level] of them, at most `most`): operands
// `pairs` and results p.sums, each with those of the earlier levels before.
// Reference 0 must lead to memory that can be read.
template <class F>
void add_level(const Points<F>& p, const uint2* pairs, const uint32_t* counts, int level, size_t expected, size_t most,
               cudaStream_t s, uint32_t least = LEVEL_TILE_ALONE) {
    const uint32_t tile = level_tile<F>(expected, least);
    if (Staging<F>::BYTES > 48 << 10) // more than a block gets unasked
        CUZK_CHECK(
            cudaFuncSetAttribute(k_level<F>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)Staging<F>::BYTES));
    k_level<F><<<blocks_for(most, tile * LEVEL_THREADS), LEVEL_THREADS, Staging<F>::BYTES, s>>>(
        {p, pairs, counts, level, tile});
    CUZK_LAUNCHED("k_level");
}

#endif

} // namespace msm
} // namespace cuzk
