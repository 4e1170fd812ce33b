// Partitions whose parameters come in pieces: every pass over a section serves all jobs of the run; the next piece
// crosses the bus while the sums over the present one are computed.
#include "run.hpp"

#include <algorithm>

namespace cuzk::prove {

namespace {

const char* const stages[CUZK_CUDA_SECTIONS] = {"h", "l", "a", "b_g1", "b_g2"};

// The quotient's coefficients in natural order, in place or into another vector.
struct Natural {
    const Fr* from;
    Fr* to;
    int log_n;
    CUZK_HD void operator()(size_t i) const {
        const size_t j = reverse_bits(i, log_n);
        if (from != to)
            to[j] = from[i];
        else if (i < j) {
            Fr x = to[i];
            to[i] = to[j], to[j] = x;
        }
    }
};

} // namespace

Run::Run(std::shared_ptr<Srs> srs, std::vector<Job*> jobs)
    : srs_(std::move(srs)), lane_(srs_->lane()), jobs_(std::move(jobs)) {
    if (!srs_->plan_.in_pieces) throw ArgumentError("the parameters are on the device: start each job");
    for (Job* j : jobs_)
        if (&j->srs() != srs_.get() || j->queued_) throw ArgumentError("a job of other parameters, or that ran before");
    if (srs_->running_.exchange(true)) throw ArgumentError("one run at a time");
    const Plan& plan = srs_->plan_;
    const size_t together = plan.witness_streamed ? 1 : std::max<size_t>(jobs_.size(), 1);
    for (size_t g = 0; g < jobs_.size(); g += together) {
        const size_t n = std::min(together, jobs_.size() - g);
        for (size_t q = 0; q < n; q += plan.quotients)
            steps_.push_back({CUZK_CUDA_H, g + q, std::min(plan.quotients, n - q), false});
        for (int i = CUZK_CUDA_L; i <= CUZK_CUDA_B2; i++) steps_.push_back({i, g, n, i == CUZK_CUDA_B2});
    }
    before_ = srs_->passes_.fetch_add(steps_.size());
    srs_->feed_.begin(before_);
}

Run::~Run() {
    stop();
    srs_->running_ = false;
}

std::vector<std::pair<uint64_t, int>> Run::wanted() const {
    std::vector<std::pair<uint64_t, int>> w;
    for (size_t i = 0; i < steps_.size(); i++) {
        const int section = steps_[i].section;
        if (srs_->sections_.with(section, [](auto& x) { return x.home() == Home::FILE; }))
            w.push_back({before_ + 1 + i, section});
    }
    return w;
}

void Run::execute() {
    Device& d = srs_->device();
    std::unique_lock<FairMutex> hold(lane_.order(), std::defer_lock);
    try {
        for (size_t i = 0; i < steps_.size(); i++) {
            if (!hold) hold.lock();
            pass(i);
            // A witness that passes stays for all sections; else others may have the device between passes.
            if (!srs_->plan_.witness_streamed || steps_[i].section == CUZK_CUDA_H || steps_[i].last) hold.unlock();
        }
    } catch (...) {
        stop();
        // Copies into the work area must end before others use it. Errors are known already.
        cudaStreamSynchronize(d.copy());
        cudaStreamSynchronize(lane_.compute());
        throw;
    }
}

void Run::pass(size_t i) {
    const Step& step = steps_[i];
    const bool h = step.section == CUZK_CUDA_H;
    Device& d = srs_->device();
    d.at(stages[step.section], [&] {
        brought_ = 0;
        srs_->feed_.open(before_ + 1 + i, h ? srs_->plan_.prefetched : 2, lane_.compute());
        if (h)
            quotients(step);
        else
            enter(step);
        auto pass = std::make_shared<Pass>();
        Pauses::Scope noted(pass->pauses);
        pass->start.record(lane_.compute());
        sums(step);
        pass->end.record(lane_.compute());
        for (size_t k = 0; k < step.count; k++) {
            jobs_[step.first + k]->share(CUZK_CUDA_SUM_H + step.section, pass, k, step.count);
            if (step.last) jobs_[step.first + k]->download();
        }
    });
}

// Transforms, with the first pieces of h on their way where there is room.
void Run::quotients(const Step& step) {
    const Plan& plan = srs_->plan_;
    const Section<Fp>& h = srs_->sections_.h;
    Device& d = srs_->device();
    for (; h.home() == Home::HOST && brought_ < std::min(plan.prefetched, h.pieces().size()); brought_++) {
        srs_->feed_.used(brought_).before(d.copy());
        h.bring(brought_, reinterpret_cast<G1*>(image(brought_)), d.copy());
        srs_->feed_.filled(brought_, h.pieces()[brought_].count, d.copy());
    }
    for (size_t k = 0; k < step.count; k++) {
        jobs_[step.first + k]->quotient();
        if (h.home() == Home::DEVICE) continue;
        const Fr* from = reinterpret_cast<const Fr*>(lane_.work());
        Fr* to = reinterpret_cast<Fr*>(lane_.work() + plan.quotient(k));
        const int log_n = srs_->circuit_->log_domain();
        each(size_t(1) << log_n, lane_.compute(), "natural", Natural{from, to, log_n});
    }
    srs_->feed_.widen(lane_.compute());
}

// Brings a witness that passes through the work area, for all sections.
void Run::enter(const Step& step) {
    if (!srs_->plan_.witness_streamed || step.section != CUZK_CUDA_L) return;
    const Store& host = jobs_[step.first]->slot().host;
    CUZK_CHECK(cudaMemcpyAsync(lane_.work(), host.get(), host.size(), cudaMemcpyHostToDevice, lane_.compute()));
}

// Calls fn with each piece and its image; the next is on its way meanwhile.
template <class S, class Fn>
void Run::pieces(S& x, Fn fn) {
    using Point = typename S::Point;
    Feed& feed = srs_->feed_;
    const Stream &copy = srs_->device().copy(), &compute = lane_.compute();
    if (feed.stopped()) throw Failure(CUZK_CUDA_STOPPED, "the run was stopped");
    if (x.home() == Home::DEVICE) return fn(0, static_cast<Point*>(nullptr));
    auto bring = [&](size_t end) {
        for (; x.home() == Home::HOST && brought_ < std::min(end, x.pieces().size()); brought_++) {
            feed.used(brought_).before(copy);
            x.bring(brought_, reinterpret_cast<Point*>(image(brought_)), copy);
            feed.filled(brought_, x.pieces()[brought_].count, copy);
        }
    };
    bring(2);
    for (size_t k = 0; k < x.pieces().size(); k++) {
        if (!feed.wait(k, x.pieces()[k].count, compute)) throw Failure(CUZK_CUDA_STOPPED, "the run was stopped");
        fn(k, reinterpret_cast<Point*>(image(k)));
        feed.taken(k, compute);
        bring(k + 3);
    }
}

void Run::sums(const Step& step) {
    const Plan& plan = srs_->plan_;
    if (step.section == CUZK_CUDA_H) {
        Section<Fp>& h = srs_->sections_.h;
        Arena arena(lane_.work() + plan.h_sums_begin(), plan.h_sums_end() - plan.h_sums_begin());
        return pieces(h, [&](size_t k, G1* at) {
            for (size_t j = 0; j < step.count; j++) {
                const Fr* q = reinterpret_cast<const Fr*>(lane_.work() + plan.quotient(j)) + h.pieces()[k].first;
                h.multiply(k, at, q, jobs_[step.first + j]->g1(CUZK_CUDA_H, k), arena, lane_.compute());
            }
        });
    }
    Arena arena(lane_.work() + plan.witness_end, plan.sums_end() - plan.witness_end);
    srs_->sections_.with(step.section, [&](auto& x) {
        using Point = typename std::decay_t<decltype(x)>::Point;
        pieces(x, [&](size_t k, Point* at) {
            for (size_t j = 0; j < step.count; j++) {
                Job& job = *jobs_[step.first + j];
                Point* out;
                if constexpr (std::is_same_v<Point, G1>)
                    out = job.g1(step.section, k);
                else
                    out = job.g2(k);
                x.sum(k, at, *srs_->circuit_, job.witness(), out, arena, lane_.compute());
            }
        });
    });
}

} // namespace cuzk::prove
