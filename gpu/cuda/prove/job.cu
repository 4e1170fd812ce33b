// One partition on a device: upload of the packed witness, rows a = A·w and b = B·w (2^k elements each), six transforms,
// five sums over the parameters, download of their results (some kilobytes). Queues work and returns; wait assembles
// the sums of all pieces on the host.
#include "job.hpp"

#include <cstring>
#include <future>

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
        slot_freed_.notify_all(); // who waited for this one looks again
        return --slots_;
    };
    try {
        return std::make_unique<Slot>(*circuit_, !plan_.witness_streamed, Sums(sections_));
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
    for (Pauses& p : job->slot().pauses) p.clear();
    return job;
}

size_t Job::size(int part) const {
    const Circuit& c = *srs_->circuit_;
    const size_t sizes[CUZK_CUDA_PARTS] = {c.inputs(), c.scalars(), c.bit_words(),
                                           srs_->plan_.witness_streamed ? 0 : c.given()};
    return sizes[part];
}

// Not in order: it overlaps with the kernels of earlier partitions. A witness
// that passes through the work area waits on the host until its turn comes.
void Job::fill(int part, size_t first, const uint64_t* from, size_t count) {
    if (part < 0 || part >= CUZK_CUDA_PARTS) throw ArgumentError("no such part of a witness");
    if (first > size(part) || count > size(part) - first) throw ArgumentError("the witness belongs to another circuit");
    if (queued_) throw ArgumentError("the job was started before");
    const size_t each = part == CUZK_CUDA_BITS ? sizeof(uint64_t) : sizeof(Fr), bytes = count * each;
    size_t at = first * each;
    for (int i = 0; i < part && part != CUZK_CUDA_GIVEN; i++) at += size(i) * sizeof(Fr);
    const bool streamed = srs_->plan_.witness_streamed;
    uint8_t* to = streamed                  ? slot_->host.get()
                  : part == CUZK_CUDA_GIVEN ? reinterpret_cast<uint8_t*>(slot_->given.get())
                                            : slot_->witness.get();
    Device& d = srs_->device();
    if (!streamed) {
        std::lock_guard<std::mutex> hold(filling_);
        if (!begun_) {
            clear(d.copy());
            slot_->ran[CUZK_CUDA_UPLOAD].start.record(d.copy());
        }
        begun_ = true;
    }
    if (!streamed)
        d.uploads().send(to + at, reinterpret_cast<const uint8_t*>(from), bytes, d.copy());
    else if (bytes > 0)
        std::memcpy(to + at, from, bytes);
    filled(part, count);
}

// Sums over nothing are not queued, and stay the identity.
void Job::clear(cudaStream_t s) {
    CUZK_CHECK(cudaMemsetAsync(slot_->g1, 0, slot_->g1.bytes(), s));
    CUZK_CHECK(cudaMemsetAsync(slot_->g2, 0, slot_->g2.bytes(), s));
}

void Job::filled(int part, size_t count) {
    std::lock_guard<std::mutex> hold(filling_);
    if (count > size(part) - filled_[part]) throw ArgumentError("a part of the witness is given twice");
    filled_[part] += count;
    if (filled_[CUZK_CUDA_SCALARS] > 0 && sketched()) throw ArgumentError("a witness is whole or a sketch");
    const int scalars = sketched() ? CUZK_CUDA_GIVEN : CUZK_CUDA_SCALARS;
    for (int i : {(int)CUZK_CUDA_INPUTS, (int)CUZK_CUDA_BITS, scalars})
        if (filled_[i] < size(i)) return;
    if (complete_) return;
    if (!srs_->plan_.witness_streamed) slot_->ran[CUZK_CUDA_UPLOAD].end.record(srs_->device().copy());
    complete_ = true;
}

const uint8_t* Job::witness() const {
    return srs_->plan_.witness_streamed ? srs_->lane().work() : slot_->witness.get();
}

namespace {

const char* const stages[CUZK_CUDA_STAGES] = {"upload", "rows", "ntt", "h", "l", "a", "b_g1", "b_g2", "download"};

} // namespace

template <class Fn>
void Job::stage(int stage, const Stream& first, const Stream& s, Fn fn) {
    srs_->device().at(stages[stage], [&] {
        Pauses::Scope noted(slot_->pauses[stage]);
        slot_->ran[stage].start.record(first);
        fn();
        slot_->ran[stage].end.record(s);
    });
}

