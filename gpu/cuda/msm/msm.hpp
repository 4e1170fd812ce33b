// Multi-scalar multiplication over fixed bases that live on the device, and
// sums of selected bases.
#pragma once
#include <functional>
#include <vector>

#include "../util/device.cuh"
#include "digits.cuh"
#include "pipeline.hpp"

namespace cuzk {

// What one kind of sum needs beside its bases, for reuse by many calls: sorted
// entries, level outputs, buckets. Not for concurrent use.
template <class F>
class MsmWorkspace {
  public:
    // entries: digits of as many bucket sets as shall be summed together, one
    // at least, or most selected points; buckets: those sets' buckets, 1 for
    // selections only; chunk: entries added up at a time (memory, a point and 16
    // bytes each for up to CHUNK_SLOTS chunks, against launches).
    MsmWorkspace(size_t entries, size_t buckets, size_t chunk);
    size_t bytes() const;

  private:
    template <class G>
    friend class Bases;
    // Side streams, where there is more than one chunk.
    msm::SideStreams* side(bool several, cudaStream_t s);
    size_t entries_, chunk_, buckets_n_;
    Buffer<uint32_t> keys_, keys2_, refs2_, count_;
    Buffer<uint8_t> sort_;
    std::vector<msm::Sorted> sorted_;
    std::vector<msm::ChunkSlot<F>> chunk_slots_;
    Buffer<Affine<F>> buckets_, carry_;
    Buffer<Xyzz<F>> partial_, sets_;
    std::unique_ptr<msm::SideStreams> side_;
};

// n bases with shifted copies: copy j holds 2^(c·S·j)·P, so that every S-th
// window of a scalar shares a bucket set (docs/design.md 2.5).
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
    // All pointers are device memory. Waits once per group of bucket sets, to
    // learn how long the longest bucket is, with the group before queued.
    void multiply(Affine<F>* out, const Fr* scalars, uint32_t first, uint32_t n, MsmWorkspace<F>& ws,
                  cudaStream_t s) const;
    // *out = Σ P_{first+i} over the set bits i < n.
    void select(Affine<F>* out, const uint64_t* bits, uint32_t first, uint32_t n, MsmWorkspace<F>& ws,
                cudaStream_t s) const;

  private:
    // A group of bucket sets.
    struct Group {
        int set, sets;
        uint32_t buckets;
        size_t entries;
    };
    // A chunk of sorted entries: whose, which, how many at most, in how many
    // buckets, and the longest list of one.
    struct Part {
        int at;
        size_t chunk, entries;
        uint32_t buckets, longest;
    };
    // What is multiplied.
    struct Scalars {
        const Fr* k;
        uint32_t first, n;
    };
    void check(const MsmWorkspace<F>& ws) const;
    std::vector<Group> groups(uint32_t n, const MsmWorkspace<F>& ws) const;
    void sort(const Group& g, const Scalars& x, int at, MsmWorkspace<F>& ws, msm::Pipeline& pipeline) const;
    void cut(uint32_t buckets, size_t entries, int at, MsmWorkspace<F>& ws, msm::Pipeline& pipeline) const;
    std::vector<uint32_t> lengths(size_t entries, int at, MsmWorkspace<F>& ws, msm::Pipeline& pipeline) const;
    int levels(const Part& p, uint32_t stop, int slot, MsmWorkspace<F>& ws, msm::Pipeline& pipeline) const;
    void plan(const Part& p, int n, int slot, MsmWorkspace<F>& ws, msm::Pipeline& pipeline) const;
    void accumulate(const Group& g, const std::vector<uint32_t>& longest, int at, MsmWorkspace<F>& ws,
                    msm::Pipeline& pipeline, std::function<void()> next) const;
    void reduce_buckets(const Group& g, MsmWorkspace<F>& ws, msm::Pipeline& pipeline) const;
    msm::Points<F> points(const msm::ChunkSlot<F>& t) const { return {all_, t.sums, (uint32_t)all_.size()}; }
    static msm::Lists lists(const msm::Sorted& s, const msm::ChunkSlot<F>& t) {
        return {s.refs, {t.lists[0], t.lists[1]}};
    }
    uint32_t choose(const uint64_t* bits, uint32_t first, uint32_t n, MsmWorkspace<F>& ws, cudaStream_t s) const;
    static Buffer<Affine<F>> copied(const Affine<F>* points, uint32_t n, const msm::Windows& w, cudaStream_t s);

    uint32_t n_;
    msm::Windows w_;
    Buffer<Affine<F>> all_;
};

namespace msm {
// Sorting of (key, ref) pairs by the low `bits` bits of the key; the result is
// in the second buffers when *swapped. sort_bytes tells the temporary memory.
size_t sort_bytes(size_t n, int bits);
void sort(void* temp, size_t temp_bytes, uint32_t* keys, uint32_t* keys2, uint32_t* refs, uint32_t* refs2, size_t n,
          int bits, bool* swapped, cudaStream_t s);
} // namespace msm

} // namespace cuzk
