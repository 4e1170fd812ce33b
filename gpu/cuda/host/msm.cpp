// CPU twins of the sums (msm/msm.hpp): plain additions, and buckets of unsigned
// digits. Copies of bases exist on devices only.
#include <algorithm>
#include <vector>

#include "../msm/msm.hpp"
#include "../util/pause.hpp"

namespace cuzk {

// Takes about the memory that the real one takes, so that limits mean something.
template <class F>
MsmWorkspace<F>::MsmWorkspace(size_t entries, size_t buckets, size_t chunk)
    : entries_(std::max<size_t>(entries, 1)),
      chunk_(std::min(std::max<size_t>(chunk, 64), entries_)),
      buckets_n_(buckets) {
    const size_t chunks = (entries_ + chunk_ - 1) / chunk_;
    keys_ = Buffer<uint32_t>((buckets > 1 ? 5 : 1) * entries_);
    for (size_t i = 0; i < std::min<size_t>(chunks, msm::CHUNK_SLOTS); i++) chunk_slots_.emplace_back(chunk_);
    buckets_ = Buffer<Affine<F>>(buckets + 1);
}
template <class F>
size_t MsmWorkspace<F>::bytes() const {
    size_t n = keys_.bytes() + buckets_.bytes();
    for (auto& t : chunk_slots_) n += t.bytes();
    return n;
}

template <class F>
Bases<F>::Bases(Buffer<Affine<F>>&& points, uint32_t n, msm::Windows w, cudaStream_t)
    : n_(n), w_(w), all_(std::move(points)) {
    if (all_.size() < (size_t)n * w.copies) throw ArgumentError("MSM: no room for the copies");
}

template <class F>
void Bases<F>::select(Affine<F>* out, const uint64_t* bits, uint32_t first, uint32_t n, MsmWorkspace<F>& ws,
                      cudaStream_t) const {
    if ((uint64_t)first + n > n_) throw ArgumentError("sum: more bits than bases");
    if (n > ws.entries_) throw ArgumentError("sum: workspace too small");
    Xyzz<F> sum = Xyzz<F>::infinity();
    for (size_t i = 0; i < n; i++)
        if (bits[i / 64] >> (i % 64) & 1) sum.add(all_[first + i]);
    *out = sum.affine();
}

// Σ of the digits at one position times bases.
template <class F>
static Xyzz<F> window_sum(const Affine<F>* bases, const std::vector<FrCanonical>& scalars, int bit, int width) {
    std::vector<Xyzz<F>> buckets(size_t(1) << width, Xyzz<F>::infinity());
    for (size_t i = 0; i < scalars.size(); i++) {
        uint32_t digit = 0;
        for (int k = std::min(width, 256 - bit) - 1; k >= 0; k--)
            digit = digit << 1 | (scalars[i].v[(bit + k) / 32] >> ((bit + k) % 32) & 1);
        if (digit) buckets[digit].add(bases[i]);
    }
    Xyzz<F> run = Xyzz<F>::infinity(), sum = run;
    for (size_t i = buckets.size() - 1; i > 0; i--) run.add(buckets[i]), sum.add(run);
    return sum;
}

template <class F>
void Bases<F>::multiply(Affine<F>* out, const Fr* scalars, uint32_t first, uint32_t n, MsmWorkspace<F>& ws,
                        cudaStream_t s) const {
    if ((uint64_t)first + n > n_) throw ArgumentError("MSM: more scalars than bases");
    if ((size_t)n * w_.copies_of(0) > ws.entries_ || w_.buckets() > ws.buckets_n_)
        throw ArgumentError("MSM: workspace too small");
    host_wait(s, s); // as for the lengths of lists
    std::vector<FrCanonical> plain(n);
    for (uint32_t i = 0; i < n; i++) plain[i] = scalars[i].canonical();
    int width = 2;
    while (width < 14 && (size_t(16) << width) < plain.size()) width++;
    const int windows = (255 + width - 1) / width;
    std::vector<Xyzz<F>> sums(windows);
#pragma omp parallel for if (n > 4096)
    for (int i = 0; i < windows; i++) sums[i] = window_sum<F>(all_.get() + first, plain, i * width, width);
    Xyzz<F> sum = Xyzz<F>::infinity();
    for (int i = windows - 1; i >= 0; i--) {
        for (int k = 0; k < width; k++) sum = sum.twice();
        sum.add(sums[i]);
    }
    *out = sum.affine();
}

template class MsmWorkspace<Fp>;
template class MsmWorkspace<Fp2>;
template class Bases<Fp>;
template class Bases<Fp2>;

} // namespace cuzk
