// The CUDA runtime on the host (cuda_runtime.h) and the controls of its faults.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

struct CuzkHostStream {};
struct CuzkHostEvent {
    std::chrono::steady_clock::time_point at;
};

namespace {

constexpr int DEVICES = 2;

// One state for the process, as the real runtime has.
struct State {
    std::mutex mu;
    uint64_t calls = 0, fail_at = 0, corrupt_at = 0, downloads = 0;
    cudaError_t fail_with = cudaSuccess;
    bool sticky = false;
    cudaError_t lost[DEVICES] = {};
    size_t memory = size_t(16) << 30, used[DEVICES] = {};
    std::map<void*, std::pair<int, size_t>> blocks; // device and bytes
    std::map<void*, size_t> registered;
    bool locked_refused = false;
    uint64_t slow_us = 0;
    int devices = DEVICES;
};
State& state() {
    static State s;
    return s;
}
thread_local int current = 0;
thread_local cudaError_t last = cudaSuccess;

cudaError_t set(cudaError_t e) {
    if (e != cudaSuccess) last = e;
    return e;
}

// Counts a call on a device, -1 for none, and says whether it is the one that
// shall fail.
cudaError_t fault(int device) {
    State& s = state();
    std::lock_guard<std::mutex> hold(s.mu);
    if (device >= 0 && s.lost[device] != cudaSuccess) return set(s.lost[device]);
    if (++s.calls != s.fail_at) return cudaSuccess;
    if (s.sticky && device >= 0) s.lost[device] = s.fail_with;
    return set(s.fail_with);
}
#define FAULT() \
    if (cudaError_t e = fault(current); e != cudaSuccess) return e
#define FAULT_WITHOUT_DEVICE() \
    if (cudaError_t e = fault(-1); e != cudaSuccess) return e

cudaError_t allocate(void** p, size_t n, int device) {
    State& s = state();
    std::lock_guard<std::mutex> hold(s.mu);
    if (device >= 0 && n > s.memory - s.used[device]) return set(cudaErrorMemoryAllocation);
    *p = std::aligned_alloc(256, (n + 255) / 256 * 256);
    if (*p == nullptr) return set(cudaErrorMemoryAllocation);
    std::memset(*p, 0xa5, n); // whoever reads what nobody wrote gets a wrong proof
    if (device >= 0) s.used[device] += n;
    s.blocks[*p] = {device, n};
    return cudaSuccess;
}

cudaError_t deallocate(void* p) {
    State& s = state();
    std::lock_guard<std::mutex> hold(s.mu);
    auto b = s.blocks.find(p);
    if (b == s.blocks.end()) return p ? set(cudaErrorInvalidValue) : cudaSuccess;
    if (b->second.first >= 0) s.used[b->second.first] -= b->second.second;
    s.blocks.erase(b);
    std::free(p);
    return cudaSuccess;
}

} // namespace

#define CONTROL extern "C" __attribute__((visibility("default")))

// The call with this number from now on fails; 0: none does. A sticky error
// makes every later call on that device fail.
CONTROL void cuzk_fake_fail(uint64_t call, int32_t code, int32_t sticky) {
    State& s = state();
    std::lock_guard<std::mutex> hold(s.mu);
    s.calls = 0, s.fail_at = call, s.fail_with = (cudaError_t)code, s.sticky = sticky != 0;
    for (auto& l : s.lost) l = cudaSuccess;
}
// Calls since cuzk_fake_fail.
CONTROL uint64_t cuzk_fake_calls(void) {
    std::lock_guard<std::mutex> hold(state().mu);
    return state().calls;
}
// Flips a bit in the result of the n-th copy to the host from now on.
CONTROL void cuzk_fake_corrupt(uint64_t n) {
    std::lock_guard<std::mutex> hold(state().mu);
    state().downloads = 0, state().corrupt_at = n;
}
// Bytes of each card, and how many cards there are.
CONTROL void cuzk_fake_cards(uint64_t bytes, int32_t devices) {
    std::lock_guard<std::mutex> hold(state().mu);
    state().memory = bytes, state().devices = devices < DEVICES ? devices : DEVICES;
}
// Blocks that were allocated or locked and not freed, on devices and pinned.
CONTROL uint64_t cuzk_fake_blocks(void) {
    std::lock_guard<std::mutex> hold(state().mu);
    return state().blocks.size() + state().registered.size();
}
// Whether locking host memory is refused, as a limit on it would.
CONTROL void cuzk_fake_locking(int32_t refused) {
    std::lock_guard<std::mutex> hold(state().mu);
    state().locked_refused = refused != 0;
}

