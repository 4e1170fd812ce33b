// Device: its two lanes of streams and work areas, memory that is left, the clock, classification of exceptions.
#include "device.hpp"

#include <algorithm>

namespace cuzk::prove {

Lane::Lane(bool urgent)
    : urgent_(urgent),
      compute_(urgent ? Stream::URGENT : Stream::LAST),
      second_(urgent ? Stream::URGENT_EARLY : Stream::EARLY) {}

void Lane::grow(size_t bytes, size_t second, const Stream& copy) {
    grow(work_, bytes, copy);
    grow(second_work_, second, copy);
}

void Lane::grow(Buffer<uint8_t>& area, size_t bytes, const Stream& copy) {
    if (bytes <= area.size()) return;
    compute_.wait();
    second_.wait();
    copy.wait();
    const size_t before = area.size();
    area = Buffer<uint8_t>();
    try {
        area = Buffer<uint8_t>(bytes);
    } catch (const MemoryError&) {
        area = Buffer<uint8_t>(before); // other circuits count on it
        throw;
    }
}

std::shared_ptr<const NttDomain> Lane::domain(int log_n, bool small_tables) {
    auto& kept = domains_[{log_n, small_tables}];
    if (auto d = kept.lock()) return d;
    auto d = std::make_shared<const NttDomain>(log_n, compute_, small_tables);
    kept = d;
    return d;
}

void Lane::drain() const {
    cudaStreamSynchronize(compute_);
    cudaStreamSynchronize(second_);
}

namespace {

// Makes a device current before its streams are made.
const cuzk_cuda_options& entered(const cuzk_cuda_options& o) {
    if (o.slots == 0) throw ArgumentError("a device needs at least one slot");
    if (o.part % 128 != 0) throw ArgumentError("a part is a multiple of 128 points");
    CUZK_CHECK(cudaSetDevice(o.index));
    return o;
}

} // namespace

Device::Device(const cuzk_cuda_options& o)
    : index_(entered(o).index),
      slots_(o.slots),
      part_(o.part ? o.part : size_t(1) << 19),
      buffers_(o.buffers ? o.buffers : 4),
      meter_(o.memory_limit ? o.memory_limit : ~size_t(0)),
      bulk_(false),
      urgent_(true) {
    copy_ = std::make_unique<Stream>(Stream::FIRST); // decoding must not wait for a whole level of a sum
    clock_ = std::make_unique<Stream>();
    anchor_ = std::make_unique<Event>();
    anchor_->record(*clock_);
}

Device::~Device() { cudaSetDevice(index_); }

void Device::enter() {
    {
        std::lock_guard<std::mutex> hold(state_);
        if (lost_) throw Failure(CUZK_CUDA_LOST, "the device is lost since an earlier error");
    }
    CUZK_CHECK(cudaSetDevice(index_));
    cudaGetLastError(); // what an earlier call on this thread left behind must not look like a failed launch
}

size_t Device::available() const {
    size_t free = 0, total = 0;
    CUZK_CHECK(cudaMemGetInfo(&free, &total));
    return std::min(free, meter_.left());
}

size_t Device::budget() const {
    constexpr size_t ROUNDING = size_t(256) << 20;
    size_t free = 0, total = 0;
    CUZK_CHECK(cudaMemGetInfo(&free, &total));
    return std::min(free - std::min(free / 64, ROUNDING), meter_.left());
}

// CUDA tells the time between two events as a float, which after an hour knows no
// quarter of a millisecond: so the events are never far apart.
double Device::time(const Event& e) {
    constexpr float FAR = 60e3f;
    std::lock_guard<std::mutex> hold(state_);
    float ms = e.since(*anchor_);
    if (ms > FAR) {
        auto now = std::make_unique<Event>();
        now->record(*clock_);
        anchored_ += now->since(*anchor_);
        anchor_ = std::move(now);
        ms = e.since(*anchor_);
    }
    return anchored_ + ms;
}

// After a sticky error every call fails, this one too.
bool Device::answers() {
    size_t free = 0, total = 0;
    cudaGetLastError();
    return cudaMemGetInfo(&free, &total) == cudaSuccess;
}

// Classifies the exception in flight.
Failure Device::failure(const char* stage) {
    Failure f(CUZK_CUDA_INTERNAL, "unknown exception");
    try {
        throw;
    } catch (const Failure& e) {
        f = e;
    } catch (const CudaError& e) {
        f = Failure(e.code == cudaErrorMemoryAllocation ? CUZK_CUDA_MEMORY : CUZK_CUDA_CALL, e.what());
        f.cuda = e.code;
        if (!answers()) {
            f.code = CUZK_CUDA_LOST;
            std::lock_guard<std::mutex> hold(state_);
            lost_ = true;
        }
    } catch (const MemoryError& e) {
        f = Failure(CUZK_CUDA_MEMORY, e.what());
        f.needed = e.needed, f.available = e.available;
    } catch (const ArgumentError& e) {
        f = Failure(CUZK_CUDA_ARGUMENT, e.what());
    } catch (const std::bad_alloc& e) {
        f = Failure(CUZK_CUDA_MEMORY, "host memory exhausted");
    } catch (const std::exception& e) {
        f = Failure(CUZK_CUDA_INTERNAL, e.what());
    }
    if (f.stage.empty()) f.stage = stage;
    return f;
}

} // namespace cuzk::prove
