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

// A free slot, a new one while fewer than the plan's number exist, or else
// the next that is released. If memory for a new one is short, fewer will do.
std::unique_ptr<Slot> Srs::acquire() {
    std::unique_lock<std::mutex> hold(slots_mu_);
    while (free_.empty()) {
        if (slots_ < plan_.slots) {
            try {
                auto slot = std::make_unique<Slot>(circuit_->witness_bytes(), !plan_.passing, Sums(sections_));
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
    job->upload();
    return job;
}

// Not in order: it overlaps with the kernels of earlier partitions. A witness
// that passes through the work area goes when its turn comes.
void Job::upload() {
    Device& d = srs_->device();
    if (srs_->plan_.passing) return;
    d.at("upload", [&] {
        slot_->upload[0].record(d.copy());
        slot_->witness.upload(slot_->host.get(), slot_->host.size(), d.copy());
        slot_->upload[1].record(d.copy());
    });
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
    const Event& origin = srs_->device().opened();
    const Share& s = shares_[stage];
    if (!s.pass) return {slot_->mark[stage - 1].since(origin), slot_->mark[stage].since(origin)};
    const double start = s.pass->start.since(origin), each = (s.pass->end.since(origin) - start) / (double)s.of;
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
    const Event& origin = srs_->device().opened();
    out.spans[CUZK_CUDA_UPLOAD] = {slot.upload[0].since(origin), slot.upload[1].since(origin)};
    for (int i = CUZK_CUDA_ROWS; i <= CUZK_CUDA_SUM_B2; i++) out.spans[i] = span(i);
    out.spans[CUZK_CUDA_DOWNLOAD] = {out.spans[CUZK_CUDA_SUM_B2].end_ms, slot.done.since(origin)};
}

}  // namespace cuzk::prove
