// Prime field elements in Montgomery form, fully reduced: the type says so.
#pragma once
#include "redc.cuh"

namespace cuzk {

template <class P>
struct Field;

// The integer of a field element, little-endian limbs, in [0, p): what digits are
// taken from and files contain. It has no arithmetic but the way back.
template <class P>
struct alignas(16) Canonical {
    static constexpr int N = P::N;
    uint32_t v[N];

    static CUZK_HD Canonical of(uint64_t x) {
        Canonical r;
        CUZK_UNROLL for (int i = 0; i < N; i++) r.v[i] = i == 0 ? (uint32_t)x : i == 1 ? (uint32_t)(x >> 32) : 0;
        return r;
    }
    CUZK_HD bool operator==(const Canonical& o) const { return limbs_equal<N>(v, o.v); }
    // Also for values up to 2^(32N) − 1, which are reduced.
    CUZK_HD Field<P> to_montgomery() const;
};

template <class P>
struct alignas(16) Field {
    using Params = P;
    static constexpr int N = P::N;
    static_assert(N % 4 == 0, "Karatsuba halves and 16-byte loads need it");
    uint32_t v[N];

    static CUZK_HD Field zero() {
        Field r;
        CUZK_UNROLL for (int i = 0; i < N; i++) r.v[i] = 0;
        return r;
    }
    static CUZK_HD Field one() {
        Field r;
        CUZK_UNROLL for (int i = 0; i < N; i++) r.v[i] = P::one(i);
        return r;
    }
    static CUZK_HD Field r2() {
        Field r;
        CUZK_UNROLL for (int i = 0; i < N; i++) r.v[i] = P::r2(i);
        return r;
    }
    CUZK_HD bool is_zero() const { return limbs_zero<N>(v); }
    CUZK_HD bool operator==(const Field& o) const { return limbs_equal<N>(v, o.v); }
    CUZK_HD bool operator!=(const Field& o) const { return !(*this == o); }

    // Subtracts p once where that does not make the value negative.
    CUZK_HD void reduce_once() {
        uint32_t m[N], d[N];
        CUZK_UNROLL for (int i = 0; i < N; i++) m[i] = P::mod(i);
        uint32_t borrow = limbs_sub<N>(d, v, m);
        limbs_select<N>(v, d, borrow == 0);
    }
    friend CUZK_HD Field operator+(const Field& a, const Field& b) {
        Field r;
        limbs_add<N>(r.v, a.v, b.v); // 2p < 2^(32N)
        r.reduce_once();
        return r;
    }
    friend CUZK_HD Field operator-(const Field& a, const Field& b) {
        Field r;
        uint32_t m[N], borrow = limbs_sub<N>(r.v, a.v, b.v);
        CUZK_UNROLL for (int i = 0; i < N; i++) m[i] = P::mod(i) & borrow;
        limbs_add<N>(r.v, r.v, m);
        return r;
    }
    CUZK_HD Field neg() const { return is_zero() ? *this : zero() - *this; }
    CUZK_HD Field twice() const { return *this + *this; }
    CUZK_HD Field neg_if(bool c) const {
        Field r = neg();
        limbs_select<N>(r.v, v, !c);
        return r;
    }

