#include "device.hpp"

#include <algorithm>

namespace cuzk::prove {

Device::Device(int index, size_t memory_limit, unsigned slots)
    : index_(index), slots_(slots), meter_(memory_limit ? memory_limit : ~size_t(0)) {
    if (slots == 0) throw ArgumentError("a device needs at least one slot");
    CUZK_CHECK(cudaSetDevice(index));
    compute_ = std::make_unique<Stream>();
    copy_ = std::make_unique<Stream>();
    opened_ = std::make_unique<Event>();
    opened_->record(*compute_);
    opened_->wait();
}

Device::~Device() { cudaSetDevice(index_); }

void Device::enter() {
    {
        std::lock_guard<std::mutex> hold(state_);
        if (lost_) throw Failure(CUZK_CUDA_LOST, "the device is lost since an earlier error");
    }
    CUZK_CHECK(cudaSetDevice(index_));
    cudaGetLastError();  // what an earlier call on this thread left behind must not look like a failed launch
}

size_t Device::available() const {
    size_t free = 0, total = 0;
    CUZK_CHECK(cudaMemGetInfo(&free, &total));
    return std::min(free, meter_.left());
}

uint8_t* Device::work(size_t bytes) {
    if (bytes > work_.size()) {
        compute_->wait();
        work_ = Buffer<uint8_t>();
        work_ = Buffer<uint8_t>(bytes);
    }
    return work_;
}

std::shared_ptr<const NttDomain> Device::domain(int log_n) {
    if (auto d = domains_[log_n].lock()) return d;
    auto d = std::make_shared<const NttDomain>(log_n, *compute_);
    domains_[log_n] = d;
    return d;
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

}  // namespace cuzk::prove
