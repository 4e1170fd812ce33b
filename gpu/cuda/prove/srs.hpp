// The parameters of one circuit on one device, and the partitions proved with
// them.
#pragma once
#include <atomic>
#include <condition_variable>
#include <memory>
#include <vector>

#include "../setup/fixed.cuh"
#include "device.hpp"
#include "feed.hpp"
#include "plan.hpp"
#include "staging.hpp"

namespace cuzk::prove {

class Job;
class Run;
struct Slot;

class Srs : public std::enable_shared_from_this<Srs> {
  public:
    Srs(std::shared_ptr<Device> d, std::shared_ptr<const Circuit> c, const cuzk_cuda_srs_options& o);
    ~Srs();

    Device& device() const { return *device_; }
    Lane& lane() const { return lane_; }
    const Plan& plan() const { return plan_; }
    size_t length(int section);
    cuzk_cuda_placement placement();

    // Points come in parts, in any order; see cuzk_cuda.h.
    cuzk_cuda_buffer take_buffer();
    void give_buffer(unsigned buffer) { staging().give(buffer); }
    void put(unsigned buffer, uint64_t pass, int section, size_t first, size_t count);
    void generate(int section, size_t first, size_t count, const uint64_t* generator, const uint64_t* scalars,
                  const uint64_t* start, const uint64_t* ratio);
    void get(int section, size_t first, size_t count, uint8_t* encoded);
    void finish();

    // A job with a slot of its own, for a witness to come.
    std::unique_ptr<Job> job();
    void release(std::unique_ptr<Slot> slot);

  private:
    friend class Job;
    friend class Run;
    void reserve(const cuzk_cuda_srs_options& o);
    size_t part(int section);
    size_t part_bytes();
    Staging& staging();
    void expect(int section, size_t first, size_t count);
    void mark(int section, size_t first, size_t count);
    template <class F>
    void queue_put(Section<F>& x, Staging::Item& item, setup::Place<F> place, size_t first, size_t count);
    template <class F>
    void deliver(Section<F>& x, Staging::Item& item, size_t first, size_t count);
    template <class F>
    setup::Place<F> destination(Section<F>& x, Staging::Item& item, size_t first, size_t count);
    template <class F>
    const setup::FixedBase<F>& fixed(std::unique_ptr<setup::FixedBase<F>>& base, const uint64_t* generator);
    template <class F>
    void multiply(Section<F>& x, const setup::FixedBase<F>& base, int section, size_t first, size_t count,
                  setup::Scalars from, const uint64_t* scalars);
    template <class F>
    void read(Section<F>& x, size_t first, size_t count, uint8_t* encoded);

    std::unique_ptr<Slot> acquire();
    std::unique_ptr<Slot> make_slot();

    std::shared_ptr<Device> device_;
    std::shared_ptr<const Circuit> circuit_;
    Lane& lane_; // of the device
    std::shared_ptr<const NttDomain> domain_;
    Sections sections_;
    Plan plan_;
    size_t device_bytes_ = 0; // reserved, slots and work area included
    bool finished_ = false;
    Feed feed_; // of the run that computes
    std::atomic<bool> running_{false};
    std::atomic<uint64_t> passes_{0}; // of all runs so far

    std::mutex loading_;                          // guards the four below
    std::vector<bool> given_[CUZK_CUDA_SECTIONS]; // parts
    std::unique_ptr<Staging> staging_;
    std::unique_ptr<setup::FixedBase<Fp>> fixed1_;
    std::unique_ptr<setup::FixedBase<Fp2>> fixed2_;

    std::mutex slots_mu_; // guards the two below
    std::condition_variable slot_freed_;
    std::vector<std::unique_ptr<Slot>> free_;
    unsigned slots_ = 0; // made so far
};

} // namespace cuzk::prove
