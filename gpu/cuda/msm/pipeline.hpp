// The streams and events of one multi-scalar multiplication: its steps work on
// different chunks at the same time.
//
// Σ kᵢ·Pᵢ is cut into groups of bucket sets, a group's sorted entries (bucket, signed
// base) into chunks. Each step has a stream:
//
//	sort   the entries of a group, sorted by bucket; one group ahead of the others
//	plan   the operand pairs of all levels of a chunk; up to CHUNK_SLOTS chunks ahead
//	wide   levels of affine additions that fill the device; chunks alternate between
//	       two streams, so that one begins where the other runs out of blocks
//	rest   short levels, a chunk's sums into buckets, the bucket reduction
//
// A group's `Sorted` is written on sort, read on plan and rest, and written again
// when rest has collected its last chunk (USED). A `ChunkSlot` is written on plan,
// wide and rest, read last on rest, and reused when rest has collected its chunk
// (FREE). Buckets and the memory of their reduction belong to rest alone. The caller's
// stream is one of the two wide ones; at the end it waits for all others.
#pragma once
#include <memory>

#include "../util/device.cuh"
#include "lists.cuh"

namespace cuzk {
namespace msm {

constexpr int CHUNK_SLOTS = 3, SORTS = 2, WIDES = 2;

// The memory of one chunk: its lists (level i reads list i mod 2 and writes the other), the operands and the sums of the
// additions of all levels, and how many additions each level has.
template <class F>
struct ChunkSlot {
    Buffer<uint32_t> lists[2], additions;
    Buffer<uint2> pairs;
    Buffer<Affine<F>> sums;

    explicit ChunkSlot(size_t chunk)
        : additions(MOST_LEVELS), pairs(chunk + levels_padding(chunk)), sums(pairs.size()) {
        for (auto& l : lists) l = Buffer<uint32_t>(chunk);
    }
    size_t bytes() const { return lists[0].bytes() + lists[1].bytes() + pairs.bytes() + sums.bytes(); }
};

// The entries of a group of bucket sets in order of their buckets, cut into chunks.
struct Sorted {
    Buffer<uint32_t> refs, offsets, longest;
    Buffer<Chunk> chunks;

    Sorted(size_t entries, size_t buckets, size_t parts)
        : refs(entries), offsets(buckets + 2), longest(parts), chunks(parts) {}
    size_t bytes() const { return refs.bytes() + offsets.bytes(); }
};

// Events of a sum, one for each Sorted (SORTED, USED) or ChunkSlot (FIRST to FREE).
enum Moment {
    BEGUN,
    ENDED,
    SORTED = ENDED + 4,
    USED = SORTED + SORTS,
    FIRST = USED + SORTS,
    PLANNED = FIRST + CHUNK_SLOTS,
    ADDED = PLANNED + CHUNK_SLOTS,
    FREE = ADDED + CHUNK_SLOTS,
    EVENTS = FREE + CHUNK_SLOTS
};

// Side streams and events, made once for a workspace.
struct SideStreams {
    struct Untimed : Event {
        Untimed() : Event(cudaEventDisableTiming) {}
    };
    // wide: of the same order as the caller's stream
    explicit SideStreams(Stream::Order o) : sort(first(o)), plan(first(o)), rest(first(o)), wide(o) {}
    static Stream::Order first(Stream::Order o) { return o <= Stream::URGENT ? Stream::URGENT_FIRST : Stream::FIRST; }
    Stream sort, plan, rest, wide;
    Untimed marks[EVENTS];
};

// One sum: begins where the caller's stream is, and the caller's stream goes on
// where the sum ends, also when an exception ends it. Without a side everything
// is on the caller's stream.
class Pipeline {
  public:
    const cudaStream_t main, sort, plan, rest, wide[WIDES];

    Pipeline(SideStreams* side, cudaStream_t s)
        : main(s),
          sort(side ? side->sort : s),
          plan(side ? side->plan : s),
          rest(side ? side->rest : s),
          wide{s, side ? (cudaStream_t)side->wide : s},
          side_(side) {
        mark(BEGUN, main);
        for (cudaStream_t side : {sort, plan, rest, wide[1]}) after(BEGUN, side);
    }
    ~Pipeline() {
        if (open_) try {
                end();
            } catch (...) { // the device is lost
            }
    }
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    bool alone() const { return side_ == nullptr; }
    void mark(int m, cudaStream_t s) {
        if (side_) side_->marks[m].record(s);
    }
    // Work queued on s from now on starts after the mark; at once if it was never set.
    void after(int m, cudaStream_t s) {
        if (side_) side_->marks[m].before(s);
    }
    void end() {
        open_ = false;
        int i = ENDED;
        for (cudaStream_t side : {sort, plan, rest, wide[1]}) mark(i, side), after(i++, main);
    }
    int next_slot(int slots) { return slot_ = (slot_ + 1) % slots; }
    cudaStream_t next_wide() { return wide[wide_ ^= 1]; }

  private:
    SideStreams* side_;
    bool open_ = true;
    int slot_ = 0, wide_ = 1;
};

} // namespace msm
} // namespace cuzk
