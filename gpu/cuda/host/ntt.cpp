// CPU twin of the transforms (ntt/domain.hpp): textbook radix-2 loops.
#include "../ntt/domain.hpp"
#include "../util/each.cuh"

namespace cuzk {

namespace {

Fr root_of_unity(int log_n) {
    Fr w;
    for (int i = 0; i < Fr::N; i++) w.v[i] = FrParams::root32(i);
    for (int i = log_n; i < 32; i++) w = w.sqr();
    return w;
}

std::vector<Fr> powers(const Fr& w, size_t n) {
    std::vector<Fr> p(n ? n : 1, Fr::one());
    for (size_t i = 1; i < n; i++) p[i] = p[i - 1] * w;
    return p;
}

// In place; decimation in frequency, natural order to bit-reversed order.
void dif(Fr* v, int log_n, const std::vector<Fr>& w) {
    const size_t n = size_t(1) << log_n;
    for (size_t half = n / 2, step = 1; half > 0; half /= 2, step *= 2)
#pragma omp parallel for if (n > 4096)
        for (size_t k = 0; k < n / 2; k++) {
            size_t j = k % half, i = k / half * 2 * half + j;
            Fr x = v[i], y = v[i + half];
            v[i] = x + y, v[i + half] = (x - y) * w[j * step];
        }
}

// In place; decimation in time, bit-reversed order to natural order.
void dit(Fr* v, int log_n, const std::vector<Fr>& w) {
    const size_t n = size_t(1) << log_n;
    for (size_t half = 1, step = n / 2; half < n; half *= 2, step /= 2)
#pragma omp parallel for if (n > 4096)
        for (size_t k = 0; k < n / 2; k++) {
            size_t j = k % half, i = k / half * 2 * half + j;
            Fr x = v[i], y = v[i + half] * w[j * step];
            v[i] = x + y, v[i + half] = x - y;
        }
}

// v[i] *= g^rev(i)·scale
void twist(Fr* v, int log_n, const Fr& g, const Fr& scale) {
#pragma omp parallel for if (log_n > 12)
    for (size_t i = 0; i < size_t(1) << log_n; i++) v[i] = v[i] * g.pow(reverse_bits(i, log_n)) * scale;
}

}  // namespace

NttDomain::NttDomain(int log_n, cudaStream_t, bool) : n_(log_n) {
    if (log_n < 0 || log_n > NTT_MAX_LOG) throw ArgumentError("NTT: log2 of the size must be 0…28");
}

size_t NttDomain::table_bytes(int, bool) { return 0; }  // powers live on the stack here

void NttDomain::quotient(Fr* a, Fr* b, Fr* c, cudaStream_t) const {
    const Fr w = root_of_unity(n_), g = root_of_unity(n_ + 1);
    const auto forward = powers(w, size() / 2), inverse = powers(w.inv(), size() / 2);
    const Fr n = Fr::one().twice().pow(n_).inv(), half = Fr::one().twice().inv();
    for (size_t i = 0; i < size(); i++) c[i] = a[i] * b[i];
    dif(c, n_, inverse);
    for (Fr* x : {a, b}) {
        dif(x, n_, inverse);
        twist(x, n_, g, n);
        dit(x, n_, forward);
    }
    for (size_t i = 0; i < size(); i++) a[i] = a[i] * b[i];
    dif(a, n_, inverse);
    twist(a, n_, g.inv(), n);
    for (size_t i = 0; i < size(); i++) a[i] = (c[i] * n - a[i]) * half;
}

}  // namespace cuzk