    static CUZK_HD void product(uint32_t* t, const Field& a, const Field& b) {
        if constexpr (P::KARATSUBA)
            limbs_mul_karatsuba<N>(t, a.v, b.v);
        else
            limbs_mul<N>(t, a.v, b.v);
    }
    static CUZK_HD Field reduced(const uint32_t* t) {
        Field r;
        redc<P>(r.v, t);
#ifdef CUZK_PTX
        if (P::EXACT_ON_DEVICE) return r;
#endif
        r.reduce_once();
        return r;
    }
    // In [0, p + a·b/2^(32N)).
    static CUZK_HD Field times_unreduced(const Field& a, const Field& b) {
        Field r;
#ifdef CUZK_PTX
        if constexpr (N == 12 && !P::KARATSUBA) {
            product_redc<P>(r.v, a.v, b.v);
            return r;
        }
#endif
        uint32_t t[2 * N];
        product(t, a, b);
        redc<P>(r.v, t);
        return r;
    }
    static CUZK_HD Field times(const Field& a, const Field& b) {
        Field r = times_unreduced(a, b);
#ifdef CUZK_PTX
        if (P::EXACT_ON_DEVICE) return r;
#endif
        r.reduce_once();
        return r;
    }
    static CUZK_HD Field squared(const Field& a) {
        uint32_t t[2 * N];
        limbs_sqr<N>(t, a.v);
        return reduced(t);
    }
    // Lazy forms, for Fp only: values below 2p that are not reduced. A product of
    // such values is below 1.5p, because p < 0.102·2^384.
    static CUZK_HD Field times_lazy(const Field& a, const Field& b) {
        static_assert(N == 12, "Fr has no room for it");
        return times_unreduced(a, b);
    }
    static CUZK_HD Field squared_lazy(const Field& a) {
        static_assert(N == 12, "Fr has no room for it");
        Field r;
        uint32_t t[2 * N];
        limbs_sqr<N>(t, a.v);
        redc<P>(r.v, t);
        return r;
    }
    // a − b + p for reduced a, b: below 2p.
    static CUZK_HD Field minus_lazy(const Field& a, const Field& b) {
        Field r;
        uint32_t m[N];
        CUZK_UNROLL for (int i = 0; i < N; i++) m[i] = P::mod(i);
        limbs_sub<N>(r.v, a.v, b.v);
        limbs_add<N>(r.v, r.v, m);
        return r;
    }
    // p − this, for values other than 0.
    CUZK_HD void flip() {
        uint32_t m[N];
        CUZK_UNROLL for (int i = 0; i < N; i++) m[i] = P::mod(i);
        limbs_sub<N>(v, m, v);
    }
    static CUZK_CALL Field times_called(Field a, Field b) { return times(a, b); }
    friend CUZK_HD Field operator*(const Field& a, const Field& b) {
        if constexpr (P::CALLED) return times_called(a, b);
        return times(a, b);
    }
    CUZK_HD Field sqr() const {
        if constexpr (P::CALLED) return times_called(*this, *this);
        return squared(*this);
    }
    // a·b + c·d with one reduction: 2p² < 2^(32N)·p, and the sum reduces to < 2p.
    static CUZK_HD Field dot(const Field& a, const Field& b, const Field& c, const Field& d) {
        if constexpr (P::CALLED) return a * b + c * d;
        uint32_t t[2 * N], s[2 * N];
        product(t, a, b);
        product(s, c, d);
        limbs_add<2 * N>(t, t, s);
        return reduced(t);
    }
    CUZK_HD Canonical<P> canonical() const {
        uint32_t t[2 * N];
        CUZK_UNROLL for (int i = 0; i < N; i++) t[i] = v[i], t[i + N] = 0;
        const Field r = reduced(t);
        Canonical<P> c;
        CUZK_UNROLL for (int i = 0; i < N; i++) c.v[i] = r.v[i];
        return c;
    }
    CUZK_HD Field pow(uint64_t e) const {
        Field r = one(), b = *this;
        for (; e; e >>= 1, b = b.sqr())
            if (e & 1) r = r * b;
        return r;
    }
    CUZK_HD Field inv() const; // 0 for 0; see invert.cuh
};

template <class P>
CUZK_HD Field<P> Canonical<P>::to_montgomery() const {
    Field<P> x;
    CUZK_UNROLL for (int i = 0; i < N; i++) x.v[i] = v[i];
    return x * Field<P>::r2();
}

using Fp = Field<FpParams>;
using FpCanonical = Canonical<FpParams>;
using FpCalled = Field<FpCalledParams>;

} // namespace cuzk
#include "invert.cuh"
