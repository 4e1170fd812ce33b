// Tests and benchmarks of the device library: one binary, JSON lines out.
//
//	gpu_test [--seed N] [--commit C] [--vectors gnark.bin] [--small] COMMAND…
//	commands: field ntt msm reduction setup rows bench-rows bench-field bench-ntt=FROM:TO bench-msm=LOG:COPIES:WINDOW
//
// --small leaves out large sizes, for compute-sanitizer.
#include <cstring>

#include "harness.hpp"

using namespace cuzk;
using namespace cuzk::test;

static void describe(Report& rep) {
    int n = 0, version = 0;
    rep.device = "none", rep.driver = "none";
    if (cudaGetDeviceCount(&n) == cudaSuccess && n > 0) {
        cudaDeviceProp p;
        CUZK_CHECK(cudaGetDeviceProperties(&p, 0));
        CUZK_CHECK(cudaDriverGetVersion(&version));
        rep.device = p.name;
        rep.driver = std::to_string(version);
        if (FILE* f = fopen("/proc/driver/nvidia/version", "r")) {
            char line[256] = {0};
            if (fgets(line, sizeof line, f))
                for (char* w = strtok(line, " \t\n"); w; w = strtok(nullptr, " \t\n"))
                    if (strchr(w, '.') && w[0] >= '1' && w[0] <= '9') {
                        rep.driver = w;
                        break;
                    }
            fclose(f);
        }
    }
    cudaGetLastError();
    char date[32];
    time_t now = time(nullptr);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    rep.date = date;
}

static void command(Report& rep, Rng& rng, const char* c, const std::string& vectors) {
    int a = 0, b = 0, w = 0;
    if (!strcmp(c, "field"))
        field_tests(rep, rng, vectors);
    else if (!strcmp(c, "ntt"))
        ntt_tests(rep, rng);
    else if (!strcmp(c, "rows"))
        rows_tests(rep, rng);
    else if (!strcmp(c, "bench-rows"))
        rows_bench(rep);
    else if (!strcmp(c, "bench-field"))
        field_bench(rep);
    else if (sscanf(c, "bench-ntt=%d:%d", &a, &b) == 2)
        ntt_bench(rep, a, b);
    else if (!strcmp(c, "msm"))
        msm_tests(rep, rng);
    else if (!strcmp(c, "reduction"))
        reduction_tests(rep, rng);
    else if (sscanf(c, "bench-reduction=%d:%d", &a, &b) == 2)
        reduction_bench(rep, a, b, false);
    else if (sscanf(c, "bench-reduction2=%d:%d", &a, &b) == 2)
        reduction_bench(rep, a, b, true);
    else if (!strcmp(c, "setup"))
        setup_tests(rep, rng);
    else if (sscanf(c, "bench-setup=%d", &a) == 1)
        setup_bench(rep, a, false);
    else if (sscanf(c, "bench-setup2=%d", &a) == 1)
        setup_bench(rep, a, true);
    else if (sscanf(c, "bench-msm=%d:%d:%d", &a, &b, &w) == 3)
        msm_bench(rep, a, b, w, false);
    else if (sscanf(c, "bench-msm2=%d:%d:%d", &a, &b, &w) == 3)
        msm_bench(rep, a, b, w, true);
    else if (sscanf(c, "bench-sum=%d", &a) == 1)
        sum_bench(rep, a, false);
    else if (sscanf(c, "bench-sum2=%d", &a) == 1)
        sum_bench(rep, a, true);

    else
        rep.check(false, "unknown command %s", c);
}

int main(int argc, char** argv) {
    Report rep;
    Rng rng{(uint64_t)time(nullptr)};
    std::string vectors = "gpu/cuda/test/gnark.bin";
    describe(rep);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            rng.s = strtoull(argv[++i], nullptr, 0);
        else if (!strcmp(argv[i], "--commit") && i + 1 < argc)
            rep.commit = argv[++i];
        else if (!strcmp(argv[i], "--vectors") && i + 1 < argc)
            vectors = argv[++i];
        else if (!strcmp(argv[i], "--small"))
            rep.small = true;
        else {
            printf("# %s seed=%llu\n", argv[i], (unsigned long long)rng.s);
            fflush(stdout);
            try {
                command(rep, rng, argv[i], vectors);
            } catch (const std::exception& e) {
                rep.check(false, "%s: %s", argv[i], e.what());
                cudaGetLastError();
            }
        }
    }
    printf("%d passed, %d failed\n", rep.passed, rep.failed);
    return rep.failed ? 1 : 0;
}
