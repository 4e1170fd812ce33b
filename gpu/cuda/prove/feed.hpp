// Hands pieces of sections from the threads that bring them to the one that
// queues their sums: two at a time, in order.
#pragma once
#include <condition_variable>
#include <mutex>

#include "../util/device.cuh"

namespace cuzk::prove {

class Feed {
  public:
    // A run begins with the pass after `before`: calls that come too early wait.
    void begin(uint64_t before) {
        change([&] { pass_ = before, taken_ = 0, have_[0] = have_[1] = 0, stopped_ = false; });
    }
    // Pieces of a pass are wanted, the first `room` of them (at most two) at once;
    // their images are free when s comes here.
    void open(uint64_t pass, size_t room, cudaStream_t s) {
        for (Event& e : used_) e.record(s);
        change([&] { pass_ = pass, room_ = room, taken_ = 0, have_[0] = have_[1] = 0; });
    }
    // Now both images are free.
    void widen(cudaStream_t s) {
        for (size_t i = room_; i < 2; i++) used_[i].record(s);
        change([&] { room_ = 2; });
    }
    void stop() {
        change([&] { stopped_ = true; });
    }
    bool stopped() {
        std::lock_guard<std::mutex> hold(mu_);
        return stopped_;
    }

    // Waits until a piece of a pass may be filled; false if it never may.
    bool enter(uint64_t pass, size_t piece) {
        std::unique_lock<std::mutex> hold(mu_);
        changed_.wait(hold, [&] { return stopped_ || pass_ > pass || (pass_ == pass && piece < taken_ + room_); });
        return !stopped_ && pass_ == pass && piece >= taken_;
    }
    // Copies into a piece's image come after the sums over what was there.
    const Event& used(size_t piece) const { return used_[piece % 2]; }
    // `count` positions more of a piece are on their way on s.
    void filled(size_t piece, size_t count, cudaStream_t s) {
        std::lock_guard<std::mutex> hold(mu_);
        loaded_[piece % 2].record(s);
        have_[piece % 2] += count;
        changed_.notify_all();
    }
    // Waits until all `count` positions of a piece are on their way, and makes s
    // wait for them; false if the feed was stopped.
    bool wait(size_t piece, size_t count, cudaStream_t s) {
        std::unique_lock<std::mutex> hold(mu_);
        changed_.wait(hold, [&] { return stopped_ || have_[piece % 2] == count; });
        if (stopped_) return false;
        loaded_[piece % 2].before(s);
        return true;
    }
    // The sums over the next piece are queued on s.
    void taken(size_t piece, cudaStream_t s) {
        used_[piece % 2].record(s);
        change([&] { taken_ = piece + 1, have_[piece % 2] = 0; });
    }

  private:
    template <class Fn>
    void change(Fn fn) {
        std::lock_guard<std::mutex> hold(mu_);
        fn();
        changed_.notify_all();
    }
    std::mutex mu_; // guards all below but the used events
    std::condition_variable changed_;
    uint64_t pass_ = 0;
    size_t taken_ = 0, room_ = 0, have_[2] = {};
    bool stopped_ = true;
    Event loaded_[2], used_[2];
};

} // namespace cuzk::prove
