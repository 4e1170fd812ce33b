// A block of memory handed out piece by piece, for buffers that live as long as
// one stage of work: whoever starts the next stage starts over at the bottom.
#pragma once
#include <cstddef>
#include <cstdint>

#include "meter.hpp"

namespace cuzk {

class Arena {
  public:
    static constexpr size_t ALIGN = 256;
    static constexpr size_t aligned(size_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

    // Hands out [memory, memory + bytes).
    Arena(uint8_t* memory, size_t bytes) : memory_(memory), size_(bytes) {}
    // Only counts: what it hands out must not be used.
    static Arena counting() { return Arena(reinterpret_cast<uint8_t*>(uintptr_t(ALIGN)), ~size_t(0) / 2); }

    uint8_t* take(size_t bytes) {
        bytes = aligned(bytes);
        if (bytes > size_ - used_) throw MemoryError(bytes, size_ - used_, "work area: piece");
        uint8_t* p = memory_ + used_;
        used_ += bytes;
        return p;
    }
    size_t used() const { return used_; }
    size_t left() const { return size_ - used_; }

    // The arena from which buffers of this thread are taken; null: each is
    // allocated by itself.
    static Arena*& current() {
        static thread_local Arena* a = nullptr;
        return a;
    }
    class Scope {
      public:
        explicit Scope(Arena& a) : before_(current()) { current() = &a; }
        ~Scope() { current() = before_; }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        Arena* before_;
    };

  private:
    uint8_t* memory_;
    size_t size_, used_ = 0;
};

} // namespace cuzk
