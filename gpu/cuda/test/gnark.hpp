// Field and curve arithmetic against the values in gnark.bin, which
// gnark-crypto computed (test/vectors). Needs no CUDA.
#pragma once
#include <array>
#include <cstdio>

#include "../ec/curve.cuh"
#include "../ff/fr.cuh"

namespace cuzk {
namespace test {

template <class F>
struct Results {
    F sum, diff, prod, sqr, inv, neg, dot, round_trip;
};

// To the integer and back.
template <class F>
CUZK_HD F round_trip(const F& a) {
    return a.canonical().to_montgomery();
}
CUZK_HD Fp2 round_trip(const Fp2& a) { return {round_trip(a.c0), round_trip(a.c1)}; }

template <class F>
CUZK_HD Results<F> all(const F& a, const F& b) {
    return {a + b, a - b, a * b, a.sqr(), a.inv(), a.neg(), F::dot(a, b, b, a.neg()), round_trip(a)};
}

template <class F>
bool same(const Results<F>& x, const Results<F>& y) {
    return x.sum == y.sum && x.diff == y.diff && x.prod == y.prod && x.sqr == y.sqr && x.inv == y.inv &&
           x.neg == y.neg && x.dot == y.dot && x.round_trip == y.round_trip;
}

// gnark-crypto's values: records of a, b, a+b, a−b, a·b, a², 1/a, −a.
template <class F>
bool read(FILE* f, F* out, size_t n) {
    return fread(out, sizeof(F), n, f) == n;
}

template <class F>
int against_gnark(FILE* f, int n) {
    int bad = 0;
    for (int i = 0; i < n; i++) {
        F r[8];
        if (!read(f, r, 8)) return -1;
        Results<F> x = all(r[0], r[1]);
        bad += !(x.sum == r[2] && x.diff == r[3] && x.prod == r[4] && x.sqr == r[5] && x.inv == r[6] && x.neg == r[7] &&
                 x.round_trip == r[0]);
    }
    return bad;
}

// Records of P, Q, P+Q, 2P, k, k·P in affine form (k below 2^32).
template <class F>
int curve_against_gnark(FILE* f, int n) {
    int bad = 0;
    for (int i = 0; i < n; i++) {
        Affine<F> r[4], kp;
        uint64_t k;
        if (!read(f, r, 4) || !read(f, &k, 1) || !read(f, &kp, 1)) return -1;
        Xyzz<F> s = Xyzz<F>::from(r[0]);
        s.add(r[1]);
        Xyzz<F> full = Xyzz<F>::from(r[1]).times(3, 2); // other coordinates for Q
        full.add(Xyzz<F>::from(r[1].neg()).twice());
        Xyzz<F> sum = Xyzz<F>::from(r[0]);
        sum.add(full);
        bad += !(s.affine() == r[2] && sum.affine() == r[2] && Xyzz<F>::from(r[0]).twice().affine() == r[3] &&
                 Xyzz<F>::from(r[0]).times(k, 32).affine() == kp);
        if (!r[0].is_infinity() && !on_curve(r[0])) bad++;
    }
    return bad;
}

struct GnarkResult {
    const char* name;
    int bad; // values that differ; −1: the file is missing or short
};

inline std::array<GnarkResult, 5> compare_with_gnark(const char* path) {
    std::array<GnarkResult, 5> out{{{"Fp", -1}, {"Fr", -1}, {"Fp2", -1}, {"G1", -1}, {"G2", -1}}};
    FILE* f = fopen(path, "rb");
    if (!f) return out;
    uint32_t n[4] = {0};
    if (read(f, n, 4)) {
        out[0].bad = against_gnark<Fp>(f, n[0]);
        out[1].bad = against_gnark<Fr>(f, n[1]);
        out[2].bad = against_gnark<Fp2>(f, n[2]);
        out[3].bad = curve_against_gnark<Fp>(f, n[3]);
        out[4].bad = curve_against_gnark<Fp2>(f, n[3]);
    }
    fclose(f);
    return out;
}

} // namespace test
} // namespace cuzk
