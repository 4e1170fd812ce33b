// Modular inversion by constant-length division steps (Bernstein and Yang,
// "Fast constant-time gcd computation and modular inversion", 2019, with the
// half-integer start of δ), 30 steps a batch on the low words.
//
// Every lane of a warp takes the same path. One inversion costs about as much
// as 25 multiplications of the same field.
#pragma once
#include "field.cuh"

namespace cuzk {

// Signed limbs of 30 bits.
template <class P>
struct Divsteps {
    static constexpr int BITS = 32 * P::N;
    static constexpr int L = (BITS + 29) / 30;
    // Enough steps for any input below 2^(32N−1) (hull bound of the δ = 1/2 variant).
    static constexpr int BATCHES = ((45907 * (BITS - 1) + 26313) / 19929 + 29) / 30;
    static constexpr int32_t MASK = (1 << 30) - 1;

    struct Matrix {
        int32_t u, v, q, r;
    };

    static CUZK_HD int32_t modulus(int i) { // limb i of p
        const int bit = 30 * i, w = bit / 32, s = bit % 32;
        uint64_t x = w < P::N ? P::mod(w) : 0;
        if (w + 1 < P::N) x |= (uint64_t)P::mod(w + 1) << 32;
        return (int32_t)((x >> s) & MASK);
    }

    static CUZK_HD int32_t steps(int32_t zeta, uint32_t f, uint32_t g, Matrix& m) {
        uint32_t u = 1, v = 0, q = 0, r = 1;
#ifdef __CUDA_ARCH__
#pragma unroll 6
#endif
        for (int i = 0; i < 30; i++) {
            uint32_t neg = (uint32_t)(zeta >> 31), odd = 0u - (g & 1);
            uint32_t x = (f ^ neg) - neg, y = (u ^ neg) - neg, z = (v ^ neg) - neg;
            g += x & odd, q += y & odd, r += z & odd;
            neg &= odd;
            zeta = (int32_t)((uint32_t)zeta ^ neg) - 1;
            f += g & neg, u += q & neg, v += r & neg;
            g >>= 1, u <<= 1, v <<= 1;
        }
        m = {(int32_t)u, (int32_t)v, (int32_t)q, (int32_t)r};
        return zeta;
    }

    // (f, g) ← m·(f, g) / 2^30, exact.
    static CUZK_HD void update_fg(int32_t* f, int32_t* g, const Matrix& m) {
        int64_t cf = (int64_t)m.u * f[0] + (int64_t)m.v * g[0];
        int64_t cg = (int64_t)m.q * f[0] + (int64_t)m.r * g[0];
        cf >>= 30, cg >>= 30;
        CUZK_UNROLL for (int i = 1; i < L; i++) {
            cf += (int64_t)m.u * f[i] + (int64_t)m.v * g[i];
            cg += (int64_t)m.q * f[i] + (int64_t)m.r * g[i];
            f[i - 1] = (int32_t)cf & MASK, g[i - 1] = (int32_t)cg & MASK;
            cf >>= 30, cg >>= 30;
        }
        f[L - 1] = (int32_t)cf, g[L - 1] = (int32_t)cg;
    }

    // (d, e) ← m·(d, e) / 2^30 mod p; both stay in (−2p, p).
    static CUZK_HD void update_de(int32_t* d, int32_t* e, const Matrix& m) {
        int32_t sd = d[L - 1] >> 31, se = e[L - 1] >> 31;
        int32_t md = (m.u & sd) + (m.v & se), me = (m.q & sd) + (m.r & se);
        int64_t cd = (int64_t)m.u * d[0] + (int64_t)m.v * e[0];
        int64_t ce = (int64_t)m.q * d[0] + (int64_t)m.r * e[0];
        md -= (int32_t)((P::INV30 * (uint32_t)cd + (uint32_t)md) & MASK);
        me -= (int32_t)((P::INV30 * (uint32_t)ce + (uint32_t)me) & MASK);
        cd += (int64_t)modulus(0) * md, ce += (int64_t)modulus(0) * me;
        cd >>= 30, ce >>= 30;
        CUZK_UNROLL for (int i = 1; i < L; i++) {
            cd += (int64_t)m.u * d[i] + (int64_t)m.v * e[i] + (int64_t)modulus(i) * md;
            ce += (int64_t)m.q * d[i] + (int64_t)m.r * e[i] + (int64_t)modulus(i) * me;
            d[i - 1] = (int32_t)cd & MASK, e[i - 1] = (int32_t)ce & MASK;
            cd >>= 30, ce >>= 30;
        }
        d[L - 1] = (int32_t)cd, e[L - 1] = (int32_t)ce;
    }

    static CUZK_HD void split(int32_t* out, const uint32_t* w) {
        CUZK_UNROLL for (int i = 0; i < L; i++) {
            const int bit = 30 * i, k = bit / 32, s = bit % 32;
            uint64_t x = w[k];
            if (k + 1 < P::N) x |= (uint64_t)w[k + 1] << 32;
            out[i] = (int32_t)((x >> s) & MASK);
        }
    }

    // d·sign + (0, 1 or 2)·p, in [0, p), as 32-bit limbs.
    static CUZK_HD void join(uint32_t* out, int32_t* d, bool negate) {
        CUZK_UNROLL for (int round = 0; round < 2; round++) {
            int32_t add = d[L - 1] >> 31, c = 0;
            int32_t flip = (round == 0 && negate) ? -1 : 0;
            CUZK_UNROLL for (int i = 0; i < L; i++) {
                int32_t x = d[i] + (modulus(i) & add);
                x = ((x ^ flip) - flip) + c;
                c = x >> 30;
                d[i] = i < L - 1 ? x & MASK : x;
            }
        }
        CUZK_UNROLL for (int i = 0; i < P::N; i++) {
            const int bit = 32 * i, k = bit / 30, s = bit % 30;
            uint64_t x = (uint32_t)d[k];
            if (k + 1 < L) x |= (uint64_t)(uint32_t)d[k + 1] << 30;
            if (k + 2 < L) x |= (uint64_t)((uint32_t)d[k + 2] & 0xf) << 60;
            out[i] = (uint32_t)(x >> s);
        }
    }
};

template <class P>
CUZK_HD Field<P> Field<P>::inv() const {
    using D = Divsteps<P>;
    int32_t f[D::L], g[D::L], d[D::L], e[D::L];
    uint32_t start[N];
    CUZK_UNROLL for (int i = 0; i < N; i++) start[i] = P::r2(i);
    CUZK_UNROLL for (int i = 0; i < D::L; i++) f[i] = D::modulus(i), d[i] = 0;
    D::split(g, v);
    D::split(e, start); // (aR)⁻¹ · R² = a⁻¹R: the result is in Montgomery form
    int32_t zeta = -1;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int i = 0; i < D::BATCHES; i++) {
        typename D::Matrix m;
        zeta = D::steps(zeta, (uint32_t)f[0] | (uint32_t)f[1] << 30, (uint32_t)g[0] | (uint32_t)g[1] << 30, m);
        D::update_de(d, e, m);
        D::update_fg(f, g, m);
    }
    Field out;
    D::join(out.v, d, f[D::L - 1] < 0);
    return out;
}

} // namespace cuzk
