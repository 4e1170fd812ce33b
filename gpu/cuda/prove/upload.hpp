// Pinned buffers through which witnesses go to a device: several threads fill
// them while earlier ones are on their way. One thread copies 9 GB/s and sixteen
// more than the bus takes; and gigabytes of locked memory for every witness
// would take seconds to make.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "../cuzk_cuda.h"
#include "host_memory.hpp"

namespace cuzk::prove {

class Uploads {
  public:
    static constexpr size_t BYTES = size_t(4) << 20; // a buffer

    // Makes as many buffers as a witness of so many bytes keeps busy.
    void prepare(size_t witness_bytes);
    // Copies n bytes and queues their way to the device on s; waits for buffers
    // while all are in use. From any thread.
    void send(uint8_t* to, const uint8_t* from, size_t n, cudaStream_t s);

  private:
    struct Item {
        Pinned host{BYTES};
        Event done; // of the copy that was queued last
    };
    Item* take();
    void give(Item* i);

    std::mutex mu_; // guards all below
    std::condition_variable given_;
    std::vector<std::unique_ptr<Item>> items_;
    std::vector<Item*> free_; // oldest first
};

} // namespace cuzk::prove
