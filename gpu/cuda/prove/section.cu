// One section of the parameters (h, l, a, b_g1 or b_g2): its points, resident or in pieces, and its two sums: over
// the bases whose bit is 1, and over the others by multi-scalar multiplication.
#include "section.hpp"

namespace cuzk::prove {

template <class F>
void Section<F>::stay(const msm::Windows& w) {
    home_ = Home::DEVICE, windows_ = w, step_ = length_;
    pieces_ = {{0, length_, 0, bits(), 0, rest_}};
}

template <class F>
void Section<F>::come(size_t step, Home home) {
    home_ = home, step_ = step;
    if (query_ && ranks_.empty()) ranks_ = ranks(query_->bit_positions);
    pieces_.clear();
    if (home == Home::FILE) {
        for (size_t first = 0; first < length_; first += step)
            pieces_.push_back(range(first, std::min(step, length_ - first)));
        return;
    }
    // Run by run: one sum over many scalars costs less than a sum a piece. The
    // others first, for their sums leave time to bring the bits.
    for (size_t at = 0; at < rest_; at += step) {
        const size_t n = std::min(step, rest_ - at);
        pieces_.push_back({at, n, 0, 0, at, n});
    }
    for (size_t at = 0; at < bits(); at += step) {
        const size_t n = std::min(step, bits() - at);
        pieces_.push_back({at, n, at, n, 0, 0});
    }
}

template <class F>
void Section<F>::reserve(cudaStream_t s) {
    host_bytes_ = 0, locked_ = true;
    if (home_ == Home::DEVICE) {
        bits_bases_ = Buffer<Point>(bits());
        rest_bases_ = Buffer<Point>(bases() * windows_.copies);
        // h: the last coefficient is zero, its base is the identity
        if (bases() > rest_) CUZK_CHECK(cudaMemsetAsync(rest_bases_.get() + rest_, 0, sizeof(Point), s));
    } else if (home_ == Home::HOST) {
        for (const Piece& p : pieces_) {
            store_.emplace_back(p.points() * sizeof(Point));
            host_bytes_ += store_.back().size();
            locked_ = locked_ && store_.back().locked();
        }
    }
}

template <class F>
void Section<F>::release() {
    bits_bases_ = Buffer<Point>(), rest_bases_ = Buffer<Point>();
    store_.clear();
}

template <class F>
Piece Section<F>::range(size_t first, size_t count) const {
    auto bits_before = [&](size_t p) -> size_t {
        if (!query_) return 0;
        uint32_t low = p % 32 ? query_->bit_positions[p / 32] & ((1u << p % 32) - 1) : 0;
        return ranks_[p / 32] + popcount(low);
    };
    const size_t from = bits_before(first), to = bits_before(first + count);
    return {first, count, from, to - from, first - from, count - (to - from)};
}

template <class F>
size_t Section<F>::most(size_t Piece::* part) const {
    size_t n = 0;
    for (const Piece& p : pieces_) n = std::max(n, p.*part);
    return n;
}

template <class F>
void Section<F>::fit(size_t budget) {
    if (budget < scratch_bytes()) throw MemoryError(scratch_bytes(), budget, "scalars of a sum");
    budget -= scratch_bytes();
    select_work_ = select_size<F>(most(&Piece::bits) + 63, budget);
    if (home_ != Home::DEVICE || windows_.copies == 1) { // bases do not depend on the windows
        const SumPlan p = sum_plan<F>(home_ == Home::DEVICE ? bases() : most(&Piece::rest), budget);
        windows_ = p.windows, multiply_work_ = p.work;
    } else if (!multiply_size<F>(bases(), windows_, budget, &multiply_work_)) {
        throw MemoryError(prove::work_bytes<F>(multiply_work_), budget, "workspace of a sum");
    }
}

template <class F>
setup::Place<F> Section<F>::place(const Piece& p, Point* image) const {
    if (!query_) return {image, nullptr, nullptr, nullptr, 0, p.first};
    Point* bits = image + p.pad();
    return {bits + p.bits, bits, positions_.mask(), positions_.before(), p.bits_first, p.rest_first};
}

template <class F>
setup::Place<F> Section<F>::place() const {
    if (!query_) return {rest_bases_, nullptr, nullptr, nullptr, 0, 0, log_domain_};
    return {rest_bases_, bits_bases_, positions_.mask(), positions_.before()};
}

// A base of a run in the store, and how many follow it in the same piece.
template <class F>
Affine<F>* Section<F>::stored(bool bit, size_t rank, size_t* follow) const {
    const size_t k = rank / step_ + (bit ? (rest_ + step_ - 1) / step_ : 0);
    if (follow) *follow = pieces_[k].count - rank % step_;
    return reinterpret_cast<Point*>(store_[k].get()) + rank % step_;
}

template <class F>
void Section<F>::keep(const Piece& r, const Point* image, cudaStream_t s) {
    auto copy = [&](bool bit, size_t rank, const Point* from, size_t n) {
        for (size_t here; n > 0; rank += here, from += here, n -= here) {
            Point* to = stored(bit, rank, &here);
            here = std::min(here, n);
            CUZK_CHECK(cudaMemcpyAsync(to, from, here * sizeof(Point), cudaMemcpyDeviceToHost, s));
        }
    };
    copy(true, r.bits_first, image + r.pad(), r.bits);
    copy(false, r.rest_first, image + r.pad() + r.bits, r.rest);
}

template <class F>
const Affine<F>* Section<F>::kept(size_t position) const {
    const Piece one = range(position, 1);
    return stored(one.bits > 0, one.bits ? one.bits_first : one.rest_first, nullptr);
}

template <class F>
void Section<F>::align(const Piece& p, Point* image, cudaStream_t s) const {
    if (p.pad() > 0) CUZK_CHECK(cudaMemsetAsync(image, 0, p.pad() * sizeof(Point), s));
}

template <class F>
void Section<F>::bring(size_t k, Point* image, cudaStream_t s) const {
    CUZK_CHECK(cudaMemcpyAsync(image, store_[k].get(), pieces_[k].points() * sizeof(Point), cudaMemcpyHostToDevice, s));
}

template <class F>
void Section<F>::finish(cudaStream_t s) {
    if (home_ != Home::FILE) positions_ = Selection();
    if (home_ != Home::DEVICE) return;
    selected_ = std::make_unique<Bases<F>>(std::move(bits_bases_), (uint32_t)bits(), msm::Windows::make(16, 1), s);
    multiplied_ = std::make_unique<Bases<F>>(std::move(rest_bases_), (uint32_t)bases(), windows_, s);
}

template <class F>
size_t Section<F>::scratch_bytes() const {
    if (!query_) return 0;
    return Arena::aligned(bits() / 8 + 16) + Arena::aligned(most(&Piece::rest) * sizeof(Fr));
}

template <class F>
size_t Section<F>::work_bytes() const {
    return scratch_bytes() + std::max(prove::work_bytes<F>(select_work_), prove::work_bytes<F>(multiply_work_));
}

template <class F>
void Section<F>::select(const Piece& p, Point* image, const Circuit& c, const uint8_t* witness, Point* out,
                        Arena& arena, cudaStream_t s) const {
    uint32_t* bitmap = reinterpret_cast<uint32_t*>(arena.take(bits() / 8 + 16));
    query_->bits.compact(reinterpret_cast<const uint32_t*>(witness + (c.inputs() + c.scalars()) * sizeof(Fr)), bitmap,
                         s);
    const uint64_t* from = reinterpret_cast<const uint64_t*>(bitmap) + p.bits_first / 64;
    const uint32_t n = (uint32_t)(p.pad() + p.bits);
    Arena::Scope scope(arena);
    MsmWorkspace<F> ws(select_work_.entries, select_work_.buckets, select_work_.chunk);
    if (image == nullptr) return selected_->select(out, from, 0, n, ws, s);
    Bases<F>(Buffer<Point>::view(image, n), n, msm::Windows::make(16, 1), s).select(out, from, 0, n, ws, s);
}

template <class F>
void Section<F>::sum(size_t k, Point* image, const Circuit& c, const uint8_t* witness, Point* out, Arena arena,
                     cudaStream_t s) const {
    const Piece& p = pieces_[k];
    if (p.bits > 0) {
        Arena own = arena; // the two sums use the same memory
        select(p, image, c, witness, out, own, s);
    }
    if (p.rest == 0) return;
    Fr* scalars = reinterpret_cast<Fr*>(arena.take(p.rest * sizeof(Fr)));
    each(p.rest, s, "gather", Gather{reinterpret_cast<const Fr*>(witness), query_->source + p.rest_first, scalars});
    multiply(k, image, scalars, out, arena, s);
}

template <class F>
void Section<F>::multiply(size_t k, Point* image, const Fr* scalars, Point* out, Arena arena, cudaStream_t s) const {
    const Piece& p = pieces_[k];
    Arena::Scope scope(arena);
    MsmWorkspace<F> ws(multiply_work_.entries, multiply_work_.buckets, multiply_work_.chunk);
    if (image == nullptr) return multiplied_->multiply(out + 1, scalars, 0, multiplied_->size(), ws, s);
    const uint32_t n = (uint32_t)p.rest;
    Bases<F> bases(Buffer<Point>::view(image + p.pad() + p.bits, n), n, windows_, s);
    bases.multiply(out + 1, scalars, 0, n, ws, s);
}

template class Section<Fp>;
template class Section<Fp2>;

} // namespace cuzk::prove
