// Many multiples of one point: parameter generation on the device.
#pragma once
#include "../ec/curve.cuh"
#include "../ff/fr.cuh"
#include "../util/device.cuh"

namespace cuzk {

// Tables of a base point for signed 16-bit windows: 16·2^15 affine points, 50
// MB in G1. A multiple costs 16 mixed additions and a share of an inversion:
// about 180 multiplications.
template <class F>
class FixedBase {
  public:
    FixedBase(const Affine<F>& base, cudaStream_t s);
    // out[i] = scalars[i]·base, affine; device pointers. `montgomery`: the
    // scalars are in Montgomery form.
    void multiples(Affine<F>* out, const Fr* scalars, uint32_t n, bool montgomery, cudaStream_t s) const;

  private:
    Buffer<Affine<F>> table_;
};

}  // namespace cuzk
