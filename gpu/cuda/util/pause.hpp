// Waits of the host in the middle of a stage, and how long the device had
// nothing to run because of them: the host learns something from the device
// (the length of a list) before it can queue more.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "device.cuh"

namespace cuzk {

// The pauses of one partition or pass; not for concurrent use. An event costs a
// microsecond or two, a pause three of them.
class Pauses {
  public:
    // Those that the waits of this thread are noted in; null: none.
    static Pauses*& current() {
        static thread_local Pauses* p = nullptr;
        return p;
    }
    class Scope {
      public:
        explicit Scope(Pauses& p) : before_(current()) { current() = &p; }
        ~Scope() { current() = before_; }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        Pauses* before_;
    };

    // Waits for all work of `waited`. What is queued on `main` afterwards resumes
    // it: it paused from when both were done. `meanwhile`, which may be empty, comes
    // before the wait; waits in it are noted elsewhere.
    void wait(cudaStream_t waited, cudaStream_t main, const std::function<void()>& meanwhile) {
        if (used_ == all_.size()) all_.push_back(std::make_unique<Pause>());
        Pause& p = *all_[used_];
        p.waited.record(waited);
        p.drained.record(main);
        if (meanwhile) meanwhile();
        p.waited.wait();
        p.resumed.record(main);
        used_++;
    }
    void clear() { used_ = 0; }
    size_t size() const { return used_; }
    // Calls fn(from, to) for each, in milliseconds by time(event), after they are
    // over. Two events one behind the other are some microseconds apart: what is
    // shorter than that is none.
    template <class Time, class Fn>
    void each(Time time, Fn fn) const {
        constexpr double SHORTEST = 0.004;
        for (size_t i = 0; i < used_; i++) {
            const Pause& p = *all_[i];
            const double waited = time(p.waited), drained = time(p.drained), to = time(p.resumed);
            const double from = waited > drained ? waited : drained;
            if (to - from > SHORTEST) fn(from, to);
        }
    }

  private:
    struct Pause {
        Event waited, drained, resumed;
    };
    std::vector<std::unique_ptr<Pause>> all_;  // made once, used again by the next partition
    size_t used_ = 0;
};

// Every wait of the host inside a stage goes through here. `waited` is the
// stream whose result it wants, `main` the one that the stage's caller gave.
inline void host_wait(cudaStream_t waited, cudaStream_t main, const std::function<void()>& meanwhile = {}) {
    if (Pauses* p = Pauses::current()) return p->wait(waited, main, meanwhile);
    if (meanwhile) meanwhile();
    CUZK_CHECK(cudaStreamSynchronize(waited));
}

}  // namespace cuzk
