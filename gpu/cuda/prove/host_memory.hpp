// Host memory for what does not fit on a device.
#pragma once
#include "../util/device.cuh"

namespace cuzk::prove {

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

// Gigabytes of parameters: pages of the system, locked for the device if that
// is allowed. Where it is not, copies are several times slower, and nothing
// else changes. (cudaHostAlloc would take seconds per gigabyte.)
class Store {
  public:
    explicit Store(size_t bytes);
    ~Store();
    Store(Store&& o) noexcept : p_(o.p_), n_(o.n_), locked_(o.locked_) { o.p_ = nullptr, o.locked_ = false; }
    Store& operator=(Store&&) = delete;
    uint8_t* get() const { return p_; }
    size_t size() const { return n_; }
    bool locked() const { return locked_; }

  private:
    uint8_t* p_ = nullptr;
    size_t n_;
    bool locked_ = false;
};

} // namespace cuzk::prove
