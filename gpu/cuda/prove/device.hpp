// One device: its streams, its memory and what several circuits share there.
#pragma once
#include <map>
#include <memory>
#include <mutex>

#include "../ntt/domain.hpp"
#include "../util/device.cuh"
#include "../util/fair_mutex.hpp"
#include "circuit.hpp"
#include "failure.hpp"
#include "upload.hpp"

namespace cuzk::prove {

// Circuits of one kind of urgency on a device: two streams, a work area for each,
// and the order of what is queued there. Partitions of a lane run one after the
// other. On the second stream run the sums over l, a and b of circuits that have a
// second work area; its kernels start before those of the first, which fill what
// they leave.
class Lane {
  public:
    // Kernels of an urgent lane start before all kernels of one that is not.
    explicit Lane(bool urgent);
    bool urgent() const { return urgent_; }
    const Stream& compute() const { return compute_; }
    const Stream& second() const { return second_; }
    // Guards the order of work on the streams and the work areas.
    FairMutex& order() { return order_; }

    // The work areas of the two streams: whoever holds order() has all of both. They
    // are shared by all circuits of the lane. `grow` makes them at least this long
    // after the work that uses them, also of `copy`, has ended. Call with order() held.
    uint8_t* work() const { return work_; }
    uint8_t* second_work() const { return second_work_; }
    void grow(size_t bytes, size_t second, const Stream& copy);
    size_t work_bytes() const { return work_.size() + second_work_.size(); }
    // Tables of the transforms of 2^log_n points. Call with order() held.
    std::shared_ptr<const NttDomain> domain(int log_n, bool small_tables);
    // Waits for all work of both streams; errors show elsewhere.
    void drain() const;

  private:
    void grow(Buffer<uint8_t>& area, size_t bytes, const Stream& copy);

    bool urgent_;
    FairMutex order_;
    Stream compute_, second_;
    Buffer<uint8_t> work_, second_work_;                                     // guarded by order_
    std::map<std::pair<int, bool>, std::weak_ptr<const NttDomain>> domains_; // guarded by order_
};

// A device has two lanes: small circuits (WinningPoSt) have one of their own, whose
// kernels start first, so that their proofs do not wait for a partition of a large
// one. Copies have a stream that both share.
class Device {
  public:
    explicit Device(const cuzk_cuda_options& o);
    ~Device();

    int index() const { return index_; }
    unsigned slots() const { return slots_; }
    // Points of G1 that are loaded at a time, and pinned buffers for them.
    size_t part() const { return part_; }
    unsigned buffers() const { return buffers_; }
    // The lane of circuits with domains of 2^log_domain.
    Lane& lane(int log_domain) { return log_domain <= SMALL_DOMAIN ? urgent_ : bulk_; }
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
    // Guards the choice of how device memory is used: held while parameters reserve it.
    std::mutex& reserving() { return reserving_; }

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
    size_t part_;
    unsigned buffers_;
    Meter meter_;
    std::mutex reserving_;
    bool lost_ = false; // a sticky error was seen; guarded by state_
    mutable std::mutex state_;
    Lane bulk_, urgent_;
    std::unique_ptr<Stream> copy_;
    std::unique_ptr<Stream> clock_; // on which nothing ever runs
    std::unique_ptr<Event> anchor_; // recently recorded there; guarded by state_
    double anchored_ = 0;           // its time
    Uploads uploads_;
};

} // namespace cuzk::prove
