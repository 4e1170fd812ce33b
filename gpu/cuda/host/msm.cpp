// CPU twins of the sums (msm/dense.hpp, msm/sum.hpp): plain additions, and
// buckets of unsigned digits.
#include <algorithm>
#include <vector>

#include "../msm/dense.hpp"
#include "../msm/sum.hpp"

namespace cuzk {

template <class F>
size_t sum_selected_workspace(size_t) {
    return 0;
}

template <class F>
void sum_selected(const Affine<F>* bases, const uint32_t* bitmap, size_t n, Xyzz<F>* out, void*, size_t, cudaStream_t) {
    Xyzz<F> sum = Xyzz<F>::infinity();
    for (size_t i = 0; i < n; i++)
        if (bitmap[i / 32] >> (i % 32) & 1) sum.add(bases[i]);
    *out = sum;
}

// Σ of the digits at one position times bases.
template <class F>
static Xyzz<F> window_sum(const Affine<F>* bases, const std::vector<Fr>& scalars, int bit, int width) {
    std::vector<Xyzz<F>> buckets(size_t(1) << width, Xyzz<F>::infinity());
    for (size_t i = 0; i < scalars.size(); i++) {
        uint32_t digit = 0;
        for (int k = std::min(width, 256 - bit) - 1; k >= 0; k--) digit = digit << 1 | (scalars[i].v[(bit + k) / 32] >> ((bit + k) % 32) & 1);
        if (digit) buckets[digit].add(bases[i]);
    }
    Xyzz<F> run = Xyzz<F>::infinity(), sum = run;
    for (size_t i = buckets.size() - 1; i > 0; i--) run.add(buckets[i]), sum.add(run);
    return sum;
}

template <class F>
Msm<F>::Msm(Buffer<Affine<F>> bases, size_t, cudaStream_t) : bases_(std::move(bases)) {}
template <class F>
size_t Msm<F>::table_bytes() const {
    return bases_.bytes();
}
template <class F>
size_t Msm<F>::workspace_bytes() const {
    return 0;
}

template <class F>
void Msm<F>::run(Fr* scalars, Xyzz<F>* out, void*, size_t, cudaStream_t) const {
    std::vector<Fr> plain(bases_.size());
    for (size_t i = 0; i < plain.size(); i++) plain[i] = scalars[i].from_mont();
    int width = 2;
    while (width < 14 && (size_t(16) << width) < plain.size()) width++;
    const int windows = (255 + width - 1) / width;
    std::vector<Xyzz<F>> sums(windows);
#pragma omp parallel for
    for (int i = 0; i < windows; i++) sums[i] = window_sum<F>(bases_, plain, i * width, width);
    Xyzz<F> sum = Xyzz<F>::infinity();
    for (int i = windows - 1; i >= 0; i--) {
        for (int k = 0; k < width; k++) sum = sum.twice();
        sum.add(sums[i]);
    }
    *out = sum;
}

template class Msm<Fp>;
template class Msm<Fp2>;
template size_t sum_selected_workspace<Fp>(size_t);
template size_t sum_selected_workspace<Fp2>(size_t);
template void sum_selected<Fp>(const G1*, const uint32_t*, size_t, G1x*, void*, size_t, cudaStream_t);
template void sum_selected<Fp2>(const G2*, const uint32_t*, size_t, G2x*, void*, size_t, cudaStream_t);

}  // namespace cuzk
