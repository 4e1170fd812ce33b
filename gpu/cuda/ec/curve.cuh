// Points of y² = x³ + b over F (Fp: G1, b = 4; Fp2: G2, b = 4(1 + u)).
//
// Affine (0, 0) stands for infinity: it is on neither curve. XYZZ coordinates
// (x = X/ZZ, y = Y/ZZZ, ZZ³ = ZZZ²) follow the formulas "madd-2008-s",
// "add-2008-s" and "dbl-2008-s-1" of the Explicit-Formulas Database.
#pragma once
#include "../ff/fp2.cuh"

namespace cuzk {

template <class F>
struct Affine {
    F x, y;
    static CUZK_HD Affine infinity() { return {F::zero(), F::zero()}; }
    CUZK_HD bool is_infinity() const { return x.is_zero() && y.is_zero(); }
    CUZK_HD bool operator==(const Affine& o) const { return x == o.x && y == o.y; }
    CUZK_HD Affine neg() const { return {x, y.neg()}; }
};

template <class F>
struct Xyzz {
    F x, y, zz, zzz;

    static CUZK_HD Xyzz infinity() { return {F::zero(), F::zero(), F::zero(), F::zero()}; }
    static CUZK_HD Xyzz from(const Affine<F>& p) {
        if (p.is_infinity()) return infinity();
        return {p.x, p.y, F::one(), F::one()};
    }
    CUZK_HD bool is_infinity() const { return zz.is_zero(); }

    // 6 products, 3 squares. Called rather than inlined, like the full addition:
    // neither is in a hot loop.
    CUZK_CALL Xyzz twice() const {
        if (is_infinity() || y.is_zero()) return infinity();
        F u = y.twice(), v = u.sqr(), w = u * v, s = x * v;
        F xx = x.sqr(), m = xx.twice() + xx;
        Xyzz r;
        r.x = m.sqr() - s.twice();
        r.y = F::dot(m, s - r.x, w.neg(), y);
        r.zz = v * zz;
        r.zzz = w * zzz;
        return r;
    }
    // 8 products, 2 squares, one reduction shared
    CUZK_HD void add(const Affine<F>& q) {
        if (q.is_infinity()) return;
        if (is_infinity()) {
            *this = from(q);
            return;
        }
        F p = q.x * zz - x, r = q.y * zzz - y;
        if (p.is_zero()) {
            *this = r.is_zero() ? from(q).twice() : infinity();
            return;
        }
        F pp = p.sqr(), ppp = p * pp, v = x * pp;
        x = r.sqr() - ppp - v.twice();
        y = F::dot(r, v - x, ppp, y.neg());
        zz = zz * pp;
        zzz = zzz * ppp;
    }
    // 12 products, 2 squares
    CUZK_CALL void add(const Xyzz& q) {
        if (q.is_infinity()) return;
        if (is_infinity()) {
            *this = q;
            return;
        }
        F u1 = x * q.zz, s1 = y * q.zzz;
        F p = q.x * zz - u1, r = q.y * zzz - s1;
        if (p.is_zero()) {
            *this = r.is_zero() ? twice() : infinity();
            return;
        }
        F pp = p.sqr(), ppp = p * pp, v = u1 * pp;
        x = r.sqr() - ppp - v.twice();
        y = F::dot(r, v - x, ppp, s1.neg());
        zz = zz * q.zz * pp;
        zzz = zzz * q.zzz * ppp;
    }
    CUZK_HD Affine<F> affine() const {
        if (is_infinity()) return Affine<F>::infinity();
        F i = (zz * zzz).inv();
        return {x * i * zzz, y * i * zz};
    }
    // k·this by double-and-add, k of `bits` bits.
    CUZK_HD Xyzz times(uint64_t k, int bits) const {
        Xyzz r = infinity();
        for (int i = bits - 1; i >= 0; i--) {
            r = r.twice();
            if (k >> i & 1) r.add(*this);
        }
        return r;
    }
};

// k·p for a plain 256-bit k.
template <class F>
CUZK_HD Xyzz<F> multiply(const Affine<F>& p, const uint32_t* k) {
    Xyzz<F> r = Xyzz<F>::infinity();
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int i = 255; i >= 0; i--) {
        r = r.twice();
        if (k[i / 32] >> (i % 32) & 1) r.add(p);
    }
    return r;
}

// The field of the same layout whose products are calls.
template <class F>
struct CalledField {
    using T = F; // Fp2's products are calls already
};
template <>
struct CalledField<Fp> {
    using T = FpCalled;
};
template <class F>
using Called = typename CalledField<F>::T;

using G1 = Affine<Fp>;
using G2 = Affine<Fp2>;
using G1x = Xyzz<Fp>;
using G2x = Xyzz<Fp2>;

// b of the curve over F.
template <class F>
CUZK_HD F curve_b();
template <>
CUZK_HD Fp curve_b<Fp>() {
    return Fp::one().twice().twice();
}
template <>
CUZK_HD Fp2 curve_b<Fp2>() {
    return {curve_b<Fp>(), curve_b<Fp>()};
}

template <class F>
CUZK_HD bool on_curve(const Affine<F>& p) {
    return p.y.sqr() == p.x.sqr() * p.x + curve_b<F>();
}

} // namespace cuzk
