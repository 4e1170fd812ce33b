// Errors, buffers, streams and events: owned by objects, named streams only.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "arena.hpp"

namespace cuzk {

// A failed CUDA call: what was called, and CUDA's own code.
struct CudaError : std::runtime_error {
    cudaError_t code;
    CudaError(cudaError_t c, const char* call)
        : std::runtime_error(std::string(call) + ": " + cudaGetErrorName(c) + ": " + cudaGetErrorString(c)), code(c) {}
};

// A caller's mistake: sizes, modes, missing tables.
struct ArgumentError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void check(cudaError_t c, const char* call) {
    if (c != cudaSuccess) throw CudaError(c, call);
}
#define CUZK_CHECK(call) ::cuzk::check((call), #call)
// After a launch: configuration errors show here, execution errors at the next
// synchronisation of the stream.
#define CUZK_LAUNCHED(kernel) ::cuzk::check(cudaGetLastError(), kernel)

class Stream {
  public:
    // Whose blocks start first where several wait; CUDA clamps what a device does not have.
    enum Order { LAST = 0, EARLY = -1, FIRST = -2, URGENT = -3, URGENT_EARLY = -4, URGENT_FIRST = -5 };
    explicit Stream(Order o = LAST) { CUZK_CHECK(cudaStreamCreateWithPriority(&s_, cudaStreamNonBlocking, o)); }
    ~Stream() { cudaStreamDestroy(s_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    operator cudaStream_t() const { return s_; }
    void wait() const { CUZK_CHECK(cudaStreamSynchronize(s_)); }

  private:
    cudaStream_t s_;
};

class Event {
  public:
    explicit Event(unsigned flags = cudaEventDefault) { CUZK_CHECK(cudaEventCreateWithFlags(&e_, flags)); }
    ~Event() { cudaEventDestroy(e_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    void record(cudaStream_t s) { CUZK_CHECK(cudaEventRecord(e_, s)); }
    // Blocks this thread, not a core, if made with cudaEventBlockingSync.
    void wait() const { CUZK_CHECK(cudaEventSynchronize(e_)); }
    // Work queued on s from now on starts after this event.
    void before(cudaStream_t s) const { CUZK_CHECK(cudaStreamWaitEvent(s, e_, 0)); }
    // Milliseconds from start to this event, after waiting for it.
    float since(const Event& start) const {
        float ms = 0;
        CUZK_CHECK(cudaEventSynchronize(e_));
        CUZK_CHECK(cudaEventElapsedTime(&ms, start.e_, e_));
        return ms;
    }

  private:
    cudaEvent_t e_;
};

// Device memory for n objects of T: from the thread's arena if it has one, else
// allocated and charged to the thread's meter. An allocation that fails says how
// much was wanted and how much was free.
template <class T>
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(size_t n) : n_(n), meter_(Meter::current()) {
        if (n == 0) return;
        if (Arena* arena = Arena::current()) {
            p_ = reinterpret_cast<T*>(arena->take(bytes()));
            borrowed_ = true;
            return;
        }
        if (meter_) meter_->reserve(bytes());
        cudaError_t c = cudaMalloc(&p_, bytes());
        if (c == cudaSuccess) return;
        if (meter_) meter_->release(bytes());
        if (c != cudaErrorMemoryAllocation) throw CudaError(c, "cudaMalloc");
        cudaGetLastError();
        size_t free = 0, total = 0;
        cudaMemGetInfo(&free, &total);
        throw MemoryError(bytes(), free, "cudaMalloc");
    }
    // Memory that somebody else owns.
    static Buffer view(T* p, size_t n) {
        Buffer b;
        b.p_ = p, b.n_ = n, b.borrowed_ = true;
        return b;
    }
    ~Buffer() {
        if (p_ == nullptr || borrowed_) return;
        cudaFree(p_);
        if (meter_) meter_->release(bytes());
    }
    Buffer(Buffer&& o) noexcept
        : p_(std::exchange(o.p_, nullptr)), n_(std::exchange(o.n_, 0)), meter_(o.meter_), borrowed_(o.borrowed_) {}
    Buffer& operator=(Buffer&& o) noexcept {
        std::swap(p_, o.p_);
        std::swap(n_, o.n_);
        std::swap(meter_, o.meter_);
        std::swap(borrowed_, o.borrowed_);
        return *this;
    }
    T* get() const { return p_; }
    operator T*() const { return p_; }
    size_t size() const { return n_; }
    size_t bytes() const { return n_ * sizeof(T); }

    void upload(const T* h, size_t n, cudaStream_t s) {
        CUZK_CHECK(cudaMemcpyAsync(p_, h, n * sizeof(T), cudaMemcpyHostToDevice, s));
    }
    void download(T* h, size_t n, cudaStream_t s, size_t from = 0) const {
        CUZK_CHECK(cudaMemcpyAsync(h, p_ + from, n * sizeof(T), cudaMemcpyDeviceToHost, s));
    }

  private:
    T* p_ = nullptr;
    size_t n_ = 0;
    Meter* meter_ = nullptr; // charged for the memory; outlives it
    bool borrowed_ = false;  // from an arena or another owner
};

// Blocks of `threads` that cover n items, at most `most` (then strided loops).
inline unsigned blocks_for(size_t n, unsigned threads, size_t most = 1u << 30) {
    size_t b = (n + threads - 1) / threads;
    if (b < 1) b = 1;
    return (unsigned)(b < most ? b : most);
}

inline unsigned multiprocessors() {
    int dev = 0, n = 0;
    CUZK_CHECK(cudaGetDevice(&dev));
    CUZK_CHECK(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, dev));
    return (unsigned)n;
}

} // namespace cuzk