void Job::quotient() {
    const Plan& plan = srs_->plan_;
    Device& d = srs_->device();
    const Lane& lane = srs_->lane();
    const Stream& s = lane.compute();
    Fr *a = reinterpret_cast<Fr*>(lane.work()), *b = a + plan.vector / sizeof(Fr), *c = b + plan.vector / sizeof(Fr);
    const uint8_t* w = slot_->witness;
    if (!complete_) throw ArgumentError("the witness is not complete");
    queued_ = true;
    if (plan.witness_streamed) { // over c, which is not needed yet
        w = reinterpret_cast<uint8_t*>(c);
        stage(CUZK_CUDA_UPLOAD, s, s, [&] {
            clear(s);
            CUZK_CHECK(cudaMemcpyAsync(c, slot_->host.get(), slot_->host.size(), cudaMemcpyHostToDevice, s));
        });
    } else {
        d.at("upload", [&] {
            slot_->ran[CUZK_CUDA_UPLOAD].end.before(s);
            if (plan.second_work > 0) slot_->ran[CUZK_CUDA_UPLOAD].end.before(lane.second());
        });
    }
    // the first of the streams that need a sketch completes it
    const Stream& first = plan.second_work > 0 && sketched() ? lane.second() : s;
    stage(CUZK_CUDA_ROWS, first, s, [&] {
        if (sketched()) {
            srs_->circuit_->complete(slot_->witness, slot_->given, first);
            slot_->whole.record(first);
            slot_->whole.before(s);
        }
        srs_->circuit_->rows(w, a, b, s);
    });
    stage(CUZK_CUDA_NTT, s, s, [&] { srs_->domain_->quotient(a, b, c, s); });
}

void Job::sum_h() {
    const Plan& plan = srs_->plan_;
    const Lane& lane = srs_->lane();
    Arena arena(lane.work() + plan.h_sums_begin(), plan.h_sums_end() - plan.h_sums_begin());
    stage(CUZK_CUDA_SUM_H, lane.compute(), lane.compute(), [&] {
        srs_->sections_.h.multiply(0, nullptr, reinterpret_cast<const Fr*>(lane.work()), g1(CUZK_CUDA_H, 0), arena,
                                   lane.compute());
    });
}

void Job::sum(int section, uint8_t* work, size_t bytes, const Stream& s) {
    Arena arena(work, bytes);
    stage(CUZK_CUDA_SUM_H + section, s, s, [&] {
        srs_->sections_.with(section, [&](auto& x) {
            using F = typename std::decay_t<decltype(x)>::Field;
            if constexpr (std::is_same_v<F, Fp>)
                x.sum(0, nullptr, *srs_->circuit_, slot_->witness, g1(section, 0), arena, s);
            else
                x.sum(0, nullptr, *srs_->circuit_, slot_->witness, g2(0), arena, s);
        });
    });
}

// One sum after the other, on one stream and in one work area.
void Job::sums_in_order() {
    const Lane& lane = srs_->lane();
    sum_h();
    for (int i = CUZK_CUDA_L; i <= CUZK_CUDA_B2; i++) sum(i, lane.work(), srs_->plan_.work, lane.compute());
}

// The sums over l, a and b on a stream of their own, queued by a thread of their own:
// the host waits inside every sum, and what waits for the one stream must not delay
// the other. Of two failures the one that CUDA reported tells more.
void Job::sums_overlapped() {
    const Lane& lane = srs_->lane();
    auto others = std::async(std::launch::async, [&] {
        for (int i = CUZK_CUDA_L; i <= CUZK_CUDA_B2; i++)
            sum(i, lane.second_work(), srs_->plan_.second_work, lane.second());
    });
    try {
        sum_h();
    } catch (const Failure& f) {
        if (f.cuda == 0)
            others.get();
        else
            others.wait();
        throw;
    }
    others.get();
}

void Job::start() {
    if (srs_->plan_.in_pieces) throw ArgumentError("the parameters are not all on the device: partitions need a run");
    if (queued_) throw ArgumentError("the job was started before");
    std::lock_guard<FairMutex> hold(srs_->lane().order());
    quotient();
    if (srs_->plan_.second_work > 0)
        sums_overlapped();
    else
        sums_in_order();
    download();
}

void Job::download() {
    const Lane& lane = srs_->lane();
    srs_->device().at("download", [&] {
        uint8_t* to = slot_->results.get();
        if (srs_->plan_.second_work > 0) slot_->ran[CUZK_CUDA_SUM_B2].end.before(lane.compute());
        slot_->ran[CUZK_CUDA_DOWNLOAD].start.record(lane.compute());
        slot_->g1.download(reinterpret_cast<G1*>(to), slot_->g1.size(), lane.compute());
        slot_->g2.download(reinterpret_cast<G2*>(to + slot_->g1.bytes()), slot_->g2.size(), lane.compute());
        slot_->done.record(lane.compute());
        ready_ = true;
    });
}

void Job::share(int stage, std::shared_ptr<Pass> pass, size_t index, size_t of) {
    shares_[stage] = {std::move(pass), index, of};
}

Job::~Job() {
    if (!slot_) return;
    // Errors show in wait; here only the end of the work matters.
    cudaSetDevice(srs_->device().index());
    cudaStreamSynchronize(srs_->device().copy());
    if (!waited_) srs_->lane().drain();
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

} // namespace

cuzk_cuda_span Job::span(int stage) {
    Device& d = srs_->device();
    const Share& s = shares_[stage];
    if (!s.pass) return {d.time(slot_->ran[stage].start), d.time(slot_->ran[stage].end)};
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
    for (int i = CUZK_CUDA_UPLOAD; i <= CUZK_CUDA_SUM_B2; i++) out.spans[i] = span(i);
    out.spans[CUZK_CUDA_DOWNLOAD] = {d.time(slot.ran[CUZK_CUDA_DOWNLOAD].start), d.time(slot.done)};
}

} // namespace cuzk::prove
