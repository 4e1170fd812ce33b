// Page-locked buffers and device images through which parameters come in, handed out one part of a section each.
#include <algorithm>
#include <memory>

#include "failure.hpp"
#include "staging.hpp"

namespace cuzk::prove {

Staging::Item::Item(size_t bytes)
    : host(Arena::aligned(bytes) + sizeof(Refused)),
      raw(Arena::aligned(bytes)),
      image(Arena::aligned(bytes) + ALIGNMENT),
      bad(1) {}

Staging::Staging(size_t bytes, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        items_.push_back(std::make_unique<Item>(bytes));
        free_.push_back(i);
    }
}

Staging::Item& Staging::at(unsigned i) {
    if (i >= items_.size()) throw ArgumentError("no such buffer");
    return *items_[i];
}

// Waits for the work of a buffer and looks at what it refused.
void Staging::settle(Item& i) {
    if (!i.pending) return;
    i.pending = false;
    i.done.wait();
    if (*i.refused() == ~Refused(0)) return;
    Failure f(CUZK_CUDA_POINT, "a point was refused");
    f.index = *i.refused() / 8, f.reason = (int)(*i.refused() % 8), f.section = i.section;
    throw f;
}

unsigned Staging::take() {
    unsigned i;
    {
        std::unique_lock<std::mutex> hold(mu_);
        given_.wait(hold, [&] { return !free_.empty(); });
        i = free_.front();
        free_.erase(free_.begin());
    }
    try {
        settle(*items_[i]);
    } catch (...) {
        give(i);
        throw;
    }
    return i;
}

void Staging::give(unsigned i) {
    at(i);
    {
        std::lock_guard<std::mutex> hold(mu_);
        if (std::find(free_.begin(), free_.end(), i) != free_.end()) throw ArgumentError("the buffer is not in use");
        free_.push_back(i);
    }
    given_.notify_one();
}

void Staging::drain() {
    for (auto& i : items_) settle(*i);
}

} // namespace cuzk::prove
