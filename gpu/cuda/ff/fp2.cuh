// Fp2 = Fp[u]/(u² + 1).
#pragma once
#include "field.cuh"

namespace cuzk {

struct alignas(16) Fp2 {
    static constexpr int N = Fp::N;
    Fp c0, c1;

    static CUZK_HD Fp2 zero() { return {Fp::zero(), Fp::zero()}; }
    static CUZK_HD Fp2 one() { return {Fp::one(), Fp::zero()}; }
    CUZK_HD bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
    CUZK_HD bool operator==(const Fp2& o) const { return c0 == o.c0 && c1 == o.c1; }
    CUZK_HD bool operator!=(const Fp2& o) const { return !(*this == o); }

    friend CUZK_HD Fp2 operator+(const Fp2& a, const Fp2& b) { return {a.c0 + b.c0, a.c1 + b.c1}; }
    friend CUZK_HD Fp2 operator-(const Fp2& a, const Fp2& b) { return {a.c0 - b.c0, a.c1 - b.c1}; }
    CUZK_HD Fp2 neg() const { return {c0.neg(), c1.neg()}; }
    CUZK_HD Fp2 twice() const { return *this + *this; }
    CUZK_HD Fp2 neg_if(bool c) const { return {c0.neg_if(c), c1.neg_if(c)}; }

    // Called, not inlined: some 1,700 instructions against a call's few moves.
    friend CUZK_HD Fp2 operator*(const Fp2& a, const Fp2& b) { return product(a, b); }

    static CUZK_CALL Fp2 product(Fp2 a, Fp2 b) { return times(a, b); }
    // Three products, two reductions. Sums stay unreduced: (2p)² < 2^384·p.
    static CUZK_HD Fp2 times(const Fp2& a, const Fp2& b) {
        uint32_t t0[2 * N], t1[2 * N], t2[2 * N];
        Fp sa, sb;
        limbs_add<N>(sa.v, a.c0.v, a.c1.v);
        limbs_add<N>(sb.v, b.c0.v, b.c1.v);
        Fp::product(t2, sa, sb);
        Fp::product(t0, a.c0, b.c0);
        Fp::product(t1, a.c1, b.c1);
        limbs_sub<2 * N>(t2, t2, t0);
        limbs_sub<2 * N>(t2, t2, t1);
        // t0 − t1, made positive by 2^384·p
        uint32_t borrow = limbs_sub<2 * N>(t0, t0, t1), m[N];
        CUZK_UNROLL for (int i = 0; i < N; i++) m[i] = FpParams::mod(i) & borrow;
        limbs_add<N>(t0 + N, t0 + N, m);
        return {Fp::reduced(t0), Fp::reduced(t2)};
    }
    CUZK_HD Fp2 sqr() const { return square(*this); }
    // (a0 + a1)(a0 − a1), 2·a0·a1
    static CUZK_CALL Fp2 square(Fp2 a) {
        Fp s, d;
        limbs_add<N>(s.v, a.c0.v, a.c1.v);
        limbs_add<N>(d.v, a.c0.v, a.c0.v);
        return {s * (a.c0 - a.c1), d * a.c1};
    }
    static CUZK_HD Fp2 dot(const Fp2& a, const Fp2& b, const Fp2& c, const Fp2& d) { return a * b + c * d; }
    CUZK_HD Fp2 inv() const {
        Fp n = Fp::dot(c0, c0, c1, c1).inv();
        return {c0 * n, (c1 * n).neg()};
    }
    // Fp's lazy forms, without the laziness: sums of two coordinates leave no room.
    // For loops with one product in them, where it need not be a call.
    static CUZK_HD Fp2 times_lazy(const Fp2& a, const Fp2& b) { return times(a, b); }
    static CUZK_HD Fp2 squared_lazy(const Fp2& a) { return a.sqr(); }
    static CUZK_HD Fp2 minus_lazy(const Fp2& a, const Fp2& b) { return a - b; }
    CUZK_HD void flip() { *this = neg(); }
    CUZK_HD void reduce_once() {}
};

} // namespace cuzk
