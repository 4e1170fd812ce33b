// Bitmaps over variables and over the positions of an SRS section.
//
// A section keeps the bases of its bit variables apart from the others, in the
// order of the variables. So a witness bitmap over all aux variables becomes a
// bitmap over such bases by compaction: the bits at the selected positions move
// together. Twin: groth16.Query.pack in core/internal/groth16/plan.go.
#pragma once
#include <vector>

#include "../util/each.cuh"

namespace cuzk::prove {

// The bits of v selected by mask, moved to the low end, one run of set mask bits
// at a time (masks of real circuits have few runs per word).
CUZK_HD uint32_t extract(uint32_t v, uint32_t mask) {
    uint32_t out = 0, at = 0;
    v &= mask;
    while (v != 0) {
        uint32_t skip = popcount(~mask & (mask - 1)); // trailing zeros
        mask >>= skip, v >>= skip;
        uint32_t run = popcount(mask & ~(mask + 1)); // trailing ones
        uint32_t low = run == 32 ? ~0u : (1u << run) - 1;
        out |= (v & low) << at;
        if (run == 32) break;
        at += run, mask >>= run, v >>= run;
    }
    return out;
}

// Or the compacted bits of one word into a zeroed bitmap.
CUZK_HD void compact_word(uint32_t v, uint32_t mask, uint64_t at, uint32_t* to) {
    uint32_t e = extract(v, mask);
    if (e == 0) return;
    uint32_t shift = at & 31;
    atomic_or(to + (at >> 5), e << shift);
    if (shift != 0 && e >> (32 - shift) != 0) atomic_or(to + (at >> 5) + 1, e >> (32 - shift));
}

// Selected bits before each word, and their number at the end.
inline std::vector<uint32_t> ranks(const std::vector<uint32_t>& mask) {
    std::vector<uint32_t> before(mask.size() + 1);
    for (size_t i = 0; i < mask.size(); i++) before[i + 1] = before[i] + popcount(mask[i]);
    return before;
}

struct Compact {
    const uint32_t *from, *mask, *before;
    uint32_t* to;
    CUZK_HD void operator()(size_t i) const { compact_word(from[i], mask[i], before[i], to); }
};

// A mask on the device with its ranks.
class Selection {
  public:
    Selection() = default;
    Selection(const std::vector<uint32_t>& mask, cudaStream_t s) {
        std::vector<uint32_t> before = ranks(mask);
        count_ = before.back();
        mask_ = Buffer<uint32_t>(mask.size());
        before_ = Buffer<uint32_t>(before.size());
        mask_.upload(mask.data(), mask.size(), s);
        before_.upload(before.data(), before.size(), s);
        CUZK_CHECK(cudaStreamSynchronize(s)); // the ranks are on this stack
    }
    size_t count() const { return count_; }
    size_t words() const { return mask_.size(); }
    const uint32_t* mask() const { return mask_; }
    const uint32_t* before() const { return before_; }
    size_t bytes() const { return mask_.bytes() + before_.bytes(); }

    // Compacts the selected bits of a bitmap of words() words; `to` has a whole
    // number of 64-bit words.
    void compact(const uint32_t* from, uint32_t* to, cudaStream_t s) const {
        CUZK_CHECK(cudaMemsetAsync(to, 0, (count_ + 63) / 64 * 8, s));
        each(words(), s, "compact", Compact{from, mask_, before_, to});
    }

  private:
    size_t count_ = 0;
    Buffer<uint32_t> mask_, before_;
};

} // namespace cuzk::prove
