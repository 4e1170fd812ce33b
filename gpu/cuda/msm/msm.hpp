// Multi-scalar multiplication over fixed bases that live on the device, and
// sums of selected bases.
#pragma once
#include <vector>

#include "../util/device.cuh"
#include "digits.cuh"

namespace cuzk {

// What one kind of sum needs beside its bases, for reuse by many calls: sorted
// entries, level outputs, buckets. Not for concurrent use.
template <class F>
class MsmWorkspace {
  public:
    // entries: digits of as many bucket sets as shall be summed together, one
    // at least, or most selected points; buckets: those sets' buckets, 1 for
    // selections only; chunk: entries added up at a time (memory, a point and 12
    // bytes each, against launches).
    MsmWorkspace(size_t entries, size_t buckets, size_t chunk);
    size_t bytes() const;

  private:
    template <class G>
    friend class Bases;
    size_t entries_, chunk_, buckets_n_;
    Buffer<uint32_t> keys_, refs_, keys2_, refs2_;
    Buffer<uint32_t> offsets_, count_, longest_;
    Buffer<msm::Chunk> chunks_;
    Buffer<uint32_t> lists_[2], additions_;  // of one chunk: its lists by turns, the additions of each level
    Buffer<uint2> pairs_;                    // … their operands
    Buffer<Affine<F>> added_;                // … and sums, of all levels
    Buffer<Affine<F>> buckets_, carry_;
    Buffer<Xyzz<F>> partial_, sets_;
    Buffer<F> scratch_;
    Buffer<uint8_t> sort_;
    unsigned grid_;
};

// n bases with shifted copies: copy j holds 2^(c·S·j)·P, so that every S-th
// window of a scalar shares a bucket set (design 2.5).
template <class F>
class Bases {
  public:
    // Copies points[0, n) (device memory) and computes the shifted copies.
    Bases(const Affine<F>* points, uint32_t n, msm::Windows windows, cudaStream_t s);
    // Takes a buffer of n·windows.copies points over, of which the first n are
    // there, and computes the shifted copies behind them.
    Bases(Buffer<Affine<F>>&& points, uint32_t n, msm::Windows windows, cudaStream_t s);
    uint32_t size() const { return n_; }
    const msm::Windows& windows() const { return w_; }
    Affine<F>* points() const { return all_; }

    // *out = Σ scalars[i]·P_{first+i} for i < n, affine, (0, 0) for infinity.
    // All pointers are device memory. Waits once per group of bucket sets for
    // the stream, to learn how long the longest bucket is.
    void multiply(Affine<F>* out, const Fr* scalars, uint32_t first, uint32_t n, bool montgomery, MsmWorkspace<F>& ws,
                  cudaStream_t s) const;
    // *out = Σ P_{first+i} over the set bits i < n.
    void select(Affine<F>* out, const uint64_t* bits, uint32_t first, uint32_t n, MsmWorkspace<F>& ws, cudaStream_t s) const;

  private:
    std::vector<uint32_t> chunks(uint32_t buckets, size_t entries, MsmWorkspace<F>& ws, cudaStream_t s) const;
    void check(const MsmWorkspace<F>& ws) const;
    msm::Points<F> points(const MsmWorkspace<F>& ws) const;
    msm::Lists lists(const MsmWorkspace<F>& ws) const;
    int levels(size_t chunk, uint32_t buckets, uint32_t longest, uint32_t stop, MsmWorkspace<F>& ws, cudaStream_t s) const;
    int group_at(int set, uint32_t n, const MsmWorkspace<F>& ws) const;
    void accumulate(int set, int group, const Fr* scalars, uint32_t first, uint32_t n, bool montgomery, MsmWorkspace<F>& ws,
                    cudaStream_t s) const;
    void weigh(int set, int group, MsmWorkspace<F>& ws, cudaStream_t s) const;
    static Buffer<Affine<F>> copied(const Affine<F>* points, uint32_t n, const msm::Windows& w, cudaStream_t s);

    uint32_t n_;
    msm::Windows w_;
    Buffer<Affine<F>> all_;
};

namespace msm {
// Sorting of (key, ref) pairs by the low `bits` bits of the key; the result is
// in the second buffers when *swapped. sort_bytes tells the temporary memory.
size_t sort_bytes(size_t n, int bits);
void sort(void* temp, size_t temp_bytes, uint32_t* keys, uint32_t* keys2, uint32_t* refs, uint32_t* refs2, size_t n, int bits,
          bool* swapped, cudaStream_t s);
}  // namespace msm

}  // namespace cuzk
