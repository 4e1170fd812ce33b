// One section of the parameters (l, a, b_g1 or b_g2) on the device, and the sum
// over it: bit variables select bases that are only added, the others go
// through a multi-scalar multiplication over their own bases (design 2.5).
#pragma once
#include <algorithm>
#include <memory>

#include "../setup/place.cuh"
#include "circuit.hpp"
#include "windows.hpp"

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
    size_t bit_bytes() const { return query_->bits.count() * sizeof(Affine<F>); }
    setup::Split<F> place() const { return {positions_.mask(), positions_.before(), bits_, rest_}; }

    // Prepares sums; the bases of scalar variables and their copies may take
    // `budget` bytes.
    void finish(size_t budget, cudaStream_t s) {
        positions_ = Selection();
        selected_ = make_bases(bits_, 0, s);
        multiplied_ = make_bases(rest_, budget, s);
    }
    void need(Need& n) const {
        n.add(query_->bits.count());
        n.add(query_->scalars, multiplied_->windows());
    }
    size_t work_bytes() const { return bitmap_bytes() + query_->scalars * sizeof(Fr); }

    // out[0] = Σ of the bases of bit variables that are 1, out[1] = Σ value·base
    // over the others, for a witness laid out as Circuit says.
    void sum(const Circuit& c, const uint8_t* witness, Affine<F>* out, uint8_t* work, MsmWorkspace<F>& ws, cudaStream_t s) const {
        const Fr* fields = reinterpret_cast<const Fr*>(witness);
        uint32_t* bitmap = reinterpret_cast<uint32_t*>(work);
        Fr* scalars = reinterpret_cast<Fr*>(work + bitmap_bytes());
        query_->bits.compact(reinterpret_cast<const uint32_t*>(fields + c.inputs() + c.scalars()), bitmap, s);
        selected_->select(out, reinterpret_cast<const uint64_t*>(bitmap), 0, selected_->size(), ws, s);
        each(query_->scalars, s, "gather", Gather{fields, query_->source, scalars});
        multiplied_->multiply(out + 1, scalars, 0, multiplied_->size(), true, ws, s);
    }

  private:
    size_t bitmap_bytes() const { return aligned(query_->bits.count() / 8 + 8); }

    const Query* query_;
    Selection positions_;  // only while bases are loaded
    Buffer<Affine<F>> bits_, rest_;
    std::unique_ptr<Bases<F>> selected_, multiplied_;  // the two runs after finish
};

}  // namespace cuzk::prove
