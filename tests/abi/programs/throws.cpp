// A C++ host's callback may fail: it catches, cancels, and throws again behind
// the call. An exception that leaves the callback itself ends in std::terminate,
// as one that leaves a noexcept function does; nothing is torn in silence.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

#include "cuzk.h"

#define CHECK(condition)                                                                 \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                                \
        }                                                                                \
    } while (0)

namespace
{

// A host's own exception on its way around the library.
struct around {
    std::exception_ptr thrown;
    int calls = 0;
};

int32_t careful(const cuzk_progress *, void *payload)
{
    around *a = static_cast<around *>(payload);
    try {
        if (++a->calls == 2)
            throw std::runtime_error("disk full");
    } catch (...) {
        a->thrown = std::current_exception();
        return 1;
    }
    return 0;
}

int32_t careless(const cuzk_progress *, void *)
{
    throw std::runtime_error("from the callback");
}

cuzk_status make_params(cuzk_engine *engine, const char *dir, cuzk_progress_fn fn, void *payload)
{
    cuzk_params_options params = CUZK_PARAMS_OPTIONS_INIT;
    params.kind = CUZK_KIND_POREP;
    params.sector_size = 2048;
    params.dir = dir;
    return cuzk_params_make(engine, &params, fn, payload, nullptr);
}

constexpr int terminated = 42;

// In a process of its own.
void careless_host(const char *dir)
{
    std::set_terminate([] { _exit(terminated); });
    cuzk_engine *engine = nullptr;
    CHECK(cuzk_init(nullptr, &engine, nullptr) == CUZK_OK);
    make_params(engine, dir, careless, nullptr);
    CHECK(!"the exception was swallowed");
}

} // namespace

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    if (std::strcmp(argv[1], "careless") == 0)
        careless_host(argv[2]);
    char dir[] = "/tmp/cuzk-throws-XXXXXX";
    CHECK(mkdtemp(dir) != nullptr);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", argv[0], "careless", dir, static_cast<char *>(nullptr));
        _exit(1);
    }
    int result = 0;
    CHECK(waitpid(child, &result, 0) == child);
    CHECK(WIFEXITED(result) && WEXITSTATUS(result) == terminated);

    cuzk_engine *engine = nullptr;
    CHECK(cuzk_init(nullptr, &engine, nullptr) == CUZK_OK);
    around a;
    CHECK(make_params(engine, dir, careful, &a) == CUZK_ERR_CANCELLED);
    bool caught = false;
    try {
        std::rethrow_exception(a.thrown);
    } catch (const std::runtime_error &e) {
        caught = std::strcmp(e.what(), "disk full") == 0;
    }
    CHECK(caught);
    a.calls = 2; // never throws
    cuzk_job *job = nullptr;
    cuzk_porep_request request = CUZK_POREP_REQUEST_INIT;
    request.c1_json = reinterpret_cast<const uint8_t *>("{}");
    request.c1_len = 2;
    CHECK(cuzk_submit_porep(engine, &request, &job, nullptr) == CUZK_OK);
    CHECK(cuzk_job_wait(job, -1, careful, &a, nullptr) == CUZK_ERR_INPUT_SYNTAX);
    cuzk_job_free(job);
    cuzk_free(engine);
    std::remove(dir);
    return 0;
}
