// Page-locked buffers of 4 MB through which witnesses come up on the copy stream while kernels of others run.
#include "upload.hpp"

#include <algorithm>
#include <cstring>

namespace cuzk::prove {

void Uploads::prepare(size_t witness_bytes) {
    const size_t want = std::min<size_t>((witness_bytes + BYTES - 1) / BYTES, CUZK_CUDA_FILLERS);
    std::lock_guard<std::mutex> hold(mu_);
    while (items_.size() < want) {
        items_.push_back(std::make_unique<Item>());
        free_.push_back(items_.back().get());
    }
}

Uploads::Item* Uploads::take() {
    std::unique_lock<std::mutex> hold(mu_);
    given_.wait(hold, [&] { return !free_.empty(); });
    Item* i = free_.front();
    free_.erase(free_.begin());
    return i;
}

void Uploads::give(Item* i) {
    {
        std::lock_guard<std::mutex> hold(mu_);
        free_.push_back(i);
    }
    given_.notify_one();
}

void Uploads::send(uint8_t* to, const uint8_t* from, size_t n, cudaStream_t s) {
    for (size_t here; n > 0; to += here, from += here, n -= here) {
        here = std::min(n, BYTES);
        struct Taken {
            Uploads& all;
            Item* item;
            ~Taken() { all.give(item); }
        } taken{*this, take()};
        Item& i = *taken.item;
        i.done.wait(); // before its first use: at once
        std::memcpy(i.host.get(), from, here);
        CUZK_CHECK(cudaMemcpyAsync(to, i.host.get(), here, cudaMemcpyHostToDevice, s));
        try {
            i.done.record(s);
        } catch (...) {
            cudaStreamSynchronize(s); // nobody else would wait for the copy
            throw;
        }
    }
}

} // namespace cuzk::prove
