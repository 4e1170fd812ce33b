// The scalar field: r = 1 − 2^32 + 2^64·R makes a reduction step six products
// instead of eight and needs no quotient digit; a factor known in advance
// (a twiddle) costs still less by Shoup's method.
#pragma once
#include "field.cuh"

namespace cuzk {

#ifdef CUZK_PTX
// t − q·r with q_i the lowest live column: column i vanishes, +q_i goes to
// column i+1, q_i·(2^192 − R) to column i+2, −q_i to column i+8. The last kind
// is taken off at once at the end.
template <>
CUZK_DEV void redc<FrParams>(uint32_t* r, const uint32_t* t) {
    using P = FrParams;
    uint32_t x[10], y[10], q[8];
    CUZK_UNROLL for (int i = 0; i < 8; i++) x[i] = t[i], y[i] = 0;
    x[8] = x[9] = y[8] = y[9] = 0;
    uint32_t join = 0;
    CUZK_UNROLL for (int i = 0; i < 8; i++) {
        if (i > 0) {
            q[i] = x[0] = ptx::add_cc(x[0], join);
            y[0] = ptx::addc_cc(y[0], x[0]);
        } else {
            q[i] = x[0];
            y[0] = ptx::add_cc(y[0], x[0]);
        }
        y[1] = ptx::addc_cc(y[1], 0);
        y[2] = ptx::madc_lo_cc(q[i], P::neg(3), y[2]);
        y[3] = ptx::madc_hi_cc(q[i], P::neg(3), y[3]);
        y[4] = ptx::madc_lo_cc(q[i], P::neg(5), y[4]);
        y[5] = ptx::madc_hi_cc(q[i], P::neg(5), y[5]);
        y[6] = ptx::madc_lo_cc(q[i], P::neg(7), y[6]);
        y[7] = ptx::madc_hi(q[i], P::neg(7), y[7]);
        x[2] = ptx::mad_lo_cc(q[i], P::neg(2), x[2]);
        x[3] = ptx::madc_hi_cc(q[i], P::neg(2), x[3]);
        x[4] = ptx::madc_lo_cc(q[i], P::neg(4), x[4]);
        x[5] = ptx::madc_hi_cc(q[i], P::neg(4), x[5]);
        x[6] = ptx::madc_lo_cc(q[i], P::neg(6), x[6]);
        x[7] = ptx::madc_hi_cc(q[i], P::neg(6), x[7]);
        y[7] = ptx::addc(y[7], 0);
        if (i == 7) break;
        join = x[1];
        CUZK_UNROLL for (int k = 0; k < 8; k++) {
            uint32_t next = x[k + 2];
            x[k] = y[k];
            y[k] = next;
        }
    }
    uint32_t lo[8], hi[8];
    lo[0] = ptx::add_cc(x[1], y[0]);
    CUZK_UNROLL for (int k = 1; k < 7; k++) lo[k] = ptx::addc_cc(x[k + 1], y[k]);
    lo[7] = ptx::addc(y[7], 0);
    // t/2^256 < r and lo < 2^256, so hi − q + lo lies in (−r, r): make it
    // [0, r) by one r where it is negative.
    uint32_t borrow = limbs_sub<8>(hi, t + 8, q);
    uint32_t carry = limbs_add<8>(hi, hi, lo);
    uint32_t m[8];
    uint32_t negative = borrow + carry; // −1 or 0
    CUZK_UNROLL for (int k = 0; k < 8; k++) m[k] = P::mod(k) & negative;
    limbs_add<8>(r, hi, m);
}
#endif

using Fr = Field<FrParams>;
using FrCanonical = Canonical<FrParams>;

// A constant factor w (not in Montgomery form) with its scaled inverse
// quotient floor(w·2^256 / r).
struct alignas(16) Shoup {
    uint32_t w[8], quot[8];

    static CUZK_HD Shoup make(const Fr& factor) {
        Shoup s;
        const FrCanonical plain = factor.canonical();
        // floor(w·2^256/r) = (w·2^256 − (w·2^256 mod r)) / r, and −1/r mod 2^256
        // turns the exact division into a product: the low half of −rem·(1/r).
        // w·2^256 mod r is the Montgomery form itself.
        uint32_t t[16], n[8], inv[8];
        CUZK_UNROLL for (int i = 0; i < 8; i++) s.w[i] = plain.v[i], n[i] = 0;
        limbs_sub<8>(n, n, factor.v);
        inverse_of_r(inv);
        limbs_mul<8>(t, n, inv);
        CUZK_UNROLL for (int i = 0; i < 8; i++) s.quot[i] = t[i];
        return s;
    }

