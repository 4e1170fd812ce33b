// Partitions whose parameters come to the device in pieces: each piece serves
// all of them before the next one.
#pragma once
#include "job.hpp"

namespace cuzk::prove {

// Passes over h follow the transforms of as many partitions as quotients can be
// kept; the other sections pass once for all.
class Run {
  public:
    Run(std::shared_ptr<Srs> srs, std::vector<Job*> jobs);
    ~Run();
    Srs& srs() const { return *srs_; }
    // Passes over sections that must be put, in order: number and section.
    std::vector<std::pair<uint64_t, int>> wanted() const;
    void execute();
    void stop() { srs_->feed_.stop(); }

  private:
    // A pass over a section for some of the jobs.
    struct Step {
        int section;
        size_t first, count;
        bool last; // their results are complete
    };
    void pass(size_t i);
    void quotients(const Step& step);
    void enter(const Step& step);
    template <class S, class Fn>
    void pieces(S& x, Fn fn);
    void sums(const Step& step);
    uint8_t* image(size_t k) const { return lane_.work() + srs_->plan_.images[k % 2]; }

    std::shared_ptr<Srs> srs_;
    Lane& lane_;
    std::vector<Job*> jobs_;
    std::vector<Step> steps_;
    uint64_t before_;    // passes of earlier runs
    size_t brought_ = 0; // pieces of this pass that were started
};

} // namespace cuzk::prove
