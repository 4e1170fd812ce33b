// Buffers through which parameters come onto a device: several threads fill
// pinned memory, while earlier buffers are copied, decoded and placed.
#pragma once
#include <condition_variable>
#include <mutex>
#include <vector>

#include "../ec/curve.cuh"
#include "host_memory.hpp"

namespace cuzk::prove {

// Why a point was refused: position·8 + reason, all ones for none.
using Refused = unsigned long long;

class Staging {
  public:
    struct Item {
        explicit Item(size_t bytes);
        Pinned host;           // bytes of points, then what the device refused
        Buffer<uint8_t> raw;   // the same bytes on the device
        Buffer<uint8_t> image; // decoded points on their way to the host
        Buffer<Refused> bad;
        Event done; // of the work that was queued last
        bool pending = false;
        int section = 0; // that its points belong to
        Refused* refused() const { return reinterpret_cast<Refused*>(host.get() + host.size() - sizeof(Refused)); }
    };

    // `count` buffers for `bytes` of points each.
    Staging(size_t bytes, unsigned count);
    // Room before an image, for what aligns its bits.
    static constexpr size_t ALIGNMENT = 64 * sizeof(G2);
    static size_t device_bytes(size_t bytes, unsigned count) {
        return count * (2 * Arena::aligned(bytes) + ALIGNMENT + sizeof(Refused));
    }

    // The number of a buffer that nobody uses; waits for one, and for its last
    // work. Throws a Failure if that refused a point.
    unsigned take();
    Item& at(unsigned i);
    // Gives a buffer back; its work may still run.
    void give(unsigned i);
    // Waits for all work. No buffer may be in use.
    void drain();

    // A buffer that is given back whatever happens.
    class Use {
      public:
        explicit Use(Staging& s) : Use(s, s.take()) {}
        Use(Staging& s, unsigned buffer) : staging_(s), buffer_(buffer) { s.at(buffer); }
        ~Use() { staging_.give(buffer_); }
        Use(const Use&) = delete;
        Item& item() const { return staging_.at(buffer_); }

      private:
        Staging& staging_;
        const unsigned buffer_;
    };

  private:
    void settle(Item& i);

    std::vector<std::unique_ptr<Item>> items_;
    std::mutex mu_; // guards free_
    std::condition_variable given_;
    std::vector<unsigned> free_; // oldest first
};

} // namespace cuzk::prove
