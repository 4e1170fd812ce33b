#include "srs.hpp"

#include <algorithm>
#include <cstring>

#include "../setup/decode.cuh"
#include "job.hpp"

namespace cuzk::prove {

namespace {

// Bytes of points that cross the bus in one piece while parameters are loaded.
constexpr size_t PIECE = size_t(64) << 20;

Fr limbs(const uint64_t* v) {
    Fr x;
    std::memcpy(x.v, v, sizeof x.v);
    return x;
}

const char* const names[CUZK_CUDA_SECTIONS] = {"srs.h", "srs.l", "srs.a", "srs.b_g1", "srs.b_g2"};

}  // namespace

Srs::Srs(std::shared_ptr<Device> d, std::shared_ptr<const Circuit> c)
    : device_(std::move(d)), circuit_(std::move(c)), domain_(device_->domain(circuit_->log_domain())),
      h_bases_(size_t(1) << circuit_->log_domain()), l_(circuit_->l(), device_->compute()),
      a_(circuit_->a(), device_->compute()), b1_(circuit_->b(), device_->compute()), b2_(circuit_->b(), device_->compute()) {
    // The last coefficient of h is zero: its base is the identity.
    CUZK_CHECK(cudaMemsetAsync(h_bases_.get() + h_bases_.size() - 1, 0, sizeof(G1), device_->compute()));
    device_->compute().wait();
}

Srs::~Srs() = default;

size_t Srs::length(int section) const {
    switch (section) {
        case CUZK_CUDA_H: return (size_t(1) << circuit_->log_domain()) - 1;
        case CUZK_CUDA_L: return l_.length();
        case CUZK_CUDA_A: return a_.length();
        case CUZK_CUDA_B1: return b1_.length();
        case CUZK_CUDA_B2: return b2_.length();
        default: throw ArgumentError("no such section");
    }
}

void Srs::expect(int section, size_t first, size_t count) const {
    if (finished_) throw ArgumentError("the parameters are complete");
    if (first != given_[section] || count > length(section) - first)
        throw ArgumentError(std::string(names[section]) + ": points " + std::to_string(first) + " … " + std::to_string(first + count) +
                            " given, next is " + std::to_string(given_[section]) + " of " + std::to_string(length(section)));
}

// Calls fn with where a section's points go.
template <class Fn>
void Srs::with_place(int section, Fn fn) {
    switch (section) {
        case CUZK_CUDA_H: return fn(setup::Reversed<Fp>{h_bases_, circuit_->log_domain()});
        case CUZK_CUDA_L: return fn(l_.place());
        case CUZK_CUDA_A: return fn(a_.place());
        case CUZK_CUDA_B1: return fn(b1_.place());
        default: return fn(b2_.place());
    }
}

void Srs::put(int section, size_t first, size_t count, const uint8_t* points) {
    length(section);
    expect(section, first, count);
    with_place(section, [&](auto place) {
        using F = std::decay_t<decltype(place.at(0)->x)>;
        const size_t size = setup::point_bytes<F>(), piece = PIECE / size;
        for (size_t i = 0; i < count; i += piece) decode<F>(place, first + i, std::min(piece, count - i), points + i * size);
    });
    given_[section] += count;
}

template <class F, class Place>
void Srs::decode(Place place, size_t first, size_t count, const uint8_t* points) {
    cudaStream_t s = device_->copy();
    const size_t bytes = count * setup::point_bytes<F>();
    if (staging_.size() == 0) staging_ = Buffer<uint8_t>(PIECE + sizeof(unsigned long long));
    auto* bad = reinterpret_cast<unsigned long long*>(staging_.get() + PIECE);
    unsigned long long found = ~0ull;
    CUZK_CHECK(cudaMemsetAsync(bad, 0xff, sizeof found, s));
    staging_.upload(points, bytes, s);
    each(count, s, "decode", setup::Decode<F, Place>{staging_, first, place, bad});
    CUZK_CHECK(cudaMemcpyAsync(&found, bad, sizeof found, cudaMemcpyDeviceToHost, s));
    device_->copy().wait();
    if (found == ~0ull) return;
    Failure f(CUZK_CUDA_POINT, "a point was refused");
    f.index = found / 8, f.reason = (int)(found % 8);
    throw f;
}

template <class F>
const setup::FixedBase<F>& Srs::fixed(std::unique_ptr<setup::FixedBase<F>>& base, const uint64_t* generator) {
    Affine<F> g;
    std::memcpy(static_cast<void*>(&g), generator, sizeof g);
    if (!on_curve(g)) throw ArgumentError("the generator is not on the curve");
    if (!base || !(base->generator() == g)) base = std::make_unique<setup::FixedBase<F>>(g, length(CUZK_CUDA_L), device_->copy());
    return *base;
}

void Srs::generate(int section, size_t first, size_t count, const uint64_t* generator, const uint64_t* scalars,
                   const uint64_t* start, const uint64_t* ratio) {
    length(section);
    expect(section, first, count);
    setup::Scalars from{nullptr, Fr::zero(), Fr::zero()};
    if (scalars == nullptr) from.first = limbs(start), from.ratio = limbs(ratio);
    with_place(section, [&](auto place) {
        using F = std::decay_t<decltype(place.at(0)->x)>;
        if constexpr (std::is_same_v<F, Fp>)
            multiply<F>(fixed<F>(fixed1_, generator), place, first, count, from, scalars);
        else
            multiply<F>(fixed<F>(fixed2_, generator), place, first, count, from, scalars);
    });
    given_[section] += count;
}

template <class F, class Place>
void Srs::multiply(const setup::FixedBase<F>& base, Place place, size_t first, size_t count, const setup::Scalars& from,
                   const uint64_t* scalars) {
    cudaStream_t s = device_->copy();
    const size_t piece = scalars ? PIECE / sizeof(Fr) : count;
    if (scalars && staging_.size() == 0) staging_ = Buffer<uint8_t>(PIECE + sizeof(unsigned long long));
    for (size_t i = 0; i < count; i += piece) {
        const size_t n = std::min(piece, count - i);
        setup::Scalars here = from;
        if (scalars) {
            CUZK_CHECK(cudaMemcpyAsync(staging_.get(), scalars + 4 * i, n * sizeof(Fr), cudaMemcpyHostToDevice, s));
            here.array = reinterpret_cast<const Fr*>(staging_.get());
        }
        each(n, s, "multiply", setup::Multiply<F, Place>{base.table(), here, first + i, place});
    }
    device_->copy().wait();
}

void Srs::get(int section, size_t position, uint64_t* point) {
    if (finished_ || position >= length(section)) throw ArgumentError("no such point, or the parameters are complete");
    with_place(section, [&](auto place) {
        using F = std::decay_t<decltype(place.at(0)->x)>;
        Buffer<Affine<F>> one(1);
        each(1, device_->copy(), "pick", setup::Pick<F, decltype(place)>{place, position, one});
        one.download(reinterpret_cast<Affine<F>*>(point), 1, device_->copy());
        device_->copy().wait();
    });
}

void Srs::finish() {
    if (finished_) throw ArgumentError("the parameters are complete");
    for (int i = 0; i < CUZK_CUDA_SECTIONS; i++)
        if (given_[i] != length(i)) expect(i, length(i), 1);
    staging_ = Buffer<uint8_t>(), fixed1_.reset(), fixed2_.reset();
    std::lock_guard<std::mutex> hold(device_->order());
    prepare(spare());
    device_->work(work_bytes());
    device_->compute().wait();
    finished_ = true;
}

// Bytes that shifted copies may take beside what proving needs anyway: the work
// area, the witnesses, the levels of the sums, and the largest section while it
// moves.
size_t Srs::spare() const {
    const size_t n = size_t(1) << circuit_->log_domain(), left = device_->available();
    const size_t levels = std::min(n, MSM_CHUNK) * sizeof(G2);
    const size_t work = 3 * n * sizeof(Fr) > device_->work_bytes() ? 3 * n * sizeof(Fr) - device_->work_bytes() : 0;
    const size_t moving = std::max({h_bases_.bytes(), l_.bit_bytes(), l_.rest_bytes(), a_.bit_bytes(), a_.rest_bytes(),
                                    b2_.bit_bytes(), b2_.rest_bytes()});
    const size_t reserve = work + device_->slots() * circuit_->witness_bytes() + levels + moving;
    return left > reserve ? left - reserve : 0;
}

void Srs::prepare(size_t spare) {
    const Stream& s = device_->compute();
    const double bases = (double)(h_bases_.bytes() + l_.rest_bytes() + a_.rest_bytes() + b1_.rest_bytes() + b2_.rest_bytes());
    auto share = [&](size_t bytes) { return bytes + (size_t)((double)spare * (double)bytes / bases); };
    h_ = make_bases(h_bases_, share(h_bases_.bytes()), s);
    b2_.finish(share(b2_.rest_bytes()), s);
    a_.finish(share(a_.rest_bytes()), s);
    l_.finish(share(l_.rest_bytes()), s);
    b1_.finish(share(b1_.rest_bytes()), s);
    Need g1, g2;
    g1.add(h_->size(), h_->windows());
    for (const Section<Fp>* x : {&l_, &a_, &b1_}) x->need(g1);
    b2_.need(g2);
    sums1_ = std::make_unique<MsmWorkspace<Fp>>(g1.entries, g1.buckets, MSM_CHUNK);
    sums2_ = std::make_unique<MsmWorkspace<Fp2>>(g2.entries, g2.buckets, MSM_CHUNK / 2);
}

size_t Srs::work_bytes() const {
    size_t most = 3 * sizeof(Fr) << circuit_->log_domain();
    for (const Section<Fp>* x : {&l_, &a_, &b1_}) most = std::max(most, x->work_bytes());
    return std::max(most, b2_.work_bytes());
}

}  // namespace cuzk::prove
