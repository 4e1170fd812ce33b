// Montgomery reduction of double-width products.
#pragma once
#include "params.cuh"

namespace cuzk {

// r = t / 2^(32N) mod p for t < 2^(32N)·p, in [0, p + t/2^(32N)), not fully
// reduced. N² wide products and N low ones.
template <class P>
CUZK_HD void redc(uint32_t* r, const uint32_t* t) {
    constexpr int N = P::N;
#ifdef CUZK_PTX
    // The window slides one column per step; x starts at its first column, y at
    // the second. Clearing a column leaves x[1], which joins the next window's
    // first column; the two accumulators swap roles.
    uint32_t x[N + 2], y[N + 2];
    CUZK_UNROLL for (int i = 0; i < N; i++) x[i] = t[i], y[i] = 0;
    x[N] = x[N + 1] = y[N] = y[N + 1] = 0;
    uint32_t join = 0;
    CUZK_UNROLL for (int i = 0; i < N; i++) {
        uint32_t m;
        if (i > 0) {
            x[0] = ptx::add_cc(x[0], join);
            m = x[0] * P::INV;  // leaves the carry flag alone
            y[0] = ptx::madc_lo_cc(m, P::mod(1), y[0]);
        } else {
            m = x[0] * P::INV;
            y[0] = ptx::mad_lo_cc(m, P::mod(1), y[0]);
        }
        y[1] = ptx::madc_hi_cc(m, P::mod(1), y[1]);
        CUZK_UNROLL for (int k = 2; k < N; k += 2) {
            y[k] = ptx::madc_lo_cc(m, P::mod(k + 1), y[k]);
            // the whole stays below 2^(32N+32): no carry out of the last column
            y[k + 1] = k + 2 < N ? ptx::madc_hi_cc(m, P::mod(k + 1), y[k + 1])
                                 : ptx::madc_hi(m, P::mod(k + 1), y[k + 1]);
        }
        x[0] = ptx::mad_lo_cc(m, P::mod(0), x[0]);
        x[1] = ptx::madc_hi_cc(m, P::mod(0), x[1]);
        CUZK_UNROLL for (int k = 2; k < N; k += 2) {
            x[k] = ptx::madc_lo_cc(m, P::mod(k), x[k]);
            x[k + 1] = ptx::madc_hi_cc(m, P::mod(k), x[k + 1]);
        }
        y[N - 1] = ptx::addc(y[N - 1], 0);
        if (i == N - 1) break;
        join = x[1];
        CUZK_UNROLL for (int k = 0; k < N; k++) {
            uint32_t next = x[k + 2];
            x[k] = y[k];
            y[k] = next;
        }
    }
    uint32_t lo[N];
    lo[0] = ptx::add_cc(x[1], y[0]);
    CUZK_UNROLL for (int k = 1; k < N - 1; k++) lo[k] = ptx::addc_cc(x[k + 1], y[k]);
    lo[N - 1] = ptx::addc(y[N - 1], 0);
    limbs_add<N>(r, lo, t + N);
#else
    uint32_t w[2 * N + 1];
    for (int i = 0; i < 2 * N; i++) w[i] = t[i];
    w[2 * N] = 0;
    for (int i = 0; i < N; i++) {
        uint32_t m = w[i] * P::INV;
        uint64_t c = 0;
        for (int j = 0; j < N; j++) {
            c += (uint64_t)m * P::mod(j) + w[i + j];
            w[i + j] = (uint32_t)c, c >>= 32;
        }
        for (int k = i + N; k <= 2 * N; k++) c += w[k], w[k] = (uint32_t)c, c >>= 32;
    }
    for (int i = 0; i < N; i++) r[i] = w[i + N];
#endif
}

}  // namespace cuzk
