// All rows of a and b on a stream: short ones by a thread each, long ones by a
// warp each (on the host: by loops).
#pragma once
#include <vector>

#include "../util/each.cuh"
#include "eval.cuh"

namespace cuzk::r1cs {

// Circuit::long_first and long_rows of templates whose rows begin in `starts`.
struct LongRows {
    std::vector<uint32_t> first{0}, rows;

    LongRows(const Template* templates, size_t n, const uint32_t* starts, size_t num_starts) {
        for (size_t t = 0; t < n; t++) {
            for (uint32_t m = 0; m < 2; m++) {
                const uint64_t at = templates[t].start[m];
                if (at + templates[t].rows >= num_starts) throw ArgumentError("a template's rows lie outside the circuit's");
                for (uint32_t r = 0; r < templates[t].rows; r++)
                    if (Range{starts[at + r], starts[at + r + 1]}.is_long()) rows.push_back(2 * r + m);
            }
            first.push_back((uint32_t)rows.size());
        }
    }
};

struct ShortRow {
    Circuit c;
    Witness w;
    Fr *a, *b;
    CUZK_HD void operator()(size_t r) const { row_pair(c, w, r, a, b); }
};

#ifdef __CUDACC__

constexpr int LONG_THREADS = 256;

// The long rows of call blockIdx.x.
static __global__ void __launch_bounds__(LONG_THREADS) k_long_rows(Circuit c, Witness w, Fr* a, Fr* b) {
    const Instance in = c.calls[blockIdx.x];
    const uint32_t lane = threadIdx.x % 32, end = c.long_first[in.tmpl + 1];
    for (uint32_t i = c.long_first[in.tmpl] + threadIdx.x / 32; i < end; i += LONG_THREADS / 32) {
        const uint32_t r = c.long_rows[i] >> 1, m = c.long_rows[i] & 1;
        const Range t = terms_of(c, in, m, r);
        Partial p{Fr::zero(), 0};
        for (uint32_t k = t.begin + lane; k < t.end; k += 32) p.add(c, w, in, c.terms[k]);
        for (int d = 16; d > 0; d /= 2) {
            Fr other;
            CUZK_UNROLL for (int l = 0; l < Fr::N; l++) other.v[l] = __shfl_xor_sync(0xffffffffu, p.sum.v[l], d);
            p.sum = p.sum + other;
            p.units += __shfl_xor_sync(0xffffffffu, p.units, d);
        }
        if (lane == 0) (m ? b : a)[in.row + r] = p.total(c);
    }
}

#else

struct LongRow {
    Circuit c;
    Witness w;
    Fr *a, *b;
    void operator()(size_t call) const {
        const Instance in = c.calls[call];
        for (uint32_t i = c.long_first[in.tmpl]; i < c.long_first[in.tmpl + 1]; i++) {
            const uint32_t r = c.long_rows[i] >> 1, m = c.long_rows[i] & 1;
            (m ? b : a)[in.row + r] = row(c, w, in, terms_of(c, in, m, r));
        }
    }
};

#endif

// Rows 0 … n − 1 of a and b.
inline void rows(const Circuit& c, const Witness& w, size_t n, Fr* a, Fr* b, cudaStream_t s) {
    each(n, s, "rows", ShortRow{c, w, a, b});
#ifdef __CUDACC__
    if (c.instances == 0) return;
    k_long_rows<<<(unsigned)c.instances, LONG_THREADS, 0, s>>>(c, w, a, b);
    CUZK_LAUNCHED("long rows");
#else
    each(c.instances, s, "long rows", LongRow{c, w, a, b});
#endif
}

}  // namespace cuzk::r1cs
