// Loading of parameters: points in the form of .params files (big-endian, uncompressed, 96 or 192 bytes) are decoded,
// checked to be canonical and on the curve, and put where the plan wants them; or made as multiples of a generator.
#include "srs.hpp"

#include <algorithm>
#include <cstring>

#include "../setup/encoding.cuh"
#include "job.hpp"

namespace cuzk::prove {

namespace {

Fr limbs(const uint64_t* v) {
    Fr x;
    std::memcpy(x.v, v, sizeof x.v);
    return x;
}

const char* const names[CUZK_CUDA_SECTIONS] = {"srs.h", "srs.l", "srs.a", "srs.b_g1", "srs.b_g2"};

} // namespace

Srs::Srs(std::shared_ptr<Device> d, std::shared_ptr<const Circuit> c, const cuzk_cuda_srs_options& o)
    : device_(std::move(d)),
      circuit_(std::move(c)),
      lane_(device_->lane(circuit_->log_domain())),
      sections_(*circuit_, lane_.compute()) {
    lane_.compute().wait();
    std::lock_guard<std::mutex> reserving(device_->reserving());
    std::lock_guard<FairMutex> hold(lane_.order());
    sections_.each([&](int i, auto& x) { given_[i].assign((x.length() + part(i) - 1) / part(i), false); });
    reserve(o);
}

Srs::~Srs() = default;

// Plans with what is free. Where an allocation fails all the same, because
// others use the card or memory is in fragments, plans again with less.
void Srs::reserve(const cuzk_cuda_srs_options& o) {
    const size_t bytes = part_bytes();
    size_t free = device_->budget() + lane_.work_bytes();
    if (o.device_limit > 0) free = std::min<size_t>(free, o.device_limit);
    // tables of generators, where points are made here
    const size_t loading = Staging::device_bytes(bytes, device_->buffers()) +
                           (o.again ? 0
                                    : setup::FixedBase<Fp>::bytes(length(CUZK_CUDA_L)) +
                                          setup::FixedBase<Fp2>::bytes(length(CUZK_CUDA_L)));
    const size_t before = device_->meter().used() - lane_.work_bytes();
    for (int attempt = 0;; attempt++) {
        const Means m{free,
                      (size_t)o.host_limit,
                      circuit_->slot_bytes(),
                      loading,
                      device_->part(),
                      device_->slots(),
                      circuit_->log_domain(),
                      o.stay_limit ? (size_t)o.stay_limit : ~size_t(0),
                      o.witness_limit ? (size_t)o.witness_limit : free / 32,
                      o.piece ? std::max<size_t>(o.piece, device_->part()) : ~size_t(0) / sizeof(G1) / 2,
                      o.again != 0,
                      o.one_stream == 0};
        plan_ = Plan::make(sections_, m);
        try {
            domain_ = lane_.domain(circuit_->log_domain(), plan_.small_tables);
            sections_.each([&](int, auto& x) { x.reserve(lane_.compute()); });
            staging_ = std::make_unique<Staging>(bytes, device_->buffers());
            lane_.grow(plan_.work, plan_.second_work, device_->copy());
            if (!plan_.witness_streamed) device_->uploads().prepare(circuit_->witness_bytes());
            break;
        } catch (const MemoryError&) {
            domain_.reset(), staging_.reset();
            sections_.each([&](int, auto& x) { x.release(); });
            if (attempt == 8) throw;
            free -= free / 8;
        }
    }
    const size_t witnesses = (plan_.witness_streamed ? 0 : plan_.slots) * circuit_->slot_bytes();
    device_bytes_ = device_->meter().used() - before - Staging::device_bytes(bytes, device_->buffers()) + witnesses;
}

size_t Srs::length(int section) {
    return sections_.with(section, [](auto& x) { return x.length(); });
}

size_t Srs::part(int section) { return section == CUZK_CUDA_B2 ? device_->part() / 2 : device_->part(); }

// Bytes of the longest part of any section.
size_t Srs::part_bytes() {
    size_t n = 0;
    sections_.each([&](int i, auto& x) {
        n = std::max(n, std::min(part(i), x.length()) * sizeof(typename std::decay_t<decltype(x)>::Point));
    });
    return n;
}

cuzk_cuda_placement Srs::placement() {
    cuzk_cuda_placement p{};
    p.device_bytes = device_bytes_;
    p.locked = 1, p.sketches = circuit_->given() > 0 && !plan_.witness_streamed;
    p.in_pieces = plan_.in_pieces, p.slots = plan_.slots, p.together = (uint32_t)plan_.quotients,
    p.beside = plan_.second_work > 0, p.urgent = lane_.urgent();
    sections_.each([&](int i, auto& x) {
        p.host_bytes += x.host_bytes();
        p.locked &= x.locked();
        p.home[i] = (int32_t)x.home();
        p.copies[i] = x.home() == Home::DEVICE ? (uint32_t)x.windows().copies : 0;
        p.pieces[i] = x.home() == Home::DEVICE ? 0 : (uint32_t)x.pieces().size();
    });
    return p;
}

// --- loading ---

Staging& Srs::staging() {
    std::lock_guard<std::mutex> hold(loading_);
    if (!staging_) throw ArgumentError("the parameters are complete");
    return *staging_;
}

cuzk_cuda_buffer Srs::take_buffer() {
    Staging& s = staging();
    const unsigned i = s.take();
    return {i, s.at(i).host.get(), part_bytes()};
}

void Srs::expect(int section, size_t first, size_t count) {
    const size_t n = length(section), step = part(section);
    if (first % step != 0 || first > n || count > n - first || (count % step != 0 && first + count != n))
        throw ArgumentError(std::string(names[section]) + ": points " + std::to_string(first) + " … " +
                            std::to_string(first + count) + " of " + std::to_string(n) + " are no parts");
}

// Notes that a part is there.
void Srs::mark(int section, size_t first, size_t count) {
    std::lock_guard<std::mutex> hold(loading_);
    if (finished_) throw ArgumentError("the parameters are complete");
    for (size_t at = first; at < first + count; at += part(section)) {
        std::vector<bool>::reference have = given_[section][at / part(section)];
        if (have) throw ArgumentError(std::string(names[section]) + ": a part is given twice");
        have = true;
    }
}

// Where points of a section go while they are loaded.
template <class F>
setup::Place<F> Srs::destination(Section<F>& x, Staging::Item& item, size_t first, size_t count) {
    if (x.home() == Home::DEVICE) return x.place();
    return x.place(x.range(first, count), reinterpret_cast<Affine<F>*>(item.image.get()));
}

// Brings them on, if that is not where they stay.
template <class F>
void Srs::deliver(Section<F>& x, Staging::Item& item, size_t first, size_t count) {
    if (x.home() == Home::HOST)
        x.keep(x.range(first, count), reinterpret_cast<Affine<F>*>(item.image.get()), device_->copy());
}

template <class F>
void Srs::queue_put(Section<F>& x, Staging::Item& item, setup::Place<F> place, size_t first, size_t count) {
    cudaStream_t s = device_->copy();
    *item.refused() = ~Refused(0);
    item.raw.upload(item.host.get(), count * setup::point_bytes<F>(), s);
    CUZK_CHECK(cudaMemsetAsync(item.bad, 0xff, sizeof(Refused), s));
    each(count, s, "decode", setup::Decode<F>{item.raw, first, place, item.bad});
    item.bad.download(item.refused(), 1, s);
    item.pending = true;
}

// The buffer comes back whatever happens.
void Srs::put(unsigned buffer, uint64_t pass, int section, size_t first, size_t count) {
    const Staging::Use back(staging(), buffer);
    Staging::Item& item = back.item();
    expect(section, first, count);
    if (count > part(section) || first == length(section)) throw ArgumentError("a buffer holds one part");
    item.section = section;
    if (pass == 0) mark(section, first, count);
    sections_.with(section, [&](auto& x) {
        using F = typename std::decay_t<decltype(x)>::Field;
        if (pass == 0) {
            queue_put<F>(x, item, destination<F>(x, item, first, count), first, count);
            deliver<F>(x, item, first, count);
            item.done.record(device_->copy());
            return;
        }
        if (x.home() != Home::FILE) throw ArgumentError("the section is not asked for");
        const size_t k = first / x.pieces()[0].count;
        const Piece& p = x.pieces()[k];
        if (!feed_.enter(pass, k)) throw Failure(CUZK_CUDA_STOPPED, "the run has ended");
        Affine<F>* image = reinterpret_cast<Affine<F>*>(lane_.work() + plan_.images[k % 2]);
        feed_.used(k).before(device_->copy());
        if (first == p.first) x.align(p, image, device_->copy());
        queue_put<F>(x, item, x.place(p, image), first, count);
        item.done.record(device_->copy());
        feed_.filled(k, count, device_->copy());
    });
}

template <class F>
const setup::FixedBase<F>& Srs::fixed(std::unique_ptr<setup::FixedBase<F>>& base, const uint64_t* generator) {
    std::lock_guard<std::mutex> hold(loading_);
    Affine<F> g;
    std::memcpy(static_cast<void*>(&g), generator, sizeof g);
    if (!on_curve(g)) throw ArgumentError("the generator is not on the curve");
    if (!base || !(base->generator() == g))
        base = std::make_unique<setup::FixedBase<F>>(g, length(CUZK_CUDA_L), device_->copy());
    return *base;
}

void Srs::generate(int section, size_t first, size_t count, const uint64_t* generator, const uint64_t* scalars,
                   const uint64_t* start, const uint64_t* ratio) {
    expect(section, first, count);
    mark(section, first, count);
    setup::Scalars from{nullptr, Fr::zero(), Fr::zero()};
    if (scalars == nullptr) from.first = limbs(start), from.ratio = limbs(ratio);
    sections_.with(section, [&](auto& x) {
        using F = typename std::decay_t<decltype(x)>::Field;
        if constexpr (std::is_same_v<F, Fp>)
            multiply<F>(x, fixed<F>(fixed1_, generator), section, first, count, from, scalars);
        else
            multiply<F>(x, fixed<F>(fixed2_, generator), section, first, count, from, scalars);
    });
}

template <class F>
void Srs::multiply(Section<F>& x, const setup::FixedBase<F>& base, int section, size_t first, size_t count,
                   setup::Scalars from, const uint64_t* scalars) {
    cudaStream_t s = device_->copy();
    for (size_t i = 0; i < count; i += part(section)) {
        const size_t n = std::min(part(section), count - i);
        const Staging::Use buffer(staging());
        Staging::Item& item = buffer.item();
        if (scalars) {
            std::memcpy(item.host.get(), scalars + 4 * i, n * sizeof(Fr));
            item.raw.upload(item.host.get(), n * sizeof(Fr), s);
            from.array = reinterpret_cast<const Fr*>(item.raw.get());
        }
        *item.refused() = ~Refused(0);
        item.pending = true;
        base.multiply(from, first + i, n, destination<F>(x, item, first + i, n), s);
        deliver<F>(x, item, first + i, n);
        item.done.record(s);
    }
}

void Srs::get(int section, size_t first, size_t count, uint8_t* encoded) {
    const size_t n = length(section);
    if (finished_ || first > n || count > n - first)
        throw ArgumentError("no such points, or the parameters are complete");
    for (size_t at = 0; at < count; at += part(section))
        sections_.with(section, [&](auto& x) {
            using F = typename std::decay_t<decltype(x)>::Field;
            read<F>(x, first + at, std::min(part(section), count - at), encoded + at * setup::point_bytes<F>());
        });
}

template <class F>
void Srs::read(Section<F>& x, size_t first, size_t count, uint8_t* encoded) {
    if (x.home() == Home::FILE) throw ArgumentError("the section is in the file");
    if (x.home() == Home::HOST) {
        device_->copy().wait();
        for (size_t i = 0; i < count; i++)
            setup::encode_point<F>(encoded + i * setup::point_bytes<F>(), *x.kept(first + i));
        return;
    }
    const Staging::Use buffer(staging());
    Staging::Item& item = buffer.item();
    const size_t bytes = count * setup::point_bytes<F>();
    each(count, device_->copy(), "encode", setup::Encode<F>{item.raw, first, x.place()});
    item.raw.download(item.host.get(), bytes, device_->copy());
    item.done.record(device_->copy());
    item.done.wait();
    std::memcpy(encoded, item.host.get(), bytes);
}

void Srs::finish() {
    if (finished_) throw ArgumentError("the parameters are complete");
    for (int i = 0; i < CUZK_CUDA_SECTIONS; i++)
        for (size_t k = 0; k < given_[i].size(); k++)
            if (!given_[i][k])
                throw ArgumentError(std::string(names[i]) + ": points from " + std::to_string(k * part(i)) +
                                    " on are missing");
    staging().drain();
    device_->copy().wait();
    bool file = false;
    sections_.each([&](int, auto& x) {
        x.finish(lane_.compute());
        file = file || x.home() == Home::FILE;
    });
    lane_.compute().wait();
    std::lock_guard<std::mutex> hold(loading_);
    if (!file) staging_.reset();
    fixed1_.reset(), fixed2_.reset();
    finished_ = true;
}

} // namespace cuzk::prove
