// One device: its streams, its memory and what several circuits share there.
#pragma once
#include <map>
#include <memory>
#include <mutex>

#include "../ntt/domain.hpp"
#include "../util/device.cuh"
#include "../util/fair_mutex.hpp"
#include "failure.hpp"
#include "upload.hpp"

namespace cuzk::prove {

// Kernels run in the order in which partitions are submitted, on one stream, or on
// two of which each has its work area: beside the quotient and the sum over it, the
// sums that need the witness only: kernels of these start first, for the others fill
// what they leave. Copies have a stream of their own.
class Device {
  public:
    explicit Device(const cuzk_cuda_options& o);
    ~Device();

    int index() const { return index_; }
    unsigned slots() const { return slots_; }
    // Points of G1 that are loaded at a time, and pinned buffers for them.
    size_t part() const { return part_; }
    unsigned buffers() const { return buffers_; }
    const Stream& compute() const { return *compute_; }
    const Stream& beside() const { return *beside_; }
    const Stream& copy() const { return *copy_; }
    // Milliseconds from the opening of the device to an event, which must be recorded.
    double time(const Event& e);
    // The way of witnesses to the device.
    Uploads& uploads() { return uploads_; }
    const Meter& meter() const { return meter_; }
    // Bytes that can still be allocated, within the limit and on the card.
    size_t available() const;
    // The same for somebody who takes it all: the card keeps a little, because
    // allocations are rounded up.
    size_t budget() const;
    // Guards the order of work on the streams and the work area.
    FairMutex& order() { return order_; }

    // The work area, for kernels on the compute stream and for copies that are
    // ordered with them, and that of the stream beside it: whoever holds order() has
    // all of both. They are shared by all circuits; `grow` waits for the work that
    // uses them. Call with order() held.
    uint8_t* work() const { return work_; }
    uint8_t* work_beside() const { return work_beside_; }
    void grow(size_t bytes, size_t beside);
    size_t work_bytes() const { return work_.size() + work_beside_.size(); }
    std::shared_ptr<const NttDomain> domain(int log_n, bool small_tables);

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
    void grow(Buffer<uint8_t>& area, size_t bytes);
    Failure failure(const char* stage);
    bool answers();

    int index_;
    unsigned slots_;
    size_t part_;
    unsigned buffers_;
    Meter meter_;
    FairMutex order_;
    bool lost_ = false; // a sticky error was seen; guarded by state_
    mutable std::mutex state_;
    std::unique_ptr<Stream> compute_, beside_, copy_;
    std::unique_ptr<Stream> clock_; // on which nothing ever runs
    std::unique_ptr<Event> anchor_; // recently recorded there; guarded by state_
    double anchored_ = 0;           // its time
    Uploads uploads_;
    Buffer<uint8_t> work_, work_beside_;                                     // guarded by order_
    std::map<std::pair<int, bool>, std::weak_ptr<const NttDomain>> domains_; // guarded by order_
};

} // namespace cuzk::prove
