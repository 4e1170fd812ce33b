// One section of the parameters (l, a, b_g1 or b_g2) on the device, and the sum
// over it: bit variables select bases that are only added, the others go
// through a multi-scalar multiplication over their own bases (design 2.5).
#pragma once
#include <algorithm>
#include <memory>

#include "../msm/dense.hpp"
#include "../msm/sum.hpp"
#include "../setup/place.cuh"
#include "circuit.hpp"

namespace cuzk::prove {

inline size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

struct Gather {
    const Fr* from;
    const uint32_t* index;
    Fr* to;
    CUZK_HD void operator()(size_t i) const { to[i] = from[index[i]]; }
};

template <class F>
class Section {
  public:
    // Memory for the bases, which come in through place().
    Section(const Query& q, cudaStream_t s)
        : query_(&q), positions_(q.bit_positions, s), bits_(q.bits.count()), rest_(q.scalars) {}

    size_t length() const { return query_->length; }
    size_t rest_bytes() const { return query_->scalars * sizeof(Affine<F>); }
    setup::Split<F> place() const { return {positions_.mask(), positions_.before(), bits_, rest_}; }

    // Prepares sums; copies of the bases of scalar variables may take `budget`.
    void finish(size_t budget, cudaStream_t s) {
        positions_ = Selection();
        msm_ = std::make_unique<Msm<F>>(std::move(rest_), budget, s);
    }
    size_t work_bytes() const {
        size_t sums = std::max(sum_selected_workspace<F>(query_->bits.count()), msm_->workspace_bytes());
        return bitmap_bytes() + scalar_bytes() + sums;
    }
    // out[0] = Σ of the bases of bit variables that are 1, out[1] = Σ value·base
    // over the others, for a witness laid out as Circuit says.
    void sum(const Circuit& c, const uint8_t* witness, Xyzz<F>* out, uint8_t* work, size_t bytes, cudaStream_t s) const {
        if (bytes < work_bytes()) throw ArgumentError("the work area is too small");
        const Fr* fields = reinterpret_cast<const Fr*>(witness);
        uint32_t* bitmap = reinterpret_cast<uint32_t*>(work);
        Fr* scalars = reinterpret_cast<Fr*>(work + bitmap_bytes());
        uint8_t* rest = work + bitmap_bytes() + scalar_bytes();
        bytes -= bitmap_bytes() + scalar_bytes();
        query_->bits.compact(reinterpret_cast<const uint32_t*>(fields + c.inputs() + c.scalars()), bitmap, s);
        sum_selected<F>(bits_, bitmap, bits_.size(), out, rest, bytes, s);
        each(query_->scalars, s, "gather", Gather{fields, query_->source, scalars});
        msm_->run(scalars, out + 1, rest, bytes, s);
    }

  private:
    size_t bitmap_bytes() const { return aligned(query_->bits.count() / 8 + 8); }
    size_t scalar_bytes() const { return aligned(query_->scalars * sizeof(Fr)); }

    const Query* query_;
    Selection positions_;        // only while bases are loaded
    Buffer<Affine<F>> bits_, rest_;
    std::unique_ptr<Msm<F>> msm_;  // owns rest_ after finish
};

}  // namespace cuzk::prove
