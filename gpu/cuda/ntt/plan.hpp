// How a transform of 2^n points is split into passes over memory.
//
// A pass performs `k` radix-2 stages on tiles of 2^TILE points that fit in
// shared memory. Decimation in frequency runs the passes from the widest stride
// to stride 1 and leaves bit-reversed order; decimation in time runs them
// backwards and takes bit-reversed order: no reversal pass exists.
#pragma once
#include <cstdint>
#include <vector>

namespace cuzk {

constexpr int NTT_TILE = 11;             // log2 of points per tile
constexpr int NTT_MAX_LOG = 28;          // largest domain
constexpr int NTT_STRIDED = 9;           // stages in a strided pass, at most: 128-byte rows
constexpr int NTT_CONTIGUOUS = NTT_TILE; // stages in the stride-1 pass, at most

struct NttPass {
    int stages;     // k
    int log_stride; // distance of neighbouring rows; 0: the contiguous pass
};

// Passes in DIF order for n > NTT_TILE; smaller transforms are done stage by stage.
inline std::vector<NttPass> ntt_plan(int n) {
    std::vector<NttPass> plan;
    if (n <= NTT_TILE) return plan;
    // Every round of a pass holds three stages; the fewest rounds win.
    int best_last = 0, best_rounds = 1 << 20, best_passes = 1 << 20;
    auto split = [](int rest) { return (rest + NTT_STRIDED - 1) / NTT_STRIDED; };
    auto rounds = [&](int rest) {
        int p = split(rest), r = 0;
        for (int i = 0; i < p; i++) r += (rest / p + (i < rest % p) + 2) / 3;
        return r;
    };
    for (int last = 6; last <= NTT_CONTIGUOUS && last < n; last++) {
        int rest = n - last;
        if (rest / split(rest) + last < NTT_TILE) continue; // rows narrower than a tile's columns
        int r = (last + 2) / 3 + rounds(rest), p = 1 + split(rest);
        if (p < best_passes || (p == best_passes && r < best_rounds))
            best_last = last, best_rounds = r, best_passes = p;
    }
    int rest = n - best_last, p = split(rest), stride = n;
    for (int i = 0; i < p; i++) {
        int k = rest / p + (i < rest % p);
        stride -= k;
        plan.push_back({k, stride});
    }
    plan.push_back({best_last, 0});
    return plan;
}

} // namespace cuzk
