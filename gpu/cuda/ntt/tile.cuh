// A tile of points in shared memory and registers, and the stages on it.
//
// A thread keeps 8 points in registers, does up to three stages on them (a
// round), and swaps points with its block through shared memory. Points are
// lazy, in [0, 2r), until the last pass.
//
// A stage shuffles the points so that the next one finds its pairs in the same
// places: no index depends on the stage, and ROLLED makes a loop of three stages
// of one body. That is a third of the code, for the instruction cache, but moves
// points between registers, half of them in the multiplier's pipe.
#pragma once
#include "../ff/fr.cuh"
#include "plan.hpp"

namespace cuzk {
namespace ntt {

constexpr int POINTS = 1 << NTT_TILE;
constexpr int THREADS = POINTS / 8;
constexpr int BLOCKS = 512 / THREADS;          // of a multiprocessor: 16 warps of 128 registers
constexpr int ROOTS = POINTS / 2;              // w^e for e ≤ ROOTS, w of order POINTS
constexpr int PLANE = POINTS + POINTS / 8 + 4; // low and high halves of a point lie in different banks

// Bits [b, top) of the tile index are this round's stages.
struct Round {
    int b, top;
};

// Round number i of k stages over tile bits [lb, lb+k), from the top.
__device__ __forceinline__ Round round_at(int lb, int k, int i) {
    int top = lb + k - 3 * i;
    return {max(top - 3, lb), top};
}

// Place of root e in shared memory: no stride of a power of two hits one bank.
__host__ __device__ constexpr int padded_root(int e) { return e + (e >> 3) + (e >> 5); }

struct Tile {
    uint4* data;  // two planes
    uint4* roots; // four planes of 2^(k−1) + 1 roots and padding
    int plane;

    static constexpr int root_plane(int k) { return padded_root(1 << (k - 1)) + 1; }
    static constexpr size_t bytes(int k) { return sizeof(uint4) * (2 * PLANE + 4 * root_plane(k)); }
    __device__ __forceinline__ Tile(uint4* shared, int k)
        : data(shared), roots(shared + 2 * PLANE), plane(padded_root(1 << (k - 1)) + 1) {}

    // Point e of this thread in a round whose lowest bit is b.
    __device__ __forceinline__ static int at(int b, int e) {
        int t = threadIdx.x;
        return ((t >> b) << (b + 3)) | (e << b) | (t & ((1 << b) - 1));
    }
    __device__ __forceinline__ static int place(int m) { return m + (m >> 3); }

    __device__ __forceinline__ void put(const FrLazy (&x)[8], int b) {
        CUZK_UNROLL for (int e = 0; e < 8; e++) {
            int p = place(at(b, e));
            data[p] = make_uint4(x[e].v[0], x[e].v[1], x[e].v[2], x[e].v[3]);
            data[PLANE + p] = make_uint4(x[e].v[4], x[e].v[5], x[e].v[6], x[e].v[7]);
        }
    }
    __device__ __forceinline__ void get(FrLazy (&x)[8], int b) const {
        CUZK_UNROLL for (int e = 0; e < 8; e++) {
            int p = place(at(b, e));
            uint4 lo = data[p], hi = data[PLANE + p];
            x[e] = {lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w};
        }
    }
    // Starts copying a tile from device memory: `from` names a point's address.
    // Two threads share a point, so that a warp reads whole sectors.
    template <class From>
    __device__ __forceinline__ void fetch(From from) {
#pragma unroll 4
        for (int i = threadIdx.x; i < 2 * POINTS; i += THREADS) {
            const int m = i >> 1, half = i & 1;
            const uint32_t to = (uint32_t)__cvta_generic_to_shared(data + half * PLANE + place(m));
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"((const uint4*)from(m) + half)
                         : "memory");
        }
    }
    // The tile is there for the whole block.
    __device__ __forceinline__ static void arrived() {
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
    }
    __device__ __forceinline__ Shoup root(int e) const {
        const uint4* p = roots + padded_root(e);
        uint4 a = p[0], b = p[plane], c = p[2 * plane], d = p[3 * plane];
        return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}, {c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w}};
    }
    __device__ __forceinline__ void load_roots(const uint4* all, int k) {
        for (int p = 0; p < 4; p++)
            for (int e = threadIdx.x; e <= 1 << (k - 1); e += THREADS)
                roots[p * plane + padded_root(e)] = all[p * (ROOTS + 1) + (e << (NTT_TILE - k))];
    }
};

