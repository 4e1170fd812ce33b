// One partition on its way through the device.
#pragma once
#include "../util/pause.hpp"
#include "srs.hpp"

namespace cuzk::prove {

// Where the sums over the pieces of all sections stand, two a piece: the one
// over bit variables and the one over the others (of h the first stays the
// identity).
struct Sums {
    size_t first[CUZK_CUDA_SECTIONS] = {}, count[CUZK_CUDA_SECTIONS] = {}; // among those in G1, of b_g2 in G2
    size_t g1 = 0, g2 = 0;

    explicit Sums(Sections& s) {
        s.each([&](int i, auto& x) {
            count[i] = 2 * x.pieces().size();
            size_t& all = i == CUZK_CUDA_B2 ? g2 : g1;
            first[i] = all, all += count[i];
        });
    }
    size_t bytes() const { return g1 * sizeof(G1) + g2 * sizeof(G2); }
};

// When something ran on a stream.
struct Interval {
    Event start, end;
};

// Memory of one partition: its witness, its results and its events.
struct Slot {
    Slot(const Circuit& c, bool resident, const Sums& s)
        : results(s.bytes()),
          witness(resident ? c.witness_bytes() : 0),
          given(resident ? c.given() : 0),
          host(resident ? 0 : c.witness_bytes()),
          g1(s.g1),
          g2(s.g2),
          sums(s),
          done(cudaEventBlockingSync) {}
    Pinned results;
    Buffer<uint8_t> witness; // empty if witnesses pass through the work area;
    Buffer<Fr> given;        // of a sketch
    Store host;              // where witnesses wait that pass through
    Buffer<G1> g1;
    Buffer<G2> g2;
    Sums sums;
    Interval ran[CUZK_CUDA_STAGES];  // the upload on the copy stream; of the download the start only
    Event whole;                     // a sketch is completed
    Event done;                      // results are on the host
    Pauses pauses[CUZK_CUDA_STAGES]; // of the stage's stream
};

// When a pass over a section ran, for all jobs that took part.
struct Pass : Interval {
    Pauses pauses;
};

class Job {
  public:
    Job(std::shared_ptr<Srs> srs, std::unique_ptr<Slot> slot) : srs_(std::move(srs)), slot_(std::move(slot)) {}
    // Waits until the device is done with the slot and gives it back.
    ~Job();
    Srs& srs() const { return *srs_; }
    Slot& slot() const { return *slot_; }

    // Takes elements of the witness and starts their way to the device. From any
    // thread, before the job is queued.
    void fill(int part, size_t first, const uint64_t* from, size_t count);
    // Queues everything, for parameters that are resident.
    void start();
    void wait(cuzk_cuda_result& out);
    // The pauses of each stage's stream, after wait; fn(stage, from, to) in milliseconds.
    template <class Fn>
    void pauses(Fn fn) const;

    // --- steps of start, and of a run; with the lane's order() held ---

    // Rows of a and b and the quotient, at the beginning of the work area. Queues
    // without a wait.
    void quotient();
    // This job's share, the index-th of `of`, of a pass that ran a stage.
    void share(int stage, std::shared_ptr<Pass> pass, size_t index, size_t of);
    // Brings the results to the host.
    void download();
    const uint8_t* witness() const;
    G1* g1(int section, size_t piece) const { return slot_->g1.get() + slot_->sums.first[section] + 2 * piece; }
    G2* g2(size_t piece) const { return slot_->g2.get() + 2 * piece; }

  private:
    friend class Run;
    void clear(cudaStream_t s);
    void filled(int part, size_t count);
    bool sketched() const { return filled_[CUZK_CUDA_GIVEN] > 0; }
    size_t size(int part) const;
    template <class Fn>
    void stage(int stage, const Stream& first, const Stream& s, Fn fn);
    void sum_h();
    void sum(int section, uint8_t* work, size_t bytes, const Stream& s);
    void sums_in_order();
    void sums_overlapped();
    cuzk_cuda_span span(int stage);

    struct Share {
        std::shared_ptr<Pass> pass;
        size_t index, of;
    };
    std::shared_ptr<Srs> srs_;
    std::unique_ptr<Slot> slot_;
    Share shares_[CUZK_CUDA_STAGES]; // of stages that runs did
    std::mutex filling_;             // guards the two below and the upload's events
    bool begun_ = false;
    size_t filled_[CUZK_CUDA_PARTS] = {}; // elements
    std::atomic<bool> complete_{false};
    bool queued_ = false, ready_ = false, waited_ = false;
};

template <class Fn>
void Job::pauses(Fn fn) const {
    auto time = [&](const Event& e) { return srs_->device().time(e); };
    for (int i = 0; i < CUZK_CUDA_STAGES; i++) {
        const Pauses& p = shares_[i].pass ? shares_[i].pass->pauses : slot_->pauses[i];
        p.each(time, [&](double from, double to) { fn(i, from, to); });
    }
}

} // namespace cuzk::prove
