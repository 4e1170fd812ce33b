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
            m = x[0] * P::INV; // leaves the carry flag alone
            y[0] = ptx::madc_lo_cc(m, P::mod(1), y[0]);
        } else {
            m = x[0] * P::INV;
            y[0] = ptx::mad_lo_cc(m, P::mod(1), y[0]);
        }
        y[1] = ptx::madc_hi_cc(m, P::mod(1), y[1]);
        CUZK_UNROLL for (int k = 2; k < N; k += 2) {
            y[k] = ptx::madc_lo_cc(m, P::mod(k + 1), y[k]);
            // the whole stays below 2^(32N+32): no carry out of the last column
            y[k + 1] =
                k + 2 < N ? ptx::madc_hi_cc(m, P::mod(k + 1), y[k + 1]) : ptx::madc_hi(m, P::mod(k + 1), y[k + 1]);
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
    constexpr int W = N / 2;
    constexpr uint64_t p0 = (uint64_t)P::mod(1) << 32 | P::mod(0);
    constexpr uint64_t inv = (uint64_t)P::INV * (2 + p0 * P::INV); // −p⁻¹ mod 2^64: a step of Newton's method
    uint64_t w[2 * W + 1], m[W];
    memcpy(w, t, 2 * N * sizeof *t);
    w[2 * W] = 0;
    for (int j = 0; j < W; j++) m[j] = (uint64_t)P::mod(2 * j + 1) << 32 | P::mod(2 * j);
    for (int i = 0; i < W; i++) {
        uint64_t carry = row_mad<W>(w + i, m, w[i] * inv);
        for (int k = i + W; k <= 2 * W; k++) w[k] += carry, carry = w[k] < carry;
    }
    memcpy(r, w + W, N * sizeof *r);
#endif
}

#ifdef CUZK_PTX
// r = a·b / 2^(32N) mod p for a·b < 2^(32N)·p and an even N, in [0, p + a·b/2^(32N)):
// every row of the product is reduced at once, so that two accumulators of N
// limbs are all that lives beside the factors. A window stays below
// 2^32·(a + p) + 3p < 2^(32N+32), so that no carry leaves the odd columns.
//
// x holds columns 0, 2, … of the sliding window, y columns 1, 3, …; a row adds
// a·b_i and m·p with m chosen to clear column 0, and the two swap roles.
template <class P>
CUZK_DEV void product_redc(uint32_t* r, const uint32_t* a, const uint32_t* b) {
    constexpr int N = P::N;
    static_assert(P::mod(N - 1) < 1u << 30, "sums need spare bits");
    uint32_t x[N], y[N], join = 0;
    CUZK_UNROLL for (int i = 0; i < N; i++) {
        if (i == 0) {
            CUZK_UNROLL for (int k = 0; k < N; k += 2) {
                wide(x[k], x[k + 1], a[k], b[0]);
                wide(y[k], y[k + 1], a[k + 1], b[0]);
            }
        } else {
            uint32_t u[N]; // the window slides: y becomes the even columns
            CUZK_UNROLL for (int k = 0; k < N; k++) u[k] = y[k], y[k] = k + 2 < N ? x[k + 2] : 0;
            CUZK_UNROLL for (int k = 0; k < N; k++) x[k] = u[k];
            x[0] = ptx::add_cc(x[0], join);
            CUZK_UNROLL for (int k = 0; k < N; k += 2) {
                y[k] = ptx::madc_lo_cc(a[k + 1], b[i], y[k]);
                y[k + 1] =
                    k + 2 < N ? ptx::madc_hi_cc(a[k + 1], b[i], y[k + 1]) : ptx::madc_hi(a[k + 1], b[i], y[k + 1]);
            }
            CUZK_UNROLL for (int k = 0; k < N; k += 2) {
                x[k] = k ? ptx::madc_lo_cc(a[k], b[i], x[k]) : ptx::mad_lo_cc(a[0], b[i], x[0]);
                x[k + 1] = ptx::madc_hi_cc(a[k], b[i], x[k + 1]);
            }
            y[N - 1] = ptx::addc(y[N - 1], 0);
        }
        const uint32_t m = x[0] * P::INV;
        CUZK_UNROLL for (int k = 0; k < N; k += 2) {
            y[k] = k ? ptx::madc_lo_cc(m, P::mod(k + 1), y[k]) : ptx::mad_lo_cc(m, P::mod(1), y[0]);
            y[k + 1] =
                k + 2 < N ? ptx::madc_hi_cc(m, P::mod(k + 1), y[k + 1]) : ptx::madc_hi(m, P::mod(k + 1), y[k + 1]);
        }
        CUZK_UNROLL for (int k = 0; k < N; k += 2) {
            x[k] = k ? ptx::madc_lo_cc(m, P::mod(k), x[k]) : ptx::mad_lo_cc(m, P::mod(0), x[0]);
            x[k + 1] = ptx::madc_hi_cc(m, P::mod(k), x[k + 1]);
        }
        y[N - 1] = ptx::addc(y[N - 1], 0);
        join = x[1];
    }
    r[0] = ptx::add_cc(y[0], join);
    CUZK_UNROLL for (int k = 1; k < N - 1; k++) r[k] = ptx::addc_cc(y[k], x[k + 1]);
    r[N - 1] = ptx::addc(y[N - 1], 0);
}
#endif

} // namespace cuzk
