// Page-locked host memory: small buffers by cudaHostAlloc, gigabytes of parameters by mmap and cudaHostRegister.
#include "host_memory.hpp"

#include <sys/mman.h>

namespace cuzk::prove {

Store::Store(size_t bytes) : n_(bytes) {
    if (bytes == 0) return;
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw MemoryError(bytes, 0, "host memory for parameters");
    madvise(p, bytes, MADV_HUGEPAGE); // fewer faults; it is advice
    p_ = static_cast<uint8_t*>(p);
    locked_ = cudaHostRegister(p, bytes, cudaHostRegisterDefault) == cudaSuccess;
    if (!locked_) cudaGetLastError(); // refused: a limit on locked memory
}

Store::~Store() {
    if (p_ == nullptr) return;
    if (locked_) cudaHostUnregister(p_);
    munmap(p_, n_);
}

} // namespace cuzk::prove
