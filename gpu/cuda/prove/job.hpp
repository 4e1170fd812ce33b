// One partition on its way through the device.
#pragma once
#include "srs.hpp"

namespace cuzk::prove {

// Where the results of a partition stand: per section the sum over bit
// variables, then the one over the others.
struct Sums {
    G1 h, l[2], a[2], b1[2];
    G2 b2[2];
};

// Memory of one partition: its witness, its results and its events.
struct Slot {
    explicit Slot(size_t witness_bytes)
        : host(witness_bytes), results(sizeof(Sums)), witness(witness_bytes), sums(1), done(cudaEventBlockingSync) {}
    Pinned host, results;
    Buffer<uint8_t> witness;
    Buffer<Sums> sums;
    Event upload[2];                          // start and end, on the copy stream
    Event mark[CUZK_CUDA_STAGES - 1];         // start of rows, then the end of every stage up to b2
    Event done;                               // results are on the host
};

class Job {
  public:
    Job(std::shared_ptr<Srs> srs, std::unique_ptr<Slot> slot) : srs_(std::move(srs)), slot_(std::move(slot)) {}
    // Waits until the device is done with the slot and gives it back.
    ~Job();
    Srs& srs() const { return *srs_; }
    Slot& slot() const { return *slot_; }
    void wait(cuzk_cuda_result& out);

  private:
    std::shared_ptr<Srs> srs_;
    std::unique_ptr<Slot> slot_;
    bool waited_ = false;
};

}  // namespace cuzk::prove