    // r⁻¹ mod 2^256
    static CUZK_HD void inverse_of_r(uint32_t* o) {
        const uint32_t t[8] = {0x00000001u, 0x00000001u, 0x0001a402u, 0xac45a400u,
                               0xfffb13f9u, 0xe7e4d3e8u, 0x2840d7c6u, 0xc2bbc54fu};
        CUZK_UNROLL for (int i = 0; i < 8; i++) o[i] = t[i];
    }
};

// Values in [0, 2r), any representative: what butterflies keep.
struct alignas(16) FrLazy {
    uint32_t v[8];

    CUZK_HD Fr canonical() const {
        Fr r;
        CUZK_UNROLL for (int i = 0; i < 8; i++) r.v[i] = v[i];
        r.reduce_once();
        return r;
    }
    static CUZK_HD FrLazy from(const Fr& a) {
        FrLazy r;
        CUZK_UNROLL for (int i = 0; i < 8; i++) r.v[i] = a.v[i];
        return r;
    }
    friend CUZK_HD FrLazy operator+(const FrLazy& a, const FrLazy& b) {
        FrLazy s, d;
        uint32_t m[8];
        CUZK_UNROLL for (int i = 0; i < 8; i++) m[i] = FrParams::mod2(i);
        uint32_t carry = limbs_add<8>(s.v, a.v, b.v);
        uint32_t borrow = limbs_sub<8>(d.v, s.v, m);
        limbs_select<8>(s.v, d.v, carry != 0 || borrow == 0);
        return s;
    }
    friend CUZK_HD FrLazy operator-(const FrLazy& a, const FrLazy& b) {
        FrLazy s;
        uint32_t m[8], borrow = limbs_sub<8>(s.v, a.v, b.v);
        CUZK_UNROLL for (int i = 0; i < 8; i++) m[i] = FrParams::mod2(i) & borrow;
        limbs_add<8>(s.v, s.v, m);
        return s;
    }
    // a·w mod r in [0, 2r) for any a < 2r: the quotient estimate is at most one
    // too small, because the columns it leaves out weigh less than 2^-28.
    // 79 wide products, 7 high halves, 14 low ones.
    friend CUZK_HD FrLazy operator*(const FrLazy& a, const Shoup& s) {
        FrLazy r;
#ifdef CUZK_PTX
        uint32_t q[8];
        high_product(q, a.v, s.quot);
        low_difference(r.v, a.v, s.w, q);
#else
        uint32_t t[16], u[16], m[8];
        for (int i = 0; i < 8; i++) m[i] = FrParams::mod(i);
        limbs_mul<8>(t, a.v, s.quot);
        limbs_mul<8>(u, t + 8, m);
        limbs_mul<8>(t, a.v, s.w);
        limbs_sub<8>(r.v, t, u);
#endif
        return r;
    }

#ifdef CUZK_PTX
    // About floor(a·b / 2^256): columns 7 and up, plus the high halves of
    // column 6. Can be one too small.
    static CUZK_DEV void high_product(uint32_t* q, const uint32_t* a, const uint32_t* b) {
        // x starts at column 7 (products of columns 7, 9, …), y at column 8
        uint32_t x[12], y[12];
        CUZK_UNROLL for (int i = 0; i < 12; i++) x[i] = y[i] = 0;
        uint32_t h = ptx::mul_hi(a[0], b[6]); // high halves of column 6: they land in column 7
        CUZK_UNROLL for (int i = 0; i < 8; i++) {
            // columns i+j = 7, 9, …: j = 7−i, 9−i, … < 8
            x[0] = ptx::mad_lo_cc(a[i], b[7 - i], x[0]);
            if (i == 0) {
                x[1] = ptx::madc_hi(a[i], b[7 - i], x[1]);
            } else {
                x[1] = ptx::madc_hi_cc(a[i], b[7 - i], x[1]);
                CUZK_UNROLL for (int j = 9 - i, k = 2; j < 8; j += 2, k += 2) {
                    x[k] = ptx::madc_lo_cc(a[i], b[j], x[k]);
                    x[k + 1] = ptx::madc_hi_cc(a[i], b[j], x[k + 1]);
                }
                const int top = 2 + 2 * ((i) / 2);
                x[top] = ptx::addc(x[top], 0);
            }
            if (i == 0) continue;
            // column 6: j = 6−i, high half only; columns 8, 10, …: j = 8−i, …
            if (i < 7)
                h = ptx::mad_hi_cc(a[i], b[6 - i], h);
            else
                h = ptx::add_cc(h, 0);
            CUZK_UNROLL for (int j = 8 - i, k = 0; j < 8; j += 2, k += 2) {
                y[k] = ptx::madc_lo_cc(a[i], b[j], y[k]);
                y[k + 1] = ptx::madc_hi_cc(a[i], b[j], y[k + 1]);
            }
            const int top = 2 * ((i + 1) / 2);
            y[top] = ptx::addc(y[top], 0);
        }
        x[0] = ptx::add_cc(x[0], h);
        CUZK_UNROLL for (int k = 0; k < 8; k++) q[k] = k < 7 ? ptx::addc_cc(x[k + 1], y[k]) : ptx::addc(x[k + 1], y[k]);
    }

