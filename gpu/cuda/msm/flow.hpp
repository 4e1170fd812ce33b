// How a sum flows through the device: what its parts work on, and the streams and
// events that let them overlap.
//
//	sort   digits of a group of bucket sets, sorted; a group ahead
//	plan   pairs of all levels of a chunk; some chunks ahead
//	wide   levels that fill the device; chunks by turns on two streams, so that
//	       one begins where the other ends
//	rest   short levels, then a chunk's points into buckets; weighing of buckets
//
// A group's `Sorted` is written on sort, read on plan and rest, and written again
// when rest has collected its last chunk (USED). A chunk's `Turn` is written on
// plan, wide and rest, read last there, and written again when rest has collected
// the chunk (FREE). Buckets, and what they are weighed with, are rest's alone. The
// caller's stream is one of the two wide ones and waits for all others at the end.
#pragma once
#include <memory>

#include "../util/device.cuh"
#include "lists.cuh"

namespace cuzk {
namespace msm {

constexpr int TURNS = 3, SORTS = 2, WIDES = 2;

// A chunk on its way: its lists by turns, the operands and the sums of the
// additions of all levels, and how many additions each level has.
template <class F>
struct Turn {
    Buffer<uint32_t> lists[2], additions;
    Buffer<uint2> pairs;
    Buffer<Affine<F>> sums;

    explicit Turn(size_t chunk) : additions(MOST_LEVELS), pairs(chunk + levels_padding(chunk)), sums(pairs.size()) {
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

// What has happened, for each Sorted and for each Turn.
enum Mark {
    BEGUN,
    ENDED,
    SORTED = ENDED + 4,
    USED = SORTED + SORTS,
    FIRST = USED + SORTS,
    PLANNED = FIRST + TURNS,
    ADDED = PLANNED + TURNS,
    FREE = ADDED + TURNS,
    MARKS = FREE + TURNS
};

// Side streams and events, made once for a workspace.
struct Crew {
    struct Untimed : Event {
        Untimed() : Event(cudaEventDisableTiming) {}
    };
    // wide: of the same order as the caller's stream
    explicit Crew(Stream::Order o) : sort(first(o)), plan(first(o)), rest(first(o)), wide(o) {}
    static Stream::Order first(Stream::Order o) { return o <= Stream::URGENT ? Stream::URGENT_FIRST : Stream::FIRST; }
    Stream sort, plan, rest, wide;
    Untimed marks[MARKS];
};

// One sum: begins where the caller's stream is, and the caller's stream goes on
// where the sum ends, also when an exception ends it. Without a crew everything
// is on the caller's stream.
class Flow {
  public:
    const cudaStream_t main, sort, plan, rest, wide[WIDES];

    Flow(Crew* crew, cudaStream_t s)
        : main(s),
          sort(crew ? crew->sort : s),
          plan(crew ? crew->plan : s),
          rest(crew ? crew->rest : s),
          wide{s, crew ? (cudaStream_t)crew->wide : s},
          crew_(crew) {
        mark(BEGUN, main);
        for (cudaStream_t side : {sort, plan, rest, wide[1]}) after(BEGUN, side);
    }
    ~Flow() {
        if (open_) try {
                end();
            } catch (...) { // the device is lost
            }
    }
    Flow(const Flow&) = delete;
    Flow& operator=(const Flow&) = delete;

    bool alone() const { return crew_ == nullptr; }
    void mark(int m, cudaStream_t s) {
        if (crew_) crew_->marks[m].record(s);
    }
    // Work queued on s from now on starts after the mark; at once if it was never set.
    void after(int m, cudaStream_t s) {
        if (crew_) crew_->marks[m].before(s);
    }
    void end() {
        open_ = false;
        int i = ENDED;
        for (cudaStream_t side : {sort, plan, rest, wide[1]}) mark(i, side), after(i++, main);
    }
    int next_turn(int turns) { return turn_ = (turn_ + 1) % turns; }
    cudaStream_t next_wide() { return wide[wide_ ^= 1]; }

  private:
    Crew* crew_;
    bool open_ = true;
    int turn_ = 0, wide_ = 1;
};

} // namespace msm
} // namespace cuzk
