// A mutex that serves in the order of arrival: a run that lets go of the device between
// two passes and takes it again goes behind the partitions that waited meanwhile.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>

class FairMutex {
  public:
    void lock() {
        std::unique_lock<std::mutex> hold(mu_);
        const uint64_t ticket = next_++;
        turn_.wait(hold, [&] { return serving_ == ticket; });
    }
    void unlock() {
        {
            std::lock_guard<std::mutex> hold(mu_);
            serving_++;
        }
        turn_.notify_all();
    }

  private:
    std::mutex mu_;
    std::condition_variable turn_;
    uint64_t next_ = 0, serving_ = 0; // tickets; guarded by mu_
};