    // a·w − q·r mod 2^256.
    static CUZK_DEV void low_difference(uint32_t* r, const uint32_t* a, const uint32_t* w, const uint32_t* q) {
        uint32_t x[8], y[8]; // x starts at column 0, y at column 1
        CUZK_UNROLL for (int j = 0; j < 8; j += 2) {
            wide(x[j], x[j + 1], w[j], a[0]);
            if (j < 6)
                wide(y[j], y[j + 1], w[j + 1], a[0]);
            else
                y[j] = w[j + 1] * a[0];
        }
        y[7] = 0;
        CUZK_UNROLL for (int i = 1; i < 8; i++) low_row(x, y, w, 0, i, a[i]);
        CUZK_UNROLL for (int i = 0; i < 6; i++) low_row(x, y, neg_r(), 2, i, q[i]);
        // − r = (2^32 − 1) + 2^64·(…): the first term by shifting
        r[0] = x[0];
        r[1] = ptx::add_cc(x[1], y[0]);
        CUZK_UNROLL for (int k = 2; k < 8; k++) r[k] = k < 7 ? ptx::addc_cc(x[k], y[k - 1]) : ptx::addc(x[k], y[k - 1]);
        r[1] = ptx::add_cc(r[1], q[0]);
        CUZK_UNROLL for (int k = 2; k < 8; k++) r[k] = k < 7 ? ptx::addc_cc(r[k], q[k - 1]) : ptx::addc(r[k], q[k - 1]);
        limbs_sub<8>(r, r, q);
    }

    struct NegR {
        CUZK_DEV uint32_t operator[](int i) const { return FrParams::neg(i); }
    };
    static CUZK_DEV NegR neg_r() { return NegR(); }

    // (x, y) += f · Σ_{j ≥ first} c[j] 2^(32(i+j)), columns below 8 only.
    template <class C>
    static CUZK_DEV void low_row(uint32_t* x, uint32_t* y, const C& c, int first, int i, uint32_t f) {
        CUZK_UNROLL for (int parity = 0; parity < 2; parity++) {
            bool chained = false;
            CUZK_UNROLL for (int j = first; j < 8; j++) {
                const int col = i + j;
                if (col > 7 || (col & 1) != parity) continue;
                uint32_t& lo = parity ? y[col - 1] : x[col];
                if (col == 7) {
                    lo = chained ? ptx::madc_lo(f, c[j], lo) : lo + f * c[j];
                    continue;
                }
                uint32_t& hi = parity ? y[col] : x[col + 1];
                lo = chained ? ptx::madc_lo_cc(f, c[j], lo) : ptx::mad_lo_cc(f, c[j], lo);
                hi = col == 6 ? ptx::madc_hi(f, c[j], hi) : ptx::madc_hi_cc(f, c[j], hi);
                chained = true;
            }
        }
    }
#endif
};

} // namespace cuzk
