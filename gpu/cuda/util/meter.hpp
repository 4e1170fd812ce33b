// Device memory accounted per owner, so that a limit below the card's size holds
// for every allocation, wherever it is made.
#pragma once
#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <string>

namespace cuzk {

// Memory is exhausted, on the card or within the limit.
struct MemoryError : std::runtime_error {
    size_t needed, available;
    MemoryError(size_t n, size_t a, const char* what)
        : std::runtime_error(std::string(what) + " of " + std::to_string(n) + " bytes, " + std::to_string(a) +
                             " available"),
          needed(n),
          available(a) {}
};

class Meter {
  public:
    explicit Meter(size_t limit) : limit_(limit) {}

    void reserve(size_t bytes) {
        std::lock_guard<std::mutex> hold(mu_);
        if (bytes > limit_ - used_) throw MemoryError(bytes, limit_ - used_, "device memory limit: allocation");
        used_ += bytes;
        if (used_ > peak_) peak_ = used_;
    }
    void release(size_t bytes) {
        std::lock_guard<std::mutex> hold(mu_);
        used_ -= bytes;
    }
    size_t used() const { return locked(used_); }
    size_t peak() const { return locked(peak_); }
    size_t left() const {
        std::lock_guard<std::mutex> hold(mu_);
        return limit_ - used_;
    }

    // The meter that buffers of this thread are charged to; null: none.
    static Meter*& current() {
        static thread_local Meter* m = nullptr;
        return m;
    }
    // Charges the buffers made in a scope.
    class Scope {
      public:
        explicit Scope(Meter& m) : before_(current()) { current() = &m; }
        ~Scope() { current() = before_; }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        Meter* before_;
    };

  private:
    size_t locked(const size_t& v) const {
        std::lock_guard<std::mutex> hold(mu_);
        return v;
    }
    mutable std::mutex mu_; // guards the counters
    size_t limit_, used_ = 0, peak_ = 0;
};

} // namespace cuzk
