// One section of the parameters and the sum over it: bit variables select bases
// that are only added, the others go through a multi-scalar multiplication over
// their own bases (docs/design.md 2.5).
//
// A section is resident on the device, with shifted copies of its bases, or it
// comes in pieces. From the file a piece is a range of positions, from the host's
// store a range of one of the runs. Its image is some identity points that align
// the bits to 64, the selected bases, then the others.
#pragma once
#include <memory>

#include "../setup/place.cuh"
#include "circuit.hpp"
#include "host_memory.hpp"
#include "windows.hpp"

namespace cuzk::prove {

enum class Home { DEVICE, HOST, FILE };

// What belongs together of the section's two runs: a range of positions, or of
// one run.
struct Piece {
    size_t first, count; // where it begins there, and points
    size_t bits_first, bits, rest_first, rest;
    size_t pad() const { return bits_first % 64; }
    size_t points() const { return pad() + bits + rest; }
};

struct Gather {
    const Fr* from;
    const uint32_t* index;
    Fr* to;
    CUZK_HD void operator()(size_t i) const { to[i] = from[index[i]]; }
};

template <class F>
class Section {
  public:
    using Field = F;
    using Point = Affine<F>;

    // The sections l, a, b: variables as the query says.
    Section(const Query& q, cudaStream_t s)
        : query_(&q), length_(q.length), rest_(q.scalars), positions_(q.bit_positions, s) {}
    // The section h of a domain of 2^log_domain points.
    explicit Section(int log_domain)
        : length_((size_t(1) << log_domain) - 1), rest_(length_), log_domain_(log_domain) {}

    size_t length() const { return length_; }
    size_t bytes() const { return length_ * sizeof(Point); }
    size_t bits() const { return length_ - rest_; }
    size_t rest() const { return rest_; }
    // Bases of the multiplication when resident: h has the identity at the end.
    size_t bases() const { return log_domain_ >= 0 ? length_ + 1 : rest_; }
    Home home() const { return home_; }
    const msm::Windows& windows() const { return windows_; }
    const WorkSize& multiply_work() const { return multiply_work_; }
    const std::vector<Piece>& pieces() const { return pieces_; }
    size_t host_bytes() const { return host_bytes_; }
    bool locked() const { return locked_; }

    // First it is decided, as often as need be: the section stays on the device,
    // with these windows, or comes in pieces of `step` positions;
    void stay(const msm::Windows& w);
    void come(size_t step, Home home);
    // and `budget` bytes are there for its sums. Throws MemoryError.
    void fit(size_t budget);
    // Then memory is taken for the bases, copies included, or for the store.
    void reserve(cudaStream_t s);
    void release();

    // Where the points of a resident section go, or of a range into its image.
    setup::Place<F> place() const;
    setup::Place<F> place(const Piece& p, Point* image) const;
    // The range of positions [first, first + count).
    Piece range(size_t first, size_t count) const;
    // Copies the image of a range into the host's store.
    void keep(const Piece& range, const Point* image, cudaStream_t s);
    // One point of the store, after its copies.
    const Point* kept(size_t position) const;
    // Starts bringing a piece from the host's store: whole 64s of bits.
    void bring(size_t k, Point* image, cudaStream_t s) const;
    // Clears what aligns the bits of a piece.
    void align(const Piece& p, Point* image, cudaStream_t s) const;
    // All bases are loaded: makes the copies.
    void finish(cudaStream_t s);

    // Work memory of a sum without its workspace, and with it.
    size_t scratch_bytes() const;
    size_t work_bytes() const;
    // Piece k of the section (image: null for a resident one) for a witness laid
    // out as Circuit says, or for h's scalars: out[0] = Σ of the bases of bit
    // variables that are 1, out[1] = Σ value·base over the others.
    void sum(size_t k, Point* image, const Circuit& c, const uint8_t* witness, Point* out, Arena arena,
             cudaStream_t s) const;
    void multiply(size_t k, Point* image, const Fr* scalars, Point* out, Arena arena, cudaStream_t s) const;

  private:
    Point* stored(bool bit, size_t rank, size_t* follow) const;
    size_t most(size_t Piece::* part) const;
    void select(const Piece& p, Point* image, const Circuit& c, const uint8_t* witness, Point* out, Arena& arena,
                cudaStream_t s) const;

    const Query* query_ = nullptr;
    size_t length_, rest_;
    int log_domain_ = -1;
    Selection positions_;         // only while bases come in
    std::vector<uint32_t> ranks_; // of the bitmap over positions

    Home home_ = Home::DEVICE;
    msm::Windows windows_{};
    WorkSize select_work_, multiply_work_;
    Buffer<Point> bits_bases_, rest_bases_;           // until finish
    std::unique_ptr<Bases<F>> selected_, multiplied_; // the two runs after it

    std::vector<Piece> pieces_;
    size_t step_ = 0, host_bytes_ = 0;
    std::vector<Store> store_; // one a piece
    bool locked_ = true;
};

extern template class Section<Fp>;
extern template class Section<Fp2>;

} // namespace cuzk::prove
