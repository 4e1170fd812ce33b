// Kernels of the number-theoretic transform over Fr.
//
// Ceiling: n/2·log2 n products by constants. A Shoup product is 81 wide
// multiplications and 7 high ones, against 128 of a plain Montgomery product.
// Twiddles between passes add one Montgomery product per point and pass.
//
// A thread keeps 8 points in registers, does up to three stages on them (a
// round), and swaps points with its block through shared memory. Points are
// lazy, in [0, 2r), until the last pass.
#pragma once
#include "../ff/fr.cuh"
#include "plan.hpp"

namespace cuzk {
namespace ntt {

constexpr int POINTS = 1 << NTT_TILE;
constexpr int THREADS = POINTS / 8;
constexpr int ROOTS = POINTS / 2;          // w_2048^e for e < 1024
constexpr int PADDED = POINTS + POINTS / 8;

enum Op : int {
    OP_NONE = 0,
    OP_SCALE = 1,      // times block[0]
    OP_TWIST = 2,      // times tile[m]·block[tile index]: powers of the coset generator
    OP_TWIST_SUB = 3,  // minuend[i] − the same
};

struct Args {
    const Fr* in;
    Fr* out;
    const Fr* factor;     // multiplied into the input point by point, or null
    const Fr* twiddle;    // 2^(k+s) of them in memory order, or two tables of powers, or null
    const uint4* roots;   // 4 planes of ROOTS: Shoup pairs
    const uint4* roots2;  // of the second half of a joined pass
    const Fr* tile;       // OP_TWIST: 2048 factors
    const Fr* block;      // OP_TWIST: one factor per tile; OP_SCALE: one
    const Fr* minuend;    // OP_TWIST_SUB
    int k, s;             // stages, log2 stride
    bool last;            // store canonical values
    Op op;
};

// Bits [b, top) of the tile index are this round's stages.
struct Round {
    int b, top;
};

// Round number i of k stages over tile bits [lb, lb+k), from the top.
__device__ __forceinline__ Round round_at(int lb, int k, int i) {
    int top = lb + k - 3 * i;
    return {max(top - 3, lb), top};
}

struct Tile {
    uint4* data;   // two planes of PADDED
    uint4* roots;  // four planes of 2^(k−1)
    int half;      // 2^(k−1)

    __device__ __forceinline__ static int at(int b, int e) {
        int t = threadIdx.x;
        return ((t >> b) << (b + 3)) | (e << b) | (t & ((1 << b) - 1));
    }
    __device__ __forceinline__ void put(const FrLazy (&x)[8], int b) {
        CUZK_UNROLL for (int e = 0; e < 8; e++) {
            int m = at(b, e), p = m + (m >> 3);
            data[p] = make_uint4(x[e].v[0], x[e].v[1], x[e].v[2], x[e].v[3]);
            data[PADDED + p] = make_uint4(x[e].v[4], x[e].v[5], x[e].v[6], x[e].v[7]);
        }
    }
    __device__ __forceinline__ void get(FrLazy (&x)[8], int b) const {
        CUZK_UNROLL for (int e = 0; e < 8; e++) {
            int m = at(b, e), p = m + (m >> 3);
            uint4 lo = data[p], hi = data[PADDED + p];
            x[e] = {lo.x, lo.y, lo.z, lo.w, hi.x, hi.y, hi.z, hi.w};
        }
    }
    __device__ __forceinline__ Shoup root(int e) const {
        uint4 a = roots[e], b = roots[half + e], c = roots[2 * half + e], d = roots[3 * half + e];
        return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}, {c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w}};
    }
    __device__ __forceinline__ void load_roots(const uint4* all, int k) {
        half = 1 << (k - 1);
        for (int i = threadIdx.x; i < 4 * half; i += THREADS)
            roots[i] = all[(i >> (k - 1)) * ROOTS + ((i & (half - 1)) << (NTT_TILE - k))];
    }
};

