// The passes of a transform. A block takes some tiles, one after the other, and copies
// the next one while it is at the last round of the present one.
//
// Ceiling: n/2·log2 n products by known factors, of which a quarter are by one.
// Shoup's method takes 81 wide multiplications and 7 high ones, a Montgomery
// product 113. A point of the six transforms of 2^27: 74.25 of the first kind
// (65.25 of butterflies, 6 of short twiddles, 3 of the coset), 8 of the other
// (6 of long twiddles, 2 of a∘b).
#pragma once
#include <algorithm>

#include "twiddles.cuh"

namespace cuzk {
namespace ntt {

// The tiles of a pass. Blocks draw them from a counter, in the order of memory:
// older warps are served first, so blocks do not keep step, and shares of equal
// length would leave multiprocessors half empty at the end. A block draws one ahead,
// `share` in all, and then makes room: a kernel of higher priority waits for some
// hundred microseconds (four tiles take 165), not for the whole pass.
struct Tiles {
    static constexpr unsigned SHARE_MOST = 4;

    unsigned number, share;
    unsigned* drawn; // 0 at the start of a launch
    // resident: blocks that the device holds at once
    Tiles(unsigned number, unsigned resident, unsigned* drawn)
        : number(number), share(std::clamp(number / resident / 4, 1u, SHARE_MOST)), drawn(drawn) {}
    unsigned blocks() const { return (number + share - 1) / share; }
};

struct Ahead {
    Tiles tiles;
    unsigned* shared; // a tile that thread 0 has drawn, for the block
    unsigned now, next = 0, left;

