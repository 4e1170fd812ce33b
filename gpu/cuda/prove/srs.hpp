// The parameters of one circuit on one device, and the partitions proved with
// them.
#pragma once
#include <condition_variable>
#include <memory>
#include <vector>

#include "../setup/fixed.cuh"
#include "device.hpp"
#include "section.hpp"

namespace cuzk::prove {

class Job;
struct Slot;

class Srs : public std::enable_shared_from_this<Srs> {
  public:
    Srs(std::shared_ptr<Device> d, std::shared_ptr<const Circuit> c);
    ~Srs();

    Device& device() const { return *device_; }
    size_t length(int section) const;
    // Points come in order; see cuzk_cuda.h.
    void put(int section, size_t first, size_t count, const uint8_t* points);
    void generate(int section, size_t first, size_t count, const uint64_t* generator, const uint64_t* scalars,
                  const uint64_t* start, const uint64_t* ratio);
    void get(int section, size_t position, uint64_t* point);
    void finish();

    std::unique_ptr<Job> submit(const cuzk_cuda_witness& w);
    void release(std::unique_ptr<Slot> slot);

  private:
    void expect(int section, size_t first, size_t count) const;
    template <class F, class Place>
    void decode(Place place, size_t first, size_t count, const uint8_t* points);
    template <class F, class Place>
    void multiply(const setup::FixedBase<F>& base, Place place, size_t first, size_t count, const setup::Scalars& from,
                  const uint64_t* scalars);
    template <class F>
    const setup::FixedBase<F>& fixed(std::unique_ptr<setup::FixedBase<F>>& base, const uint64_t* generator);
    template <class Fn>
    void with_place(int section, Fn fn);

    size_t spare() const;
    void prepare(size_t spare);
    size_t work_bytes() const;
    std::unique_ptr<Slot> acquire();
    void check(const cuzk_cuda_witness& w) const;
    void pack(const cuzk_cuda_witness& w, Slot& slot) const;
    void upload(Slot& slot);
    void queue(Slot& slot);

    std::shared_ptr<Device> device_;
    std::shared_ptr<const Circuit> circuit_;
    std::shared_ptr<const NttDomain> domain_;
    Buffer<G1> h_bases_;  // bit-reversed, the identity last; only while bases are loaded
    std::unique_ptr<Bases<Fp>> h_;
    Section<Fp> l_, a_, b1_;
    Section<Fp2> b2_;
    size_t given_[CUZK_CUDA_SECTIONS] = {};
    bool finished_ = false;
    std::unique_ptr<MsmWorkspace<Fp>> sums1_;
    std::unique_ptr<MsmWorkspace<Fp2>> sums2_;
    Buffer<uint8_t> staging_;
    std::unique_ptr<setup::FixedBase<Fp>> fixed1_;
    std::unique_ptr<setup::FixedBase<Fp2>> fixed2_;

    std::mutex slots_mu_;  // guards the two below
    std::condition_variable slot_freed_;
    std::vector<std::unique_ptr<Slot>> free_;
    unsigned slots_ = 0;   // made so far
};

}  // namespace cuzk::prove