// The stages of one round in registers. DIF: (a + b, (a − b)·w) from the top
// bit down; DIT: (a + w·b, a − w·b) from the low bit up.
template <bool DIT>
__device__ __forceinline__ void butterflies(FrLazy (&x)[8], const Tile& tile, Round rd, int lb, int k) {
    const int low = (threadIdx.x & ((1 << rd.b) - 1)) >> lb;
    CUZK_UNROLL for (int jj = 0; jj < 3; jj++) {
        const int j = DIT ? jj : 2 - jj;
        if (rd.b + j >= rd.top) continue;  // uniform: done in an earlier round
        const int shift = k - 1 - (rd.b + j - lb);
        CUZK_UNROLL for (int q = 0; q < (1 << j); q++) {
            const bool trivial = q == 0 && rd.b == lb;  // uniform: w = 1
            Shoup w;
            if (!trivial) w = tile.root((low + (q << (rd.b - lb))) << shift);
            CUZK_UNROLL for (int h = 0; h < (4 >> j); h++) {
                const int e0 = (h << (j + 1)) | q, e1 = e0 | (1 << j);
                if (DIT) {
                    FrLazy y = x[e1];
                    if (!trivial) y = y * w;
                    x[e1] = x[e0] - y;
                    x[e0] = x[e0] + y;
                } else {
                    FrLazy y = x[e0] - x[e1];
                    x[e0] = x[e0] + x[e1];
                    x[e1] = trivial ? y : y * w;
                }
            }
        }
    }
}

// All rounds over bits [lb, lb + k). On entry x is laid out for the first
// round, on return for the last.
template <bool DIT>
__device__ __forceinline__ void rounds(FrLazy (&x)[8], Tile& tile, int lb, int k) {
    const int n = (k + 2) / 3;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        Round rd = round_at(lb, k, DIT ? n - 1 - i : i);
        if (i > 0) {
            __syncthreads();
            tile.get(x, rd.b);
            __syncthreads();
        }
        butterflies<DIT>(x, tile, rd, lb, k);
        if (i + 1 < n) tile.put(x, rd.b);
    }
}

