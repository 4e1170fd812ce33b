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

Fr inverse_of_size(int log_n) { return Fr::one().twice().pow((uint64_t)log_n).inv(); }

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

} // namespace

NttDomain::NttDomain(int log_n, cudaStream_t, bool) : n_(log_n) {
    if (log_n < 0 || log_n > NTT_MAX_LOG) throw ArgumentError("NTT: log2 of the size must be 0…28");
}

size_t NttDomain::table_bytes(int, bool) { return 0; } // powers live on the stack here

void NttDomain::half_coefficients(const Fr* values, const Fr* factor, Fr* out, cudaStream_t) const {
    for (size_t i = 0; i < size(); i++) out[i] = factor ? values[i] * factor[i] : values[i];
    dif(out, n_, powers(root_of_unity(n_).inv(), size() / 2));
    twist(out, n_, Fr::one(), inverse_of_size(n_ + 1));
}

void NttDomain::to_coset(Fr* x, cudaStream_t) const {
    const Fr w = root_of_unity(n_);
    dif(x, n_, powers(w.inv(), size() / 2));
    twist(x, n_, root_of_unity(n_ + 1), inverse_of_size(n_));
    dit(x, n_, powers(w, size() / 2));
}

void NttDomain::subtract_half_of_coset(Fr* x, const Fr* factor, const Fr* minuend, cudaStream_t) const {
    for (size_t i = 0; factor && i < size(); i++) x[i] = x[i] * factor[i];
    dif(x, n_, powers(root_of_unity(n_).inv(), size() / 2));
    twist(x, n_, root_of_unity(n_ + 1).inv(), inverse_of_size(n_ + 1));
    for (size_t i = 0; i < size(); i++) x[i] = minuend[i] - x[i];
}

void NttDomain::quotient(Fr* a, Fr* b, Fr* c, cudaStream_t s) const {
    half_coefficients(a, b, c, s);
    to_coset(a, s);
    to_coset(b, s);
    subtract_half_of_coset(a, b, c, s);
}

} // namespace cuzk
