#include "job.hpp"

#include <cstring>

namespace cuzk::prove {

// A free slot, a new one while fewer than the plan's number exist, or else
// the next that is released. If memory for a new one is short, fewer will do.
std::unique_ptr<Slot> Srs::acquire() {
    std::unique_lock<std::mutex> hold(slots_mu_);
    for (bool tried = false; free_.empty();) {
        if (slots_ == 0 || (!tried && slots_ < plan_.slots)) {
            tried = true;
            slots_++;
            hold.unlock();
            if (auto slot = make_slot()) return slot;
            hold.lock();
        } else {
            slot_freed_.wait(hold);
        }
    }
    auto slot = std::move(free_.back());
    free_.pop_back();
    return slot;
}

// Makes a slot that is counted already; null if memory is short while others
// exist.
std::unique_ptr<Slot> Srs::make_slot() {
    auto uncount = [&] {
        std::lock_guard<std::mutex> hold(slots_mu_);
        slot_freed_.notify_all();  // who waited for this one looks again
        return --slots_;
    };
    try {
        return std::make_unique<Slot>(circuit_->witness_bytes(), !plan_.passing, Sums(sections_));
    } catch (const MemoryError&) {
        if (uncount() == 0) throw;
        return nullptr;
    } catch (...) {
        uncount();
        throw;
    }
}

void Srs::release(std::unique_ptr<Slot> slot) {
    {
        std::lock_guard<std::mutex> hold(slots_mu_);
        free_.push_back(std::move(slot));
    }
    slot_freed_.notify_one();
}

std::unique_ptr<Job> Srs::job() {
    if (!finished_) throw ArgumentError("the parameters are not complete");
    // From here on the job owns the slot: it waits for whatever was queued.
    auto job = std::make_unique<Job>(shared_from_this(), acquire());
    job->slot().pauses.clear();
    return job;
}

// Not in order: it overlaps with the kernels of earlier partitions. A witness
// that passes through the work area waits on the host until its turn comes.
void Job::fill(int part, size_t first, const uint64_t* from, size_t count) {
    const Circuit& c = *srs_->circuit_;
    const size_t sizes[] = {c.inputs(), c.scalars(), c.bit_words()}, each[] = {sizeof(Fr), sizeof(Fr), sizeof(uint64_t)};
    if (part < CUZK_CUDA_INPUTS || part > CUZK_CUDA_BITS) throw ArgumentError("no such part of a witness");
    if (first > sizes[part] || count > sizes[part] - first) throw ArgumentError("the witness belongs to another circuit");
    if (queued_) throw ArgumentError("the job was started before");
    size_t at = first * each[part];
    for (int i = 0; i < part; i++) at += sizes[i] * each[i];
    const size_t bytes = count * each[part];
    const uint8_t* bytes_from = reinterpret_cast<const uint8_t*>(from);
    if (srs_->plan_.passing) {
        if (bytes > 0) std::memcpy(slot_->host.get() + at, bytes_from, bytes);
        return filled(bytes);
    }
    Device& d = srs_->device();
    {
        std::lock_guard<std::mutex> hold(filling_);
        if (!begun_) slot_->upload[0].record(d.copy());
        begun_ = true;
    }
    d.uploads().send(slot_->witness.get() + at, bytes_from, bytes, d.copy());
    filled(bytes);
}

void Job::filled(size_t bytes) {
    std::lock_guard<std::mutex> hold(filling_);
    if (filled_ + bytes > srs_->circuit_->witness_bytes()) throw ArgumentError("a part of the witness is given twice");
    filled_ += bytes;
    if (complete_ || filled_ < srs_->circuit_->witness_bytes()) return;
    if (!srs_->plan_.passing) slot_->upload[1].record(srs_->device().copy());
    complete_ = true;
}

const uint8_t* Job::witness() const { return srs_->plan_.passing ? srs_->device().work() : slot_->witness.get(); }

template <class Fn>
void Job::stage(const char* name, int stage, Fn fn) {
    Device& d = srs_->device();
    d.at(name, [&] {
        fn();
        slot_->mark[stage].record(d.compute());
    });
}

void Job::quotient() {
    const Plan& plan = srs_->plan_;
    Device& d = srs_->device();
    const Stream& s = d.compute();
    Fr *a = reinterpret_cast<Fr*>(d.work()), *b = a + plan.vector / sizeof(Fr), *c = b + plan.vector / sizeof(Fr);
    const uint8_t* w = slot_->witness;
    if (!complete_) throw ArgumentError("the witness is not complete");
    queued_ = true;
    stage("upload", CUZK_CUDA_UPLOAD, [&] {
        CUZK_CHECK(cudaMemsetAsync(slot_->g1, 0, slot_->g1.bytes(), s));
        CUZK_CHECK(cudaMemsetAsync(slot_->g2, 0, slot_->g2.bytes(), s));
        if (plan.passing) {  // over c, which is not needed yet
            w = reinterpret_cast<uint8_t*>(c);
            slot_->upload[0].record(s);
            CUZK_CHECK(cudaMemcpyAsync(c, slot_->host.get(), slot_->host.size(), cudaMemcpyHostToDevice, s));
            slot_->upload[1].record(s);
        } else {
            slot_->upload[1].before(s);
        }
    });
    stage("rows", CUZK_CUDA_ROWS, [&] { srs_->circuit_->rows(w, a, b, s); });
    stage("ntt", CUZK_CUDA_NTT, [&] { srs_->domain_->quotient(a, b, c, s); });
}

void Job::sum_resident(const char* name, int section) {
    Device& d = srs_->device();
    Arena arena(d.work(), srs_->plan_.work);
    stage(name, CUZK_CUDA_SUM_H + section, [&] {
        srs_->sections_.with(section, [&](auto& x) {
            using F = typename std::decay_t<decltype(x)>::Field;
            if constexpr (std::is_same_v<F, Fp>)
                x.sum(0, nullptr, *srs_->circuit_, slot_->witness, g1(section, 0), arena, d.compute());
            else
                x.sum(0, nullptr, *srs_->circuit_, slot_->witness, g2(0), arena, d.compute());
        });
    });
}

void Job::start() {
    if (srs_->plan_.streams) throw ArgumentError("the parameters are not all on the device: partitions need a run");
    if (queued_) throw ArgumentError("the job was started before");
    Device& d = srs_->device();
    std::lock_guard<FairMutex> hold(d.order());
    Pauses::Scope noted(slot_->pauses);
    quotient();
    stage("h", CUZK_CUDA_SUM_H, [&] {
        const Plan& plan = srs_->plan_;
        Arena arena(d.work() + plan.h_sums_begin(), plan.h_sums_end() - plan.h_sums_begin());
        srs_->sections_.h.multiply(0, nullptr, reinterpret_cast<const Fr*>(d.work()), g1(CUZK_CUDA_H, 0), arena, d.compute());
    });
    sum_resident("l", CUZK_CUDA_L);
    sum_resident("a", CUZK_CUDA_A);
    sum_resident("b_g1", CUZK_CUDA_B1);
    sum_resident("b_g2", CUZK_CUDA_B2);
    download();
}

void Job::download() {
    Device& d = srs_->device();
    d.at("download", [&] {
        uint8_t* to = slot_->results.get();
        slot_->g1.download(reinterpret_cast<G1*>(to), slot_->g1.size(), d.compute());
        slot_->g2.download(reinterpret_cast<G2*>(to + slot_->g1.bytes()), slot_->g2.size(), d.compute());
        slot_->done.record(d.compute());
        ready_ = true;
    });
}

void Job::share(int stage, std::shared_ptr<Pass> pass, size_t index, size_t of) { shares_[stage] = {std::move(pass), index, of}; }

Job::~Job() {
    if (!slot_) return;
    // Errors show in wait; here only the end of the work matters.
    cudaSetDevice(srs_->device().index());
    cudaStreamSynchronize(srs_->device().copy());
    if (!waited_) cudaStreamSynchronize(srs_->device().compute());
    srs_->release(std::move(slot_));
}

namespace {

// The sum of some points.
template <class F>
void join(uint64_t* out, const Affine<F>* parts, size_t n) {
    Xyzz<F> sum = Xyzz<F>::infinity();
    for (size_t i = 0; i < n; i++) sum.add(parts[i]);
    Affine<F> p = sum.affine();
    std::memcpy(out, &p, sizeof p);
}

}  // namespace

cuzk_cuda_span Job::span(int stage) {
    Device& d = srs_->device();
    const Share& s = shares_[stage];
    if (!s.pass) return {d.time(slot_->mark[stage - 1]), d.time(slot_->mark[stage])};
    const double start = d.time(s.pass->start), each = (d.time(s.pass->end) - start) / (double)s.of;
    return {start + each * (double)s.index, start + each * (double)(s.index + 1)};
}

void Job::wait(cuzk_cuda_result& out) {
    Slot& slot = *slot_;
    if (!ready_) throw ArgumentError("the job was not started, or failed");
    slot.done.wait();
    waited_ = true;
    const G1* g1 = reinterpret_cast<const G1*>(slot.results.get());
    const G2* g2 = reinterpret_cast<const G2*>(slot.results.get() + slot.g1.bytes());
    uint64_t* const to[] = {out.h, out.l, out.a, out.b1};
    for (int i = CUZK_CUDA_H; i <= CUZK_CUDA_B1; i++) join(to[i], g1 + slot.sums.first[i], slot.sums.count[i]);
    join(out.b2, g2, slot.sums.g2);
    Device& d = srs_->device();
    out.spans[CUZK_CUDA_UPLOAD] = {d.time(slot.upload[0]), d.time(slot.upload[1])};
    for (int i = CUZK_CUDA_ROWS; i <= CUZK_CUDA_SUM_B2; i++) out.spans[i] = span(i);
    out.spans[CUZK_CUDA_DOWNLOAD] = {out.spans[CUZK_CUDA_SUM_B2].end_ms, d.time(slot.done)};
}

}  // namespace cuzk::prove