__device__ __forceinline__ Fr load(const Fr* p) {
    const uint4* q = reinterpret_cast<const uint4*>(p);
    uint4 a = q[0], b = q[1];
    return {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
}
__device__ __forceinline__ void store(Fr* p, const Fr& x) {
    uint4* q = reinterpret_cast<uint4*>(p);
    q[0] = make_uint4(x.v[0], x.v[1], x.v[2], x.v[3]);
    q[1] = make_uint4(x.v[4], x.v[5], x.v[6], x.v[7]);
}
// Montgomery product of a lazy value with a reduced one: (2r)·r < 2^256·r.
__device__ __forceinline__ FrLazy scaled(const FrLazy& x, const Fr& f) {
    Fr a;
    CUZK_UNROLL for (int i = 0; i < 8; i++) a.v[i] = x.v[i];
    return FrLazy::from(a * f);
}

// log2 of the first of two tables that stand for 2^bits twiddles: w^i, then
// w^(i·2^low).
__host__ __device__ constexpr int low_bits(int bits) { return (bits + 1) / 2; }

// Point g's twiddle w^(rev_k(row)·col) from the two tables: a product more, a
// thousandth of the memory.
__device__ __forceinline__ Fr twiddle_of_powers(const Args& a, size_t g) {
    const int low = low_bits(a.k + a.s);
    const uint64_t row = __brev((uint32_t)(g >> a.s)) >> (32 - a.k), col = g & ((size_t(1) << a.s) - 1), e = row * col;
    return load(a.twiddle + (e & ((uint64_t(1) << low) - 1))) * load(a.twiddle + (uint64_t(1) << low) + (e >> low));
}

template <bool DIT, bool POWERS>
__global__ void __launch_bounds__(THREADS, 2) k_ntt_strided(Args a) {
    extern __shared__ uint4 shared[];
    Tile tile{shared, shared + 2 * PADDED, 0};
    tile.load_roots(a.roots, a.k);
    const int lb = NTT_TILE - a.k;             // columns are the low bits of the tile index
    const int groups = a.s - lb;               // log2 of tiles per stride
    const size_t block = blockIdx.x;
    const size_t base = (block >> groups << (a.s + a.k)) + ((block & ((size_t(1) << groups) - 1)) << lb);
    const size_t within = (size_t(1) << (a.s + a.k)) - 1;
    auto place = [&](int b, int e) {
        int m = Tile::at(b, e);
        return base + ((size_t)(m >> lb) << a.s) + (m & ((1 << lb) - 1));
    };
    auto twiddle = [&](size_t g) { return POWERS ? twiddle_of_powers(a, g & within) : load(a.twiddle + (g & within)); };
    FrLazy x[8];
    const int n = (a.k + 2) / 3;
    const int first = round_at(lb, a.k, DIT ? n - 1 : 0).b, final = round_at(lb, a.k, DIT ? 0 : n - 1).b;
    CUZK_UNROLL for (int e = 0; e < 8; e++) x[e] = FrLazy::from(load(a.in + place(first, e)));
    if (a.factor) {
#pragma unroll 1
        for (int e = 0; e < 8; e++) {
            // a run-time index would spill x: select instead
            FrLazy y;
            Fr f = load(a.factor + place(first, e));
            CUZK_UNROLL for (int i = 0; i < 8; i++) if (i == e) y = x[i];
            y = scaled(y, f);
            CUZK_UNROLL for (int i = 0; i < 8; i++) if (i == e) x[i] = y;
        }
    }
    if (DIT && a.twiddle)
        CUZK_UNROLL for (int e = 0; e < 8; e++) x[e] = scaled(x[e], twiddle(place(first, e)));
    __syncthreads();
    rounds<DIT>(x, tile, lb, a.k);
    CUZK_UNROLL for (int e = 0; e < 8; e++) {
        size_t g = place(final, e);
        if (!DIT && a.twiddle) x[e] = scaled(x[e], twiddle(g));
        Fr y;
        CUZK_UNROLL for (int i = 0; i < 8; i++) y.v[i] = x[e].v[i];
        if (a.last) y.reduce_once();
        store(a.out + g, y);
    }
}

__device__ __forceinline__ FrLazy apply(const Args& a, const FrLazy& x, size_t g, int m) {
    switch (a.op) {
    case OP_SCALE:
        return scaled(x, load(a.block));
    case OP_TWIST:
    case OP_TWIST_SUB: {
        Fr f = load(a.tile + m) * load(a.block + blockIdx.x);
        FrLazy y = scaled(x, f);
        return a.op == OP_TWIST ? y : FrLazy::from(load(a.minuend + g)) - y;
    }
    default:
        return x;
    }
}

// The contiguous pass. MODE 0: DIF then op; 1: op then DIT; 2: DIF, op, DIT,
// which joins the end of one transform to the start of the next.
template <int MODE>
__global__ void __launch_bounds__(THREADS, 2) k_ntt_contiguous(Args a) {
    extern __shared__ uint4 shared[];
    Tile tile{shared, shared + 2 * PADDED, 0};
    tile.load_roots(a.roots, a.k);
    const size_t base = (size_t)blockIdx.x * POINTS;
    const int n = (a.k + 2) / 3;
    const int top = round_at(0, a.k, 0).b, bottom = round_at(0, a.k, n - 1).b;
    const int first = MODE == 1 ? bottom : top, final = MODE == 0 ? bottom : top;
    FrLazy x[8];
    CUZK_UNROLL for (int e = 0; e < 8; e++) x[e] = FrLazy::from(load(a.in + base + Tile::at(first, e)));
    if (MODE == 1 && a.op != OP_NONE)
        CUZK_UNROLL for (int e = 0; e < 8; e++) {
            int m = Tile::at(first, e);
            x[e] = apply(a, x[e], base + m, m);
        }
    __syncthreads();
    if (MODE != 1) rounds<false>(x, tile, 0, a.k);
    if (MODE == 2) {
        CUZK_UNROLL for (int e = 0; e < 8; e++) {
            int m = Tile::at(bottom, e);
            x[e] = apply(a, x[e], base + m, m);
        }
        __syncthreads();
        tile.load_roots(a.roots2, a.k);
        __syncthreads();
    }
    if (MODE != 0) rounds<true>(x, tile, 0, a.k);
    CUZK_UNROLL for (int e = 0; e < 8; e++) {
        int m = Tile::at(final, e);
        if (MODE == 0 && a.op != OP_NONE) x[e] = apply(a, x[e], base + m, m);
        Fr y;
        CUZK_UNROLL for (int i = 0; i < 8; i++) y.v[i] = x[e].v[i];
        if (a.last) y.reduce_once();
        store(a.out + base + m, y);
    }
}

}  // namespace ntt
}  // namespace cuzk