    __device__ __forceinline__ Ahead(const Tiles& t, unsigned* s) : tiles(t), shared(s), left(t.share - 1) {
        if (threadIdx.x == 0) *shared = atomicAdd(tiles.drawn, 1u);
    }
    // The first tile is known to the block, and so is what each thread wrote to
    // shared memory before.
    __device__ __forceinline__ bool begin() {
        __syncthreads();
        now = *shared;
        return any();
    }
    __device__ __forceinline__ bool any() const { return now < tiles.number; }
    // Thread 0 asks early, and has the answer when the others need it.
    __device__ __forceinline__ void draw() {
        if (threadIdx.x == 0) next = left > 0 ? atomicAdd(tiles.drawn, 1u) : tiles.number;
        left--;
    }
    __device__ __forceinline__ void tell() {
        if (threadIdx.x == 0) *shared = next;
    }
    __device__ __forceinline__ void hear() { next = *shared; }
};

// What a block does in the last round of a tile: copy the next one.
template <class Fetch>
struct Then {
    Ahead& ahead;
    Fetch fetch;
    __device__ __forceinline__ void before() { ahead.tell(); }
    __device__ __forceinline__ void after() {
        ahead.hear();
        if (ahead.next < ahead.tiles.number) fetch(ahead.next);
    }
};
template <class Fetch>
Then(Ahead&, Fetch) -> Then<Fetch>;
struct Nothing {
    __device__ __forceinline__ void before() {}
    __device__ __forceinline__ void after() {}
};

struct Strided {
    const Fr* in;
    Fr* out;
    const Fr* factor;   // multiplied into the input point by point, or null
    const uint4* roots; // 4 planes of ROOTS + 1: Shoup pairs
    Pass pass;
    Tiles tiles;
    bool back; // from the coset: columns of the table backwards, rows rotated
    bool last; // store canonical values
};

template <bool DIT, class Twiddles>
__global__ void __launch_bounds__(THREADS, BLOCKS) k_ntt_strided(Strided a, Twiddles twiddles) {
    extern __shared__ uint4 shared[];
    const int k = a.pass.k, s = a.pass.s;
    __shared__ unsigned told;
    Ahead ahead(a.tiles, &told);
    Tile tile(shared, k);
    tile.load_roots(a.roots, k);
    const int lb = NTT_TILE - k; // columns are the low bits of the tile index
    const int groups = s - lb;   // log2 of tiles per stride
    const size_t cols = (size_t(1) << s) - 1, within = (size_t(1) << (s + k)) - 1;
    auto base = [&](unsigned block) {
        return ((size_t)(block >> groups) << (s + k)) + ((size_t)(block & ((1u << groups) - 1)) << lb);
    };
    auto point = [&](size_t from, int m) { return from + ((size_t)(m >> lb) << s) + (m & ((1 << lb) - 1)); };
    auto source = [&](size_t from, int m) {
        if (a.back) m = (m - (1 << lb)) & (POINTS - 1);
        return point(from, m);
    };
    auto twiddle = [&](size_t g) { return twiddles.fetch(a.pass, (a.back ? g ^ cols : g) & within); };
    const int n = (k + 2) / 3;
    const int first = round_at(lb, k, DIT ? n - 1 : 0).b, final = round_at(lb, k, DIT ? 0 : n - 1).b;
    auto fetch = [&](unsigned block) {
        const size_t from = base(block);
        tile.fetch([&](int m) { return a.in + source(from, m); });
    };

    if (!ahead.begin()) return;
    fetch(ahead.now);
#pragma unroll 1
    for (; ahead.any(); ahead.now = ahead.next) {
        const size_t from = base(ahead.now);
        FrLazy x[8];
        tile.arrived();
        ahead.draw();
        tile.get(x, first);
        if (!DIT && a.factor)
            each_point(
                x, [&](int e) { return load(a.factor + source(from, Tile::at(first, e))); },
                [&](int, const FrLazy& p, const Fr& f) { return p * f; });
        if (DIT)
            each_point(
                x, [&](int e) { return twiddle(point(from, Tile::at(first, e))); },
                [&](int, const FrLazy& p, const typename Twiddles::Factor& f) { return twiddles.times(p, f); });
        rounds<DIT, false>(x, tile, lb, k, Then{ahead, fetch});
        if (DIT) {
            CUZK_UNROLL for (int e = 0; e < 8; e++) store(a.out + point(from, Tile::at(final, e)), x[e], a.last);
        } else {
            each_point(
                x, [&](int e) { return twiddle(point(from, Tile::at(final, e))); },
                [&](int e, const FrLazy& p, const typename Twiddles::Factor& f) {
                    const FrLazy y = twiddles.times(p, f);
                    store(a.out + point(from, Tile::at(final, e)), y, false);
                    return y;
                });
        }
    }
}

// What the contiguous pass does after its stages.
enum class End {
    PLAIN, // nothing: canonical coefficients
    TURN,  // times `tile`, then forward onto the coset
    BACK,  // minuend − tile·x, canonical
};

struct Contiguous {
    const Fr* in;
    Fr* out;
    const uint4* roots;
    const Shoup* tile; // 2^k factors in the order in which threads take them
    const Fr* minuend; // BACK
    int k;
    Tiles tiles;
};

// Place of factor m of 2^k in Contiguous::tile: eight consecutive points belong
// to a thread.
__host__ __device__ constexpr int tile_place(int k, int m) { return (m & 7) << (k - 3) | m >> 3; }

template <End END>
__global__ void __launch_bounds__(THREADS, BLOCKS) k_ntt_contiguous(Contiguous a) {
    extern __shared__ uint4 shared[];
    __shared__ unsigned told;
    Ahead ahead(a.tiles, &told);
    Tile tile(shared, a.k);
    tile.load_roots(a.roots, a.k);
    const int top = round_at(0, a.k, 0).b;
    const Shoup* factors = a.tile + (threadIdx.x & ((1 << (a.k - 3)) - 1));
    auto factor = [&](int e) { return factors + ((size_t)e << (a.k - 3)); };
    auto fetch = [&](unsigned block) { tile.fetch([&](int m) { return a.in + (size_t)block * POINTS + m; }); };

    if (!ahead.begin()) return;
    fetch(ahead.now);
#pragma unroll 1
    for (; ahead.any(); ahead.now = ahead.next) {
        const size_t from = (size_t)ahead.now * POINTS;
        FrLazy x[8];
        tile.arrived();
        ahead.draw();
        tile.get(x, top);
        if (END == End::TURN) {
            rounds<false, false>(x, tile, 0, a.k, Nothing());
            each_point(x, factor, [&](int, const FrLazy& p, const Shoup* f) { return p * load(f); });
            rounds<true, false>(x, tile, 0, a.k, Then{ahead, fetch});
            CUZK_UNROLL for (int e = 0; e < 8; e++) store(a.out + from + Tile::at(top, e), x[e], false);
            continue;
        }
        rounds<false, false>(x, tile, 0, a.k, Then{ahead, fetch});
        if (END == End::PLAIN) {
            CUZK_UNROLL for (int e = 0; e < 8; e++) store(a.out + from + Tile::at(0, e), x[e], true);
        } else {
            each_point(
                x, [&](int e) { return load(a.minuend + from + Tile::at(0, e)); },
                [&](int e, const FrLazy& p, const Fr& c) {
                    const FrLazy y = FrLazy::from(c) - p * load(factor(e));
                    store(a.out + from + Tile::at(0, e), y, true);
                    return y;
                });
        }
    }
}

} // namespace ntt
} // namespace cuzk
