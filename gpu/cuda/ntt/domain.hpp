// Transforms over the domain of 2^log n roots of unity, and the Groth16 quotient.
#pragma once
#include <vector>

#include "../ff/fr.cuh"
#include "../util/device.cuh"
#include "plan.hpp"

namespace cuzk {

namespace ntt {
enum class End;
struct Tiles;
} // namespace ntt

// Twiddle tables of one domain on the current device: 64 bytes per point for
// the widest pass (inverse, and to and from the coset), a fraction of that for
// the next. Small tables are some megabytes instead, and cost a product more per
// point and wide pass. Everything is asynchronous on the given stream, one at a
// time; the object must outlive the work.
class NttDomain {
  public:
    NttDomain(int log_n, cudaStream_t s, bool small = false);

    int log_n() const { return n_; }
    size_t size() const { return size_t(1) << n_; }
    size_t table_bytes() const;
    // Bytes of the tables between passes, the greater part.
    static size_t table_bytes(int log_n, bool small);

    // h of a·b = c + (X^n − 1)·h in bit-reversed order, from the values of a
    // and b on the domain in natural order, into `a`; b and c are overwritten.
    // Six transforms: c = a∘b holds on the domain, d is a·b mod X^n + 1 from
    // the odd coset, h = (c − d)/2 (docs/design.md 2.4).
    void quotient(Fr* a, Fr* b, Fr* c, cudaStream_t s) const;

    // Its parts. Values of a polynomial on the domain: to half its coefficients
    // in bit-reversed order; to its values on the odd coset g·w^i; and values on
    // the coset to `minuend` less half the coefficients. A factor, if given, is
    // first multiplied into the values.
    void half_coefficients(const Fr* values, const Fr* factor, Fr* out, cudaStream_t s) const;
    void to_coset(Fr* values, cudaStream_t s) const;
    void subtract_half_of_coset(Fr* values, const Fr* factor, const Fr* minuend, cudaStream_t s) const;

  private:
    struct Level {
        NttPass pass;
        enum Form { LONG, SHORT, POWERS } form;
        Buffer<uint4> table[3]; // of each ntt::Direction; halves at the last level only
    };
    void fill(Level& l, int direction, cudaStream_t s) const;
    ntt::Tiles tiles(cudaStream_t s) const;
    void strided(bool dit, const Level& l, int direction, bool back, const Fr* in, const Fr* factor, Fr* out, bool last,
                 cudaStream_t s) const;
    void contiguous(ntt::End end, const Fr* in, Fr* out, const Fr* minuend, cudaStream_t s) const;
    // All strided passes of an inverse transform.
    void down(int direction, bool back, const Fr* in, const Fr* factor, Fr* out, cudaStream_t s) const;
    void small_inverse(const Fr* in, const Fr* factor, const Fr& g, const Fr& scale, Fr* out, cudaStream_t s) const;

    int n_;
    unsigned blocks_ = 0;       // that the device holds at once
    Buffer<unsigned> drawn_;    // tiles of the present pass
    std::vector<Level> levels_; // strided passes, widest first
    int last_ = 0;              // stages of the contiguous pass
    Buffer<uint4> roots_;       // Shoup pairs of the roots of a tile, four planes
    Buffer<uint4> turn_, back_; // factors of the contiguous pass on the way to the coset (÷ n) and back (÷ 2n)
};

} // namespace cuzk
