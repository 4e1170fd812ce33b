#include "job.hpp"

#include <cstring>

namespace cuzk::prove {

void Srs::check(const cuzk_cuda_witness& w) const {
    const Circuit& c = *circuit_;
    if (!finished_) throw ArgumentError("the parameters are not complete");
    if (w.num_inputs != c.inputs() || w.num_scalars != c.scalars() || w.num_bit_words != c.bit_words())
        throw ArgumentError("the witness belongs to another circuit");
}

void Srs::pack(const cuzk_cuda_witness& w, Slot& slot) const {
    uint8_t* to = slot.host.get();
    auto copy = [&](const uint64_t* from, size_t bytes) {
        if (bytes > 0) std::memcpy(to, from, bytes);
        to += bytes;
    };
    copy(w.inputs, w.num_inputs * sizeof(Fr));
    copy(w.scalars, w.num_scalars * sizeof(Fr));
    copy(w.bits, w.num_bit_words * 8);
}

// A free slot, a new one while fewer than the device's number exist, or else
// the next that is released. If memory for a new one is short, fewer will do.
std::unique_ptr<Slot> Srs::acquire() {
    std::unique_lock<std::mutex> hold(slots_mu_);
    while (free_.empty()) {
        if (slots_ < device_->slots()) {
            try {
                auto slot = std::make_unique<Slot>(circuit_->witness_bytes());
                slots_++;
                return slot;
            } catch (const MemoryError&) {
                if (slots_ == 0) throw;
            }
        }
        slot_freed_.wait(hold);
    }
    auto slot = std::move(free_.back());
    free_.pop_back();
    return slot;
}

void Srs::release(std::unique_ptr<Slot> slot) {
    {
        std::lock_guard<std::mutex> hold(slots_mu_);
        free_.push_back(std::move(slot));
    }
    slot_freed_.notify_one();
}

std::unique_ptr<Job> Srs::submit(const cuzk_cuda_witness& w) {
    check(w);
    // From here on the job owns the slot: it waits for whatever was queued.
    auto job = std::make_unique<Job>(shared_from_this(), acquire());
    pack(w, job->slot());
    upload(job->slot());
    std::lock_guard<std::mutex> hold(device_->order());
    queue(job->slot());
    return job;
}

// Not in order: it overlaps with the kernels of earlier partitions.
void Srs::upload(Slot& slot) {
    Device& d = *device_;
    d.at("upload", [&] {
        slot.upload[0].record(d.copy());
        slot.witness.upload(slot.host.get(), slot.host.size(), d.copy());
        slot.upload[1].record(d.copy());
    });
}

void Srs::queue(Slot& slot) {
    Device& d = *device_;
    const Stream& s = d.compute();
    const size_t n = size_t(1) << circuit_->log_domain();
    uint8_t* work = d.work(0);
    Fr *a = reinterpret_cast<Fr*>(work), *b = a + n, *c = b + n;
    Event* mark = slot.mark;
    auto stage = [&](const char* name, auto fn) {
        d.at(name, [&] {
            fn();
            (mark++)->record(s);
        });
    };
    Sums* sums = slot.sums;
    const uint8_t* w = slot.witness;
    stage("upload", [&] { slot.upload[1].before(s); });
    stage("rows", [&] { circuit_->rows(w, a, b, s); });
    stage("ntt", [&] { domain_->quotient(a, b, c, s); });
    stage("h", [&] { h_->multiply(&sums->h, a, 0, h_->size(), true, *sums1_, s); });
    stage("l", [&] { l_.sum(*circuit_, w, sums->l, work, *sums1_, s); });
    stage("a", [&] { a_.sum(*circuit_, w, sums->a, work, *sums1_, s); });
    stage("b_g1", [&] { b1_.sum(*circuit_, w, sums->b1, work, *sums1_, s); });
    stage("b_g2", [&] { b2_.sum(*circuit_, w, sums->b2, work, *sums2_, s); });
    d.at("download", [&] {
        slot.sums.download(reinterpret_cast<Sums*>(slot.results.get()), 1, s);
        slot.done.record(s);
    });
}

Job::~Job() {
    if (!slot_) return;
    // Errors show in wait; here only the end of the work matters.
    cudaSetDevice(srs_->device().index());
    cudaStreamSynchronize(srs_->device().copy());
    if (!waited_) cudaStreamSynchronize(srs_->device().compute());
    srs_->release(std::move(slot_));
}

namespace {

// The sum of both parts of a section.
template <class F>
void join(uint64_t* out, const Affine<F>* parts) {
    Xyzz<F> sum = Xyzz<F>::from(parts[0]);
    sum.add(parts[1]);
    Affine<F> p = sum.affine();
    std::memcpy(out, &p, sizeof p);
}

}  // namespace

void Job::wait(cuzk_cuda_result& out) {
    Slot& slot = *slot_;
    const Event& origin = srs_->device().opened();
    slot.done.wait();
    waited_ = true;
    Sums sums;
    std::memcpy(static_cast<void*>(&sums), slot.results.get(), sizeof sums);
    std::memcpy(out.h, &sums.h, sizeof sums.h);
    join(out.l, sums.l);
    join(out.a, sums.a);
    join(out.b1, sums.b1);
    join(out.b2, sums.b2);
    out.spans[CUZK_CUDA_UPLOAD] = {slot.upload[0].since(origin), slot.upload[1].since(origin)};
    double last = slot.mark[0].since(origin);
    for (int i = CUZK_CUDA_ROWS; i <= CUZK_CUDA_SUM_B2; i++) {
        double end = slot.mark[i].since(origin);
        out.spans[i] = {last, end};
        last = end;
    }
    out.spans[CUZK_CUDA_DOWNLOAD] = {last, slot.done.since(origin)};
}

}  // namespace cuzk::prove
