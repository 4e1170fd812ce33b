// The extern "C" surface: handles, and every exception turned into an error.
#include <algorithm>
#include <cstring>
#include <memory>

#include "../prove/run.hpp"

using namespace cuzk;
using namespace cuzk::prove;

struct cuzk_cuda_device {
    std::shared_ptr<Device> device;
};
struct cuzk_cuda_circuit {
    std::shared_ptr<Device> device;
    std::shared_ptr<const Circuit> circuit;
};
struct cuzk_cuda_srs {
    std::shared_ptr<Srs> srs;
};
struct cuzk_cuda_job {
    std::unique_ptr<Job> job;
};
struct cuzk_cuda_run {
    std::unique_ptr<Run> run;
};

namespace {

template <size_t N>
void text(char (&to)[N], const std::string& from) {
    size_t n = std::min(from.size(), N - 1);
    std::memcpy(to, from.data(), n);
    to[n] = 0;
}

int32_t report(cuzk_cuda_error* err, const Failure& f, int device) {
    if (err == nullptr) return f.code;
    *err = cuzk_cuda_error{};
    err->code = f.code, err->cuda = f.cuda, err->device = device, err->reason = f.reason, err->section = f.section;
    err->needed = f.needed, err->available = f.available, err->index = f.index;
    text(err->stage, f.stage);
    text(err->message, f.what());
    return f.code;
}

// Runs fn without a device: CUDA errors here leave no device unusable.
template <class Fn>
int32_t guard(cuzk_cuda_error* err, const char* stage, int device, Fn fn) {
    Failure f(CUZK_CUDA_INTERNAL, "unknown exception");
    try {
        fn();
        if (err) *err = cuzk_cuda_error{}, err->device = device;
        return CUZK_CUDA_OK;
    } catch (const Failure& e) {
        f = e;
    } catch (const CudaError& e) {
        f = Failure(e.code == cudaErrorMemoryAllocation ? CUZK_CUDA_MEMORY : CUZK_CUDA_CALL, e.what());
        f.cuda = e.code;
        cudaGetLastError();
    } catch (const ArgumentError& e) {
        f = Failure(CUZK_CUDA_ARGUMENT, e.what());
    } catch (const std::bad_alloc&) {
        f = Failure(CUZK_CUDA_MEMORY, "host memory exhausted");
    } catch (const std::exception& e) {
        f = Failure(CUZK_CUDA_INTERNAL, e.what());
    } catch (...) {}
    if (f.stage.empty()) f.stage = stage;
    return report(err, f, device);
}

// Runs fn on a device.
template <class Fn>
int32_t guard(cuzk_cuda_error* err, const char* stage, Device& d, Fn fn) {
    return guard(err, stage, d.index(), [&] { d.at(stage, fn); });
}

int32_t missing(cuzk_cuda_error* err) { return report(err, Failure(CUZK_CUDA_ARGUMENT, "a pointer is NULL"), -1); }

// Why kernels of this build do not run on a device; empty if they do.
std::string unusable(int index, const cudaDeviceProp& p) {
    if (p.major < 8)
        return "compute capability " + std::to_string(p.major) + "." + std::to_string(p.minor) + ", 8.0 is the least";
    int mode = cudaComputeModeDefault;
    CUZK_CHECK(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, index));
    if (mode == cudaComputeModeProhibited) return "the compute mode is 'prohibited'";
    return "";
}

} // namespace