// How long every wait of the host for an event takes, in microseconds.
CONTROL void cuzk_fake_slow(uint64_t us) {
    std::lock_guard<std::mutex> hold(state().mu);
    state().slow_us = us;
}

cudaError_t cudaGetLastError() {
    cudaError_t e = last;
    last = cudaSuccess;
    if (e == cudaSuccess) FAULT(); // a launch
    return e;
}
const char* cudaGetErrorName(cudaError_t e) {
    switch (e) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorNoDevice: return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
    case cudaErrorLaunchFailure: return "cudaErrorLaunchFailure";
    }
    return "cudaErrorUnknown";
}
const char* cudaGetErrorString(cudaError_t e) { return e == cudaSuccess ? "no error" : "injected"; }

cudaError_t cudaGetDeviceCount(int* n) {
    FAULT_WITHOUT_DEVICE();
    *n = state().devices;
    return *n ? cudaSuccess : set(cudaErrorNoDevice);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
    FAULT_WITHOUT_DEVICE();
    if (device < 0 || device >= state().devices) return set(cudaErrorInvalidDevice);
    std::memset(p, 0, sizeof *p);
    std::strcpy(p->name, "host twin");
    p->uuid.bytes[15] = (char)(device + 1);
    p->totalGlobalMem = state().memory;
    p->major = 9, p->multiProcessorCount = 4;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* v, cudaDeviceAttr a, int) {
    FAULT_WITHOUT_DEVICE();
    *v = a == cudaDevAttrMultiProcessorCount ? 4 : cudaComputeModeDefault;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* v) { return *v = 13000, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* v) { return *v = 13000, cudaSuccess; }
cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= state().devices) return set(cudaErrorInvalidDevice);
    current = device;
    FAULT();
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) { return *device = current, cudaSuccess; }
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    FAULT();
    std::lock_guard<std::mutex> hold(state().mu);
    *total = state().memory, *free = *total - state().used[current];
    return cudaSuccess;
}
cudaError_t cudaMalloc(void** p, size_t n) {
    FAULT();
    return allocate(p, n, current);
}
// Freeing works in this stand-in even after a sticky error, to count leaks.
cudaError_t cudaFree(void* p) { return deallocate(p); }
cudaError_t cudaHostAlloc(void** p, size_t n, unsigned) {
    FAULT();
    return allocate(p, n, -1);
}
cudaError_t cudaFreeHost(void* p) { return deallocate(p); }
cudaError_t cudaHostRegister(void* p, size_t n, unsigned) {
    FAULT();
    State& s = state();
    std::lock_guard<std::mutex> hold(s.mu);
    if (s.locked_refused) return set(cudaErrorMemoryAllocation);
    s.registered[p] = n;
    return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* p) {
    State& s = state();
    std::lock_guard<std::mutex> hold(s.mu);
    return s.registered.erase(p) ? cudaSuccess : set(cudaErrorInvalidValue);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t n, cudaMemcpyKind kind, cudaStream_t) {
    FAULT();
    std::memcpy(to, from, n);
    if (kind != cudaMemcpyDeviceToHost) return cudaSuccess;
    std::lock_guard<std::mutex> hold(state().mu);
    if (++state().downloads == state().corrupt_at && n > 0) static_cast<char*>(to)[0] ^= 1;
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* p, int v, size_t n, cudaStream_t) {
    FAULT();
    std::memset(p, v, n);
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned, int) {
    FAULT();
    *s = new CuzkHostStream;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t s) { return delete s, cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) {
    FAULT();
    return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
    FAULT();
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned) {
    FAULT();
    *e = new CuzkHostEvent{std::chrono::steady_clock::now()};
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t e) { return delete e, cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t) {
    FAULT();
    e->at = std::chrono::steady_clock::now();
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
    FAULT();
    uint64_t us = 0;
    {
        std::lock_guard<std::mutex> hold(state().mu);
        us = state().slow_us;
    }
    if (us > 0) std::this_thread::sleep_for(std::chrono::microseconds(us));
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
    FAULT();
    *ms = std::chrono::duration<float, std::milli>(to->at - from->at).count();
    return cudaSuccess;
}
