// Signed digits of scalars, sorted entries and bucket boundaries.
#pragma once
#include <algorithm>

#include "../ff/fr.cuh"
#include "lists.cuh"

namespace cuzk {
namespace msm {

// Windows of c bits, in some sets of c − 1, and K shifted copies of the bases.
// Window S·j + s falls into bucket set s < S and uses copy j, which holds
// 2^(round·j)·P: all copies are cut alike.
struct Windows {
    int c, windows, copies, sets;
    int wide; // sets of c bits, the first ones

    // 4 ≤ c ≤ 28. The top window cannot overflow: r < 0.91·2^255.
    static Windows make(int c, int copies) {
        int w = (256 + c - 1) / c;
        int sets = (w + copies - 1) / copies;
        return {c, w, (w + sets - 1) / sets, sets, sets};
    }
    // As many windows, of no more bits than needed: 255, for scalars are taken as
    // ±k, k ≤ r/2 < 0.91·2^254. At least 10 bits keep the top window from overflowing.
    static Windows narrow(int c, int copies) {
        Windows w = make(c, copies);
        while (c >= 10 && w.wide > 0 && w.bits() - w.copies_of(w.wide - 1) >= 255) w.wide--;
        return w;
    }
    CUZK_HD bool halved() const { return wide < sets; }
    CUZK_HD int width(int set) const { return set < wide ? c : c - 1; }
    CUZK_HD int before(int set) const { return set * (c - 1) + (set < wide ? set : wide); } // bits of the sets before
    CUZK_HD int round() const { return before(sets); }
    CUZK_HD int bits() const {
        const int last = windows - sets * (copies - 1); // windows of the last copy
        return round() * (copies - 1) + before(last);
    }
    // Of every set, though one of c − 1 bits fills half of them.
    CUZK_HD uint32_t buckets() const { return 1u << (c - 1); }
    // Logarithm of how many buckets of a set can be filled. If the top window is
    // alone in its set, they are few: its digits are not negative.
    int filled(int set) const {
        const int most = width(set) - 1, top = (halved() ? 254 : 255) - before(set);
        return sets == windows && set == sets - 1 ? std::min(most, top) : most;
    }
    // windows in a set, and digits per scalar in `group` sets from `set` on
    CUZK_HD int copies_of(int set) const { return (windows - set + sets - 1) / sets; }
    CUZK_HD int digits_of(int set, int group) const {
        int n = 0;
        for (int i = 0; i < group; i++) n += copies_of(set + i);
        return n;
    }
};

// Signed digits of k, or of r − k if windows are for halved scalars and that is
// smaller: `negative`. A window of w bits has −2^(w−1) … 2^(w−1) − 1; with 2^(w−1)
// added to every window digits are independent of each other.
struct Recoder {
    uint32_t v[10];
    bool negative = false;

    CUZK_HD Recoder(FrCanonical k, const Windows& w) {
        if (w.halved()) {
            FrCanonical other; // r − k
            uint32_t difference[8];
            CUZK_UNROLL for (int i = 0; i < 8; i++) other.v[i] = FrParams::mod(i);
            limbs_sub<8>(other.v, other.v, k.v);
            negative = limbs_sub<8>(difference, other.v, k.v) != 0;
            if (negative) k = other;
        }
        uint32_t bias[10] = {0};
        for (int i = 0, set = 0, bit = 0; i < w.windows; i++, set = set + 1 < w.sets ? set + 1 : 0) {
            bit += w.width(set);
            bias[(bit - 1) / 32] |= 1u << ((bit - 1) % 32);
        }
        uint64_t carry = 0;
        CUZK_UNROLL for (int i = 0; i < 10; i++) {
            carry += (uint64_t)bias[i] + (i < 8 ? k.v[i] : 0);
            v[i] = (uint32_t)carry, carry >>= 32;
        }
    }
    // The digit that belongs to copy j and to this set.
    CUZK_HD int32_t digit(int set, int j, const Windows& w) const {
        const int bit = w.round() * j + w.before(set), width = w.width(set), i = bit / 32, s = bit % 32;
        uint64_t x = v[i];
        if (i + 1 < 10) x |= (uint64_t)v[i + 1] << 32;
        return (int32_t)((x >> s) & ((1u << width) - 1)) - (int32_t)(1u << (width - 1));
    }
};

#ifdef __CUDACC__

// Entries of the bucket sets set0 … set0 + group − 1: key (set − set0)·buckets
// + |digit|, 0 for the digit 0; reference = copy and point, signed.
static __global__ void k_digits(uint32_t* keys, uint32_t* refs, const Fr* scalars, uint32_t first, uint32_t n,
                                uint32_t stride, Windows w, int set0, int group) {
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const Recoder r(scalars[i].canonical(), w);
        size_t at = i;
        for (int g = 0; g < group; g++) {
            const int set = set0 + g, here = w.copies_of(set);
            for (int j = 0; j < here; j++, at += n) {
                const int32_t d = r.digit(set, j, w);
                keys[at] = d == 0 ? 0 : (uint32_t)g * w.buckets() + (d < 0 ? -d : d);
                refs[at] = ((uint32_t)j * stride + first + i) | ((d < 0) != r.negative ? NEGATIVE : 0);
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
    auto bucket_of = [&](uint32_t e) { // last b with offsets[b] ≤ e
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
static __global__ void k_select(uint32_t* refs, uint32_t* count, const uint64_t* bits, uint32_t words, uint32_t first,
                                uint32_t n) {
    const uint32_t rounds = (words + gridDim.x * blockDim.x - 1) / (gridDim.x * blockDim.x);
    for (uint32_t k = 0; k < rounds; k++) {
        uint32_t w = (k * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
        uint64_t x = w < words ? bits[w] : 0;
        if (w < words && n - w * 64 < 64) x &= (uint64_t(1) << (n - w * 64)) - 1; // bits past the end do not count
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

} // namespace msm
} // namespace cuzk
