// One device: its streams, its memory and what several circuits share there.
#pragma once
#include <map>
#include <memory>
#include <mutex>

#include "../ntt/domain.hpp"
#include "../util/device.cuh"
#include "failure.hpp"

namespace cuzk::prove {

// Kernels run on one stream in the order in which partitions are submitted, so
// that they share one work area; copies have a stream of their own and overlap.
class Device {
  public:
    Device(int index, size_t memory_limit, unsigned slots);
    ~Device();

    int index() const { return index_; }
    unsigned slots() const { return slots_; }
    const Stream& compute() const { return *compute_; }
    const Stream& copy() const { return *copy_; }
    const Event& opened() const { return *opened_; }
    const Meter& meter() const { return meter_; }
    // Bytes that can still be allocated, within the limit and on the card.
    size_t available() const;
    // Guards the order of work on the streams and the work area.
    std::mutex& order() { return order_; }

    // Scratch memory of at least `bytes`, for work on the compute stream only;
    // call with order() held. A growing area waits for the work that uses it.
    uint8_t* work(size_t bytes);
    size_t work_bytes() const { return work_.size(); }
    std::shared_ptr<const NttDomain> domain(int log_n);

    // Runs fn with this device current and its buffers metered. Every exception
    // comes out as a Failure that names the stage.
    template <class Fn>
    auto at(const char* stage, Fn fn) -> decltype(fn()) {
        try {
            enter();
            Meter::Scope scope(meter_);
            return fn();
        } catch (...) {
            throw failure(stage);
        }
    }

  private:
    void enter();
    Failure failure(const char* stage);
    bool answers();

    int index_;
    unsigned slots_;
    Meter meter_;
    std::mutex order_;
    bool lost_ = false;        // a sticky error was seen; guarded by state_
    mutable std::mutex state_;
    std::unique_ptr<Stream> compute_, copy_;
    std::unique_ptr<Event> opened_;
    Buffer<uint8_t> work_;     // guarded by order_
    std::map<int, std::weak_ptr<const NttDomain>> domains_;  // guarded by order_
};

// Pinned host memory, for copies that overlap with kernels.
class Pinned {
  public:
    explicit Pinned(size_t n) : n_(n) {
        cudaError_t c = cudaHostAlloc(&p_, n ? n : 1, cudaHostAllocDefault);
        if (c == cudaSuccess) return;
        if (c != cudaErrorMemoryAllocation) throw CudaError(c, "cudaHostAlloc");
        cudaGetLastError();
        throw MemoryError(n, 0, "pinned host memory");
    }
    ~Pinned() { cudaFreeHost(p_); }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    uint8_t* get() const { return static_cast<uint8_t*>(p_); }
    size_t size() const { return n_; }

  private:
    void* p_ = nullptr;
    size_t n_;
};

}  // namespace cuzk::prove
