// Waits of the host in the middle of a stage, and how long the device had
// nothing to run because of them: the host learns something from the device
// (the length of a list) before it can queue more.
#pragma once
#include <algorithm>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "device.cuh"

namespace cuzk {

// The pauses of one partition or pass; not for concurrent use. An event costs a
// microsecond or two, a pause one for every stream and one more.
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

    // Waits for all work of `waited`. What is queued afterwards ends the pause; it
    // begins when that, `main` and all others are done. `meanwhile`, which may be
    // empty, comes before the wait; waits in it are noted elsewhere.
    void wait(cudaStream_t waited, cudaStream_t main, std::initializer_list<cudaStream_t> others,
              const std::function<void()>& meanwhile) {
        if (used_ == all_.size()) all_.push_back(std::make_unique<Pause>());
        Pause& p = *all_[used_];
        p.streams = 0;
        std::vector<cudaStream_t> seen{waited};
        p.drained(waited);
        auto also = [&](cudaStream_t s) {
            if (std::find(seen.begin(), seen.end(), s) != seen.end()) return;
            seen.push_back(s);
            p.drained(s);
        };
        also(main);
        for (cudaStream_t s : others) also(s);
        if (meanwhile) meanwhile();
        p.ends[0]->wait();
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
            const double to = time(p.resumed);
            double from = time(*p.ends[0]);
            for (size_t k = 1; k < p.streams; k++) from = std::max(from, time(*p.ends[k]));
            if (to - from > SHORTEST) fn(from, to);
        }
    }

  private:
    struct Pause {
        std::vector<std::unique_ptr<Event>> ends; // of the streams' work, the first `streams` of them
        size_t streams = 0;
        Event resumed;
        void drained(cudaStream_t s) {
            if (streams == ends.size()) ends.push_back(std::make_unique<Event>());
            ends[streams++]->record(s);
        }
    };
    std::vector<std::unique_ptr<Pause>> all_; // made once, used again by the next partition
    size_t used_ = 0;
};

// Every wait of the host inside a stage goes through here. `waited` is the
// stream whose result it wants, `main` the one that the stage's caller gave, and
// on others there may be work too. Before it waits, `meanwhile` may queue more.
inline void host_wait(cudaStream_t waited, cudaStream_t main, std::initializer_list<cudaStream_t> others = {},
                      const std::function<void()>& meanwhile = {}) {
    if (Pauses* p = Pauses::current()) return p->wait(waited, main, others, meanwhile);
    if (meanwhile) meanwhile();
    CUZK_CHECK(cudaStreamSynchronize(waited));
}

} // namespace cuzk