// The stages of one round in registers. DIF is the inverse transform, (a + b,
// (a − b)·w^−e) from the top bit down; DIT the forward one, (a + w^e·b,
// a − w^e·b) from the low bit up. One table serves both, for w^−e = −w^(half−e).
// A stage of DIF pairs points at distance four and deals its results out in
// pairs, so that the next bit comes to the same place; three stages restore the
// order.
template <bool DIT, bool ROLLED>
__device__ __forceinline__ void stages(FrLazy (&x)[8], const Tile& tile, Round rd, int lb, int k) {
    const int low = (threadIdx.x & ((1 << rd.b) - 1)) >> lb;
    auto stage = [&](int j) __attribute__((always_inline)) {
        const bool active = rd.b + j < rd.top; // uniform; otherwise done in an earlier round
        const int shift = k - 1 - (rd.b + j - lb);
        FrLazy y[8];
        CUZK_UNROLL for (int i = 0; i < 4; i++) {
            const int q = i >> (2 - j), e = (low + (q << (rd.b - lb))) << shift;
            const bool one = q == 0 && rd.b == lb; // uniform: e = 0
            const FrLazy a = x[DIT ? 2 * i : i];
            FrLazy b = x[DIT ? 2 * i + 1 : i + 4], sum = a, difference = b;
            if (active && DIT) {
                if (!one) b = b * tile.root(e);
                sum = a + b, difference = a - b;
            } else if (active) {
                sum = a + b, difference = one ? a - b : (b - a) * tile.root((1 << (k - 1)) - e);
            }
            y[DIT ? i : 2 * i] = sum, y[DIT ? i + 4 : 2 * i + 1] = difference;
        }
        CUZK_UNROLL for (int e = 0; e < 8; e++) x[e] = y[e];
    };
    if (ROLLED) {
#pragma unroll 1
        for (int jj = 0; jj < 3; jj++) stage(DIT ? jj : 2 - jj);
    } else {
        stage(DIT ? 0 : 2), stage(1), stage(DIT ? 2 : 0);
    }
}

// All rounds over bits [lb, lb + k). On entry x is laid out for the first
// round and nobody reads shared memory at other places than its own; on return
// for the last. `last` is called by all threads when the last round has its
// points: before() the block's barrier, after() it the tile's memory is free.
template <bool DIT, bool ROLLED, class Last>
__device__ __forceinline__ void rounds(FrLazy (&x)[8], Tile& tile, int lb, int k, Last last) {
    const int n = (k + 2) / 3;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        const Round rd = round_at(lb, k, DIT ? n - 1 - i : i);
        if (i > 0) {
            __syncthreads();
            tile.get(x, rd.b); // the places that it is put to afterwards
        }
        if (i + 1 == n) {
            last.before();
            __syncthreads();
            last.after();
        }
        stages<DIT, ROLLED>(x, tile, rd, lb, k);
        if (i + 1 < n) tile.put(x, rd.b);
    }
}

// x[e] = use(e, x[e], fetch(e)) for e = 0 … 7, each factor fetched one ahead.
template <class Fetch, class Use>
__device__ __forceinline__ void each_point(FrLazy (&x)[8], Fetch fetch, Use use) {
    auto next = fetch(0);
    CUZK_UNROLL for (int e = 0; e < 8; e++) {
        const auto factor = next;
        if (e < 7) next = fetch(e + 1);
        x[e] = use(e, x[e], factor);
    }
}

__device__ __forceinline__ Fr load(const Fr* p) {
    const uint4* q = reinterpret_cast<const uint4*>(p);
    uint4 a = q[0], b = q[1];
    return {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
}
__device__ __forceinline__ Shoup load(const Shoup* p) {
    const uint4* q = reinterpret_cast<const uint4*>(p);
    uint4 a = q[0], b = q[1], c = q[2], d = q[3];
    return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}, {c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w}};
}
__device__ __forceinline__ void store(Fr* p, FrLazy x, bool canonical) {
    if (canonical) x = FrLazy::from(x.canonical());
    uint4* q = reinterpret_cast<uint4*>(p);
    q[0] = make_uint4(x.v[0], x.v[1], x.v[2], x.v[3]);
    q[1] = make_uint4(x.v[4], x.v[5], x.v[6], x.v[7]);
}
// Montgomery product of a lazy value with a reduced one: (2r)·r < 2^256·r.
__device__ __forceinline__ FrLazy operator*(const FrLazy& x, const Fr& f) {
    Fr a;
    CUZK_UNROLL for (int i = 0; i < 8; i++) a.v[i] = x.v[i];
    return FrLazy::from(a * f);
}

} // namespace ntt
} // namespace cuzk
