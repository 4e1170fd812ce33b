// What every device test shares: a printed seed, counted checks, JSON lines.
#pragma once
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "../ec/curve.cuh"
#include "../ff/fr.cuh"
#include "../util/device.cuh"

namespace cuzk {
namespace test {

struct Rng {
    uint64_t s;
    uint64_t next() { // splitmix64
        uint64_t z = (s += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    template <class F>
    F field() { // uniform enough: random limbs, top bits cleared, reduced
        F f;
        for (int i = 0; i < F::N; i++) f.v[i] = (uint32_t)next();
        f.v[F::N - 1] &= F::N == 12 ? 0x1fffffffu : 0x7fffffffu;
        f.reduce_once();
        return f;
    }
};

struct Report {
    int passed = 0, failed = 0;
    bool small = false; // only sizes that a memory checker ends soon
    std::string commit, date, device, driver;

    void check(bool ok, const char* fmt, ...) __attribute__((format(printf, 3, 4))) {
        (ok ? passed : failed)++;
        if (ok) return;
        va_list ap;
        va_start(ap, fmt);
        printf("FAIL ");
        vprintf(fmt, ap);
        printf("\n");
        va_end(ap);
        fflush(stdout);
    }
    // One measurement; `share` of the named ceiling when it is positive.
    void value(const std::string& name, double v, const char* unit, double share = 0) const {
        printf("{\"name\":\"%s\",\"value\":%.6g,\"unit\":\"%s\"", name.c_str(), v, unit);
        if (share > 0) printf(",\"ceiling_share\":%.3f", share);
        printf(",\"commit\":\"%s\",\"device\":\"%s\",\"driver\":\"%s\",\"date\":\"%s\"}\n", commit.c_str(),
               device.c_str(), driver.c_str(), date.c_str());
        fflush(stdout);
    }
};

// Median of `runs` timings in milliseconds after one warm-up.
template <class Work>
double median_ms(cudaStream_t s, int runs, Work work) {
    Event a, b;
    std::vector<double> t;
    for (int i = 0; i <= runs; i++) {
        a.record(s);
        work();
        b.record(s);
        double ms = b.since(a);
        if (i) t.push_back(ms);
    }
    for (size_t i = 1; i < t.size(); i++)
        for (size_t j = i; j > 0 && t[j] < t[j - 1]; j--) std::swap(t[j], t[j - 1]);
    return t[t.size() / 2];
}

void field_tests(Report&, Rng&, const std::string& vectors);
void ntt_tests(Report&, Rng&);
void msm_tests(Report&, Rng&);
void setup_tests(Report&, Rng&);
void setup_bench(Report&, int log_n, bool g2);
void reduction_tests(Report&, Rng&);
void rows_tests(Report&, Rng&);
void field_bench(Report&);
void rows_bench(Report&);
void ntt_bench(Report&, int from, int to);
void msm_bench(Report&, int log_n, int copies, int window, bool g2);
void sum_bench(Report&, int log_n, bool g2);
void reduction_bench(Report&, int bits, int group, bool g2);

} // namespace test
} // namespace cuzk