extern "C" {

uint32_t cuzk_cuda_abi(void) { return CUZK_CUDA_ABI; }

int32_t cuzk_cuda_count(int32_t* count, cuzk_cuda_error* err) {
    if (count == nullptr) return missing(err);
    *count = 0;
    return guard(err, "devices", -1, [&] {
        int n = 0;
        cudaError_t c = cudaGetDeviceCount(&n);
        if (c == cudaErrorNoDevice) cudaGetLastError(), c = cudaSuccess, n = 0;
        check(c, "cudaGetDeviceCount");
        *count = n;
    });
}

int32_t cuzk_cuda_describe(int32_t index, cuzk_cuda_info* out, cuzk_cuda_error* err) {
    if (out == nullptr) return missing(err);
    *out = cuzk_cuda_info{};
    return guard(err, "devices", index, [&] {
        cudaDeviceProp p;
        CUZK_CHECK(cudaGetDeviceProperties(&p, index));
        text(out->name, p.name);
        std::memcpy(out->uuid, p.uuid.bytes, sizeof out->uuid);
        out->major = p.major, out->minor = p.minor, out->multiprocessors = p.multiProcessorCount;
        out->memory = p.totalGlobalMem;
        CUZK_CHECK(cudaDriverGetVersion(&out->driver));
        CUZK_CHECK(cudaRuntimeGetVersion(&out->runtime));
        text(out->reason, unusable(index, p));
        if (out->reason[0] != 0) return;
        size_t free = 0, total = 0;
        cudaError_t c = cudaSetDevice(index);
        if (c == cudaSuccess) c = cudaMemGetInfo(&free, &total);
        if (c != cudaSuccess) return text(out->reason, std::string("cannot be opened: ") + cudaGetErrorString(c));
        out->available = free;
        out->usable = 1;
    });
}

int32_t cuzk_cuda_open(const cuzk_cuda_options* o, cuzk_cuda_device** out, cuzk_cuda_error* err) {
    if (o == nullptr || out == nullptr) return missing(err);
    *out = nullptr;
    return guard(err, "open", o->index, [&] { *out = new cuzk_cuda_device{std::make_shared<Device>(*o)}; });
}

void cuzk_cuda_close(cuzk_cuda_device* d) { delete d; }

int32_t cuzk_cuda_memory(cuzk_cuda_device* d, uint64_t* used, uint64_t* peak, uint64_t* available,
                         cuzk_cuda_error* err) {
    if (d == nullptr || used == nullptr || peak == nullptr || available == nullptr) return missing(err);
    return guard(err, "memory", *d->device, [&] {
        *used = d->device->meter().used();
        *peak = d->device->meter().peak();
        *available = d->device->available();
    });
}

int32_t cuzk_cuda_circuit_create(cuzk_cuda_device* d, const cuzk_cuda_circuit_info* info, cuzk_cuda_circuit** out,
                                 cuzk_cuda_error* err) {
    if (d == nullptr || info == nullptr || out == nullptr) return missing(err);
    *out = nullptr;
    return guard(err, "circuit", *d->device, [&] {
        *out = new cuzk_cuda_circuit{d->device, std::make_shared<const Circuit>(*info, d->device->copy())};
    });
}

void cuzk_cuda_circuit_free(cuzk_cuda_circuit* c) { delete c; }

int32_t cuzk_cuda_srs_create(cuzk_cuda_circuit* c, const cuzk_cuda_srs_options* o, cuzk_cuda_srs** out,
                             cuzk_cuda_error* err) {
    if (c == nullptr || o == nullptr || out == nullptr) return missing(err);
    *out = nullptr;
    return guard(err, "srs", *c->device,
                 [&] { *out = new cuzk_cuda_srs{std::make_shared<Srs>(c->device, c->circuit, *o)}; });
}

int32_t cuzk_cuda_srs_placement(cuzk_cuda_srs* s, cuzk_cuda_placement* out, cuzk_cuda_error* err) {
    if (s == nullptr || out == nullptr) return missing(err);
    return guard(err, "srs", s->srs->device(), [&] { *out = s->srs->placement(); });
}

int32_t cuzk_cuda_srs_take(cuzk_cuda_srs* s, cuzk_cuda_buffer* out, cuzk_cuda_error* err) {
    if (s == nullptr || out == nullptr) return missing(err);
    return guard(err, "srs", s->srs->device(), [&] { *out = s->srs->take_buffer(); });
}

void cuzk_cuda_srs_give(cuzk_cuda_srs* s, uint32_t buffer) {
    if (s == nullptr) return;
    guard(nullptr, "srs", s->srs->device().index(), [&] { s->srs->give_buffer(buffer); });
}

int32_t cuzk_cuda_srs_put(cuzk_cuda_srs* s, uint32_t buffer, uint64_t pass, int32_t section, uint64_t first,
                          uint64_t count, cuzk_cuda_error* err) {
    if (s == nullptr) return missing(err);
    return guard(err, "srs", s->srs->device(), [&] { s->srs->put(buffer, pass, section, first, count); });
}

int32_t cuzk_cuda_srs_generate(cuzk_cuda_srs* s, int32_t section, uint64_t first, uint64_t count,
                               const uint64_t* generator, const uint64_t* scalars, const uint64_t* start,
                               const uint64_t* ratio, cuzk_cuda_error* err) {
    if (s == nullptr || generator == nullptr || (scalars == nullptr && (start == nullptr || ratio == nullptr)))
        return missing(err);
    return guard(err, "srs", s->srs->device(),
                 [&] { s->srs->generate(section, first, count, generator, scalars, start, ratio); });
}

int32_t cuzk_cuda_srs_finish(cuzk_cuda_srs* s, cuzk_cuda_error* err) {
    if (s == nullptr) return missing(err);
    return guard(err, "srs", s->srs->device(), [&] { s->srs->finish(); });
}

int32_t cuzk_cuda_srs_get(cuzk_cuda_srs* s, int32_t section, uint64_t first, uint64_t count, uint8_t* encoded,
                          cuzk_cuda_error* err) {
    if (s == nullptr || encoded == nullptr) return missing(err);
    return guard(err, "srs", s->srs->device(), [&] { s->srs->get(section, first, count, encoded); });
}

void cuzk_cuda_srs_free(cuzk_cuda_srs* s) { delete s; }

int32_t cuzk_cuda_job_create(cuzk_cuda_srs* s, cuzk_cuda_job** out, cuzk_cuda_error* err) {
    if (s == nullptr || out == nullptr) return missing(err);
    *out = nullptr;
    return guard(err, "witness", s->srs->device(), [&] { *out = new cuzk_cuda_job{s->srs->job()}; });
}

int32_t cuzk_cuda_fill(cuzk_cuda_job* j, int32_t part, uint64_t first, const uint64_t* from, uint64_t count,
                       cuzk_cuda_error* err) {
    if (j == nullptr || (from == nullptr && count > 0)) return missing(err);
    return guard(err, "upload", j->job->srs().device(), [&] { j->job->fill(part, first, from, count); });
}

int32_t cuzk_cuda_start(cuzk_cuda_job* j, cuzk_cuda_error* err) {
    if (j == nullptr) return missing(err);
    return guard(err, "start", j->job->srs().device(), [&] { j->job->start(); });
}

int32_t cuzk_cuda_wait(cuzk_cuda_job* j, cuzk_cuda_result* out, cuzk_cuda_error* err) {
    if (j == nullptr || out == nullptr) return missing(err);
    *out = cuzk_cuda_result{};
    return guard(err, "wait", j->job->srs().device(), [&] { j->job->wait(*out); });
}

int32_t cuzk_cuda_pauses(cuzk_cuda_job* j, cuzk_cuda_pause* out, uint32_t capacity, uint32_t* count,
                         cuzk_cuda_error* err) {
    if (j == nullptr || (out == nullptr && capacity > 0) || count == nullptr) return missing(err);
    *count = 0;
    return guard(err, "wait", j->job->srs().device(), [&] {
        j->job->pauses([&](int stage, double from, double to) {
            if (*count < capacity) out[*count] = {stage, {from, to}};
            ++*count;
        });
    });
}

void cuzk_cuda_release(cuzk_cuda_job* j) { delete j; }

int32_t cuzk_cuda_run_create(cuzk_cuda_srs* s, cuzk_cuda_job* const* jobs, uint32_t num_jobs, cuzk_cuda_run** out,
                             uint64_t* passes, int32_t* sections, uint32_t* count, cuzk_cuda_error* err) {
    if (s == nullptr || (jobs == nullptr && num_jobs > 0) || out == nullptr || passes == nullptr ||
        sections == nullptr || count == nullptr)
        return missing(err);
    *out = nullptr, *count = 0;
    return guard(err, "run", s->srs->device(), [&] {
        std::vector<Job*> all;
        for (uint32_t i = 0; i < num_jobs; i++) {
            if (jobs[i] == nullptr) throw ArgumentError("a job is NULL");
            all.push_back(jobs[i]->job.get());
        }
        auto run = std::make_unique<Run>(s->srs, all);
        const auto wanted = run->wanted();
        if (wanted.size() > CUZK_CUDA_PASSES) throw ArgumentError("too many jobs for one run");
        for (const auto& w : wanted) passes[*count] = w.first, sections[(*count)++] = w.second;
        *out = new cuzk_cuda_run{std::move(run)};
    });
}

int32_t cuzk_cuda_run_execute(cuzk_cuda_run* r, cuzk_cuda_error* err) {
    if (r == nullptr) return missing(err);
    return guard(err, "run", r->run->srs().device(), [&] { r->run->execute(); });
}

void cuzk_cuda_run_stop(cuzk_cuda_run* r) {
    if (r) r->run->stop();
}

void cuzk_cuda_run_free(cuzk_cuda_run* r) { delete r; }

} // extern "C"
