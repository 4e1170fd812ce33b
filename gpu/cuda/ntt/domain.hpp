// Transforms over the domain of 2^log n roots of unity, and the Groth16 quotient.
#pragma once
#include <vector>

#include "../ff/fr.cuh"
#include "../util/device.cuh"
#include "plan.hpp"

namespace cuzk {

// Twiddle tables of one domain on the current device: 64 bytes per point for
// the widest pass (both directions), a 512th of that for the next. Small tables
// are 64·2·√n bytes instead, and cost a product more per point and wide pass.
// Everything is asynchronous on the given stream; the object must outlive the work.
class NttDomain {
  public:
    NttDomain(int log_n, cudaStream_t s, bool small = false);

    int log_n() const { return n_; }
    size_t size() const { return size_t(1) << n_; }
    size_t table_bytes() const;
    // Bytes of the tables for passes of many points, the greater part.
    static size_t table_bytes(int log_n, bool small);

    // Natural order in, bit-reversed order out (decimation in frequency);
    // inverse uses the inverse roots and divides by n.
    void to_reversed(Fr* data, bool inverse, cudaStream_t s) const;
    // Bit-reversed order in, natural order out (decimation in time).
    void to_natural(Fr* data, bool inverse, cudaStream_t s) const;

    // h of a·b = c + (X^n − 1)·h in bit-reversed order, from the values of a
    // and b on the domain in natural order, into `a`; b and c are overwritten.
    // Six transforms: c = a∘b holds on the domain, d is a·b mod X^n + 1 from
    // the odd coset, h = (c − d)/2 (design 2.4).
    void quotient(Fr* a, Fr* b, Fr* c, cudaStream_t s) const;

  private:
    struct Level {
        NttPass pass;
        bool powers;            // two tables of powers instead of one of twiddles
        Buffer<Fr> twiddle[2];  // of the roots and of their inverses
    };
    void strided(bool dit, const Level& l, bool inverse, const Fr* in, const Fr* factor, Fr* out, bool last,
                 cudaStream_t s) const;
    void small_quotient(Fr* a, Fr* b, Fr* c, cudaStream_t s) const;

    int n_;
    std::vector<Level> levels_;        // strided passes, widest first
    int last_ = 0;                     // stages of the contiguous pass
    Buffer<uint4> roots_, inv_roots_;  // Shoup pairs of w_2048^±e, four planes
    Buffer<Fr> tile_, inv_tile_;       // g^±(rev(m)·2^(n−11)), g = w_2n
    Buffer<Fr> block_;                 // g^(rev(B))/n
    Buffer<Fr> inv_block_;             // g^−(rev(B))/(2n)
    Buffer<Fr> scale_;                 // 1/n, 1/(2n)
};

}  // namespace cuzk
