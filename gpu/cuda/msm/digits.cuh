// Signed digits of scalars, sorted entries and bucket boundaries.
#pragma once
#include <algorithm>

#include "../ff/fr.cuh"
#include "lists.cuh"

namespace cuzk {
namespace msm {

// Windows of c bits, K shifted copies of the bases. Window w = S·j + s uses
// copy j, which holds 2^(c·S·j)·P, and falls into bucket set s < S.
struct Windows {
    int c, windows, copies, sets;

    // 4 ≤ c ≤ 28. The top window cannot overflow: r < 0.91·2^255.
    static Windows make(int c, int copies) {
        int w = (256 + c - 1) / c;
        int sets = (w + copies - 1) / copies;
        return {c, w, (w + sets - 1) / sets, sets};
    }
    CUZK_HD uint32_t buckets() const { return 1u << (c - 1); }
    // Logarithm of how many of a set's buckets can be filled: the top window alone
    // has digits of 0 … 2^(255 − c·(windows − 1)) only.
    int filled(int set) const { return sets == windows && set == sets - 1 ? std::min(c - 1, 255 - c * (windows - 1)) : c - 1; }
    // windows in a set, and digits per scalar in `group` sets from `set` on
    CUZK_HD int copies_of(int set) const { return (windows - set + sets - 1) / sets; }
    CUZK_HD int digits_of(int set, int group) const {
        int n = 0;
        for (int i = 0; i < group; i++) n += copies_of(set + i);
        return n;
    }
};

// Digit w of k in [−2^(c−1), 2^(c−1)): with 2^(c−1) added to every window the
// digits are independent of each other. `k` is plain, below r.
struct Recoder {
    uint32_t v[10];

    CUZK_HD Recoder(const Fr& k, const Windows& w) {
        uint32_t bias[10] = {0};
        for (int i = 0; i < w.windows; i++) {
            int bit = w.c * i + w.c - 1;
            bias[bit / 32] |= 1u << (bit % 32);
        }
        uint64_t carry = 0;
        CUZK_UNROLL for (int i = 0; i < 10; i++) {
            carry += (uint64_t)bias[i] + (i < 8 ? k.v[i] : 0);
            v[i] = (uint32_t)carry, carry >>= 32;
        }
    }
    CUZK_HD int32_t digit(int w, int c) const {
        int bit = w * c, i = bit / 32, s = bit % 32;
        uint64_t x = v[i];
        if (i + 1 < 10) x |= (uint64_t)v[i + 1] << 32;
        return (int32_t)((x >> s) & ((1u << c) - 1)) - (int32_t)(1u << (c - 1));
    }
};

#ifdef __CUDACC__

// Entries of the bucket sets set0 … set0 + group − 1: key (set − set0)·buckets
// + |digit|, 0 for the digit 0; reference = copy and point, signed.
static __global__ void k_digits(uint32_t* keys, uint32_t* refs, const Fr* scalars, uint32_t first, uint32_t n, uint32_t stride,
                                Windows w, int set0, int group, bool montgomery) {
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Fr k = scalars[i];
        if (montgomery) k = k.from_mont();
        const Recoder r(k, w);
        size_t at = i;
        for (int g = 0; g < group; g++) {
            const int set = set0 + g, here = w.copies_of(set);
            for (int j = 0; j < here; j++, at += n) {
                int32_t d = r.digit(w.sets * j + set, w.c);
                keys[at] = d == 0 ? 0 : (uint32_t)g * w.buckets() + (d < 0 ? -d : d);
                refs[at] = ((uint32_t)j * stride + first + i) | (d < 0 ? NEGATIVE : 0);
            }
        }
    }
}

// offsets[b] = first entry whose key is at least b, for b ≤ buckets + 1.
static __global__ void k_offsets(uint32_t* offsets, const uint32_t* keys, uint32_t n, uint32_t buckets) {
    for (uint32_t b = blockIdx.x * blockDim.x + threadIdx.x; b <= buckets + 1; b += gridDim.x * blockDim.x) {
        uint32_t lo = 0, hi = n;
        while (lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (keys[mid] < b)
                lo = mid + 1;
            else
                hi = mid;
        }
        offsets[b] = lo;
    }
}
// The i-th chunk of `size` entries without those of digit 0, and the buckets it
// touches; empty (e0 = e1) where nothing is left.
static __global__ void k_chunks(Chunk* out, const uint32_t* offsets, uint32_t buckets, size_t size, uint32_t chunks) {
    const uint32_t start = offsets[1], end = offsets[buckets + 1];
    auto bucket_of = [&](uint32_t e) {  // last b with offsets[b] ≤ e
        uint32_t lo = 1, hi = buckets;
        while (lo < hi) {
            uint32_t mid = lo + (hi - lo + 1) / 2;
            if (offsets[mid] <= e)
                lo = mid;
            else
                hi = mid - 1;
        }
        return lo;
    };
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < chunks; i += gridDim.x * blockDim.x) {
        const size_t from = max((size_t)start, i * size), to = min((size_t)end, (i + 1) * size);
        if (from >= to)
            out[i] = {end, end, 1, 0};
        else
            out[i] = {(uint32_t)from, (uint32_t)to, bucket_of((uint32_t)from), bucket_of((uint32_t)to - 1)};
    }
}
// longest[i] = the longest list of a bucket in the i-th chunk; set to 0 before.
static __global__ void k_longest(uint32_t* longest, const uint32_t* offsets, const Chunk* chunks) {
    const Chunk c = chunks[blockIdx.y];
    uint32_t most = 0;
    for (uint32_t b = c.b_lo + blockIdx.x * blockDim.x + threadIdx.x; b <= c.b_hi; b += gridDim.x * blockDim.x)
        most = max(most, part_of(offsets, c, b).length);
    for (int d = 16; d > 0; d /= 2) most = max(most, __shfl_xor_sync(0xffffffffu, most, d));
    if (threadIdx.x % 32 == 0 && most) atomicMax(longest + blockIdx.y, most);
}

// Appends first + i for every set bit i < n to refs, in any order.
static __global__ void k_select(uint32_t* refs, uint32_t* count, const uint64_t* bits, uint32_t words, uint32_t first, uint32_t n) {
    const uint32_t rounds = (words + gridDim.x * blockDim.x - 1) / (gridDim.x * blockDim.x);
    for (uint32_t k = 0; k < rounds; k++) {
        uint32_t w = (k * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
        uint64_t x = w < words ? bits[w] : 0;
        if (w < words && n - w * 64 < 64) x &= (uint64_t(1) << (n - w * 64)) - 1;  // bits past the end do not count
        uint32_t mine = __popcll(x), at = mine, lane = threadIdx.x % 32;
        for (int d = 1; d < 32; d *= 2) {
            uint32_t y = __shfl_up_sync(0xffffffffu, at, d);
            if (lane >= d) at += y;
        }
        uint32_t base = 0;
        if (lane == 31 && at) base = atomicAdd(count, at);
        base = __shfl_sync(0xffffffffu, base, 31) + at - mine;
        for (; x; x &= x - 1) refs[base++] = first + w * 64 + __ffsll((long long)x) - 1;
    }
}

#endif

}  // namespace msm
}  // namespace cuzk
