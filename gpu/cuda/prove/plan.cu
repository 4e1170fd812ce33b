// The plan of a circuit's parameters on a device: candidates that fit (everything resident with shifted copies, or some
// sections in pieces), compared by the expected milliseconds of a partition's sums. Host arithmetic only.
#include "plan.hpp"

#include <optional>

#include "../ntt/domain.hpp"

namespace cuzk::prove {

namespace {

// Pieces of more positions than this gain nothing; sections whose sums are
// short want to start early.
constexpr size_t PIECE_MOST = size_t(1) << 25, PIECE_SELECTED = size_t(1) << 23;
// Sums over shorter pieces cost a tenth more and above: rather leave one more
// section off the device.
constexpr size_t PIECE_GOOD = size_t(1) << 22;
// A piece of this many positions can arrive during the transforms.
constexpr size_t PIECE_AHEAD = size_t(1) << 23;
constexpr unsigned SLOTS_MOST = 16;
// Copies leave this share of the device to fragments of memory and to others.
constexpr size_t SPARE = 48;
// What sums that run at the same time gain, about: they fill the waits of that over h, and the
// ends of its kernels, and their own.
constexpr double HOLES = 0.1, HIDDEN_MOST = 0.5;
// Work areas that are tried are at least this share of what is there.
constexpr size_t LEAST_WORK = 64;

template <class S>
using FieldOf = typename std::decay_t<S>::Field;

// Bytes a millisecond over the bus from locked memory, and from a file with points
// that are decoded; what small tables of twiddles cost a partition of 2^27. Measured
// on one H200 (PCIe 5 x16).
constexpr size_t RUN = 8; // partitions that share a pass, where so many witnesses may wait: a PoRep has ten
constexpr double BUS = 50e6, DECODED = 3.4e6, SMALL_TABLES_MS = 8;
// What a byte of host memory is worth: 46 GiB for the parameters of a PoRep, 12 ms.
constexpr double HOST_MS = 0.25e-9;

class Maker {
  public:
    Maker(Sections& s, const Means& m) : s_(s), m_(m) {}

    Plan make() {
        for (bool small : {false, true})
            if (resident(small)) offer({Candidate::RESIDENT, small, 0, 0, 0});
        for (size_t least : {PIECE_GOOD, size_t(1)}) {
            for (int staying = CUZK_CUDA_SECTIONS - 1; staying >= 0; staying--) streaming(staying, least);
            if (best_) break; // shorter pieces are for devices that hold no longer ones
        }
        if (!best_ && host_ != ~size_t(0)) throw MemoryError(host_, m_.host, "host memory for parameters");
        if (!best_)
            throw MemoryError(std::max(least_, m_.device + 1), m_.device, "proving parameters: at least device memory");
        again(*best_);
        return p_;
    }

  private:
    // A way to make a plan.
    struct Candidate {
        enum How { RESIDENT, PIECES } how;
        bool small; // RESIDENT: tables
        int staying;
        size_t least, image;     // PIECES
        double ms = 0, cost = 0; // expected of the sums, and with what host memory is worth
    };
    // A new plan: nothing of one that was tried before is left.
    void begin() {
        p_ = Plan{};
        p_.vector = sizeof(Fr) << m_.log_domain;
    }
    // Compares the plan that was just made, by this way, with the best so far.
    void offer(Candidate c) {
        c.ms = p_.sums =
            sums_ms() + (p_.small_tables ? SMALL_TABLES_MS * (double)p_.vector / (double)(sizeof(Fr) << 27) : 0);
        s_.each([&](int, auto& x) { c.cost += x.home() == Home::DEVICE ? 0 : HOST_MS * (double)x.bytes(); });
        c.cost += c.ms;
        if (!best_ || c.cost < best_->cost) best_ = c;
    }
    // Makes the plan of a candidate once more.
    void again(const Candidate& c) {
        if (c.how == Candidate::RESIDENT)
            resident(c.small);
        else
            streaming(c.staying, c.least, c.image);
        p_.sums = c.ms;
    }
    // What the sums of a partition take with the present windows, pieces and areas.
    double sums_ms() {
        double h = 0, others = 0;
        s_.each([&](int i, auto& x) {
            const size_t share =
                i == CUZK_CUDA_H ? p_.quotients : std::min<size_t>(p_.witness_streamed ? 1 : p_.slots, RUN);
            (i == CUZK_CUDA_H ? h : others) += section_ms(x, (double)share);
        });
        return h + others - (p_.second_work > 0 ? std::min(others * HIDDEN_MOST, h * HOLES) : 0);
    }
    // A section's sums, or the share of a partition in its way to the device if that
    // takes longer; so many share it.
    template <class S>
    double section_ms(const S& x, double share) const {
        using F = FieldOf<S>;
        double ms = 0;
        for (const Piece& piece : x.pieces())
            ms += msm_ms<F>(piece.rest, x.windows(), x.multiply_work()) + select_ms<F>(piece.bits);
        if (x.home() == Home::DEVICE) return ms;
        return std::max(ms, (double)x.bytes() / (x.home() == Home::HOST ? BUS : DECODED) / share);
    }
    size_t fixed(size_t witnesses) const {
        return NttDomain::table_bytes(m_.log_domain, p_.small_tables) + witnesses * m_.witness + m_.staging;
    }
    void fit_all() {
        if (p_.h_sums_end() < p_.h_sums_begin()) throw MemoryError(p_.h_sums_begin(), p_.h_sums_end(), "work area");
        s_.h.fit(p_.h_sums_end() - p_.h_sums_begin());
        const size_t end = p_.second_work > 0 ? p_.second_work : p_.sums_end(), begin = p_.witness_end;
        if (end < begin) throw MemoryError(begin, end, "work area");
        s_.l.fit(end - begin), s_.a.fit(end - begin), s_.b1.fit(end - begin), s_.b2.fit(end - begin);
    }
    bool fits() {
        try {
            fit_all();
            return true;
        } catch (const MemoryError&) {
            return false;
        }
    }

    // --- everything on the device ---

    // Bytes of bases without copies: of those that are only selected, or of all.
    size_t bases_bytes(bool multiplied) {
        size_t n = 0;
        s_.each([&](int, auto& x) {
            n += (x.bits() + (multiplied ? x.bases() : 0)) * sizeof(typename std::decay_t<decltype(x)>::Point);
        });
        return n;
    }
    // Of those that are multiplied, with the copies chosen.
    size_t copies_bytes() {
        size_t n = 0;
        s_.each([&](int, auto& x) {
            n += x.bases() * x.windows().copies * sizeof(typename std::decay_t<decltype(x)>::Point);
        });
        return n;
    }
    // Bytes of the two work areas; the second may be 0.
    struct Areas {
        size_t work, second;
    };
    // Room of a section's multiplication.
    template <class S>
    size_t room(int section, S& x, const Areas& areas) const {
        const size_t taken = (section == CUZK_CUDA_H ? p_.vector : 0) + x.scratch_bytes();
        const size_t area = section == CUZK_CUDA_H || areas.second == 0 ? areas.work : areas.second;
        return area > taken ? area - taken : 0;
    }
    // The windows that cost least with these work areas and `left` for bases and
    // copies; what the sums take, negative if nothing fits.
    double choose_windows(const Areas& areas, size_t left) {
        std::vector<std::vector<Option<msm::Windows>>> lists;
        s_.each([&](int i, auto& x) {
            using F = FieldOf<decltype(x)>;
            x.stay(msm::Windows::make(4, 1));
            std::vector<Option<msm::Windows>> list;
            for (const auto& o : sum_plans<F>(x.bases(), room(i, x, areas), left))
                list.push_back({o.what.windows, o.bytes, o.cost});
            lists.push_back(std::move(list));
        });
        const std::vector<size_t> chosen = choose(lists, left);
        if (chosen.empty()) return -1;
        double h = 0, others = 0;
        s_.each([&](int i, auto& x) {
            const auto& o = lists[i][chosen[i]];
            x.stay(o.what), (i == CUZK_CUDA_H ? h : others) += o.cost;
        });
        return h + others - (areas.second > 0 ? std::min(others * HIDDEN_MOST, h * HOLES) : 0);
    }
    // Bytes of the areas that this plan's sums use of them, or transforms.
    Areas used_areas() {
        Areas used{3 * p_.vector, 0};
        s_.each([&](int i, auto& x) {
            size_t& area = i == CUZK_CUDA_H || p_.second_work == 0 ? used.work : used.second;
            area = std::max(area, x.work_bytes() + (i == CUZK_CUDA_H ? p_.vector : 0));
        });
        return {Arena::aligned(used.work), Arena::aligned(used.second)};
    }
    void set(const Areas& areas) { p_.work = areas.work, p_.second_work = areas.second; }
    // Takes the windows last chosen with areas of at most these sizes.
    bool take(const Areas& most) {
        set(most);
        if (!fits()) return false;
        set(used_areas());
        return fits();
    }
    // Larger areas mean larger chunks and more sets at a time, smaller ones more
    // copies. Where not all has room that costs less, sizes are tried.
    bool resident(bool small) {
        begin();
        p_.small_tables = small, p_.slots = m_.slots;
        const size_t own = fixed(p_.slots) + bases_bytes(false);
        if (fixed(p_.slots) + bases_bytes(true) + 3 * p_.vector > m_.device || bases_bytes(true) > m_.stay)
            return false;
        const size_t all = m_.device - own;
        const bool overlap = m_.overlap && m_.log_domain <= SMALL_DOMAIN;
        for (size_t spare : {m_.device / SPARE, size_t(0)}) {
            const size_t most = all > spare ? all - spare : 0;
            for (size_t second : {overlap ? most : 0, size_t(0)})
                if (choose_windows({most, second}, most) >= 0 && take({most, second}) &&
                    p_.work + p_.second_work + copies_bytes() <= most)
                    return true;
            Areas best{};
            double least = 0;
            auto attempt = [&](const Areas& areas) {
                const size_t both = areas.work + areas.second;
                const double ms = both > most ? -1 : choose_windows(areas, most - both);
                if (ms >= 0 && (best.work == 0 || ms < least)) best = areas, least = ms;
            };
            for (size_t work = most; work >= std::max(3 * p_.vector, most / LEAST_WORK); work -= work / 8) {
                attempt({work, 0});
                for (size_t part = 1; overlap && part <= 8; part *= 2) attempt({work, work / part});
            }
            if (best.work > 0 && choose_windows(best, most - best.work - best.second) >= 0 && take(best)) return true;
        }
        return false;
    }

    // --- some of it in pieces ---

    // Sections that go first stay first. The sum over h takes longer than h takes
    // to cross the bus, so h can come again and again; but not from a file.
    std::vector<int> order() {
        const int h = CUZK_CUDA_H, l = CUZK_CUDA_L, a = CUZK_CUDA_A, b1 = CUZK_CUDA_B1, b2 = CUZK_CUDA_B2;
        return m_.again && m_.host < s_.h.bytes() ? std::vector<int>{h, l, a, b2, b1}
                                                  : std::vector<int>{l, a, b2, b1, h};
    }
    // Splits what does not stay between host memory, h first, and the file; false if
    // points can be read only once and host memory is short.
    bool homes(const std::vector<int>& order, int staying, Home* home) {
        size_t left = m_.host, short_of = 0;
        for (int i = 0; i < CUZK_CUDA_SECTIONS; i++) home[i] = Home::DEVICE;
        std::vector<int> others(order.begin() + staying, order.end());
        std::stable_partition(others.begin(), others.end(), [](int i) { return i == CUZK_CUDA_H; });
        for (int i : others) {
            const size_t bytes =
                s_.with(i, [](auto& x) { return x.bytes() + x.bytes() / 1024 + 4096; }); // alignment of pieces
            home[i] = bytes <= left ? Home::HOST : Home::FILE;
            if (home[i] == Home::HOST)
                left -= bytes;
            else
                short_of += bytes;
        }
        if (short_of == 0 || m_.again) return true;
        host_ = std::min(host_, short_of + (m_.host - left));
        return false;
    }
    // Cuts sections into pieces of at most `image` bytes; false if that is less
    // than `least` positions.
    bool cut(const Home* home, size_t image, size_t least) {
        bool good = true;
        s_.each([&](int i, auto& x) {
            using F = FieldOf<decltype(x)>;
            if (home[i] == Home::DEVICE) return x.stay(msm::Windows::make(4, 1)); // fit chooses better ones
            const size_t part = std::max<size_t>(1, m_.part * sizeof(Fp) / sizeof(F));
            const size_t cap =
                std::min(x.rest() < x.length() / 4 ? PIECE_SELECTED : PIECE_MOST, m_.piece) * sizeof(Fp) / sizeof(F);
            const size_t points = image / sizeof(Affine<F>), room = points > 63 ? std::min(cap, points - 63) : 0;
            const size_t step = room >= x.length() ? (x.length() + part - 1) / part * part : room / part * part;
            if (step == 0 || step < std::min(std::min(least, m_.piece / 2) * sizeof(Fp) / sizeof(F), x.length()))
                good = false;
            x.come(std::max(step, part), home[i]);
        });
        return good;
    }
    bool lay_out(const Home* home, size_t image, size_t least) {
        if (2 * image + p_.vector > p_.work || !cut(home, image, least)) return false;
        place_images(image);
        p_.quotients = 1;
        if (home[CUZK_CUDA_H] == Home::FILE && !p_.witness_streamed && p_.images[1] >= 5 * p_.vector) {
            p_.quotients = std::min<size_t>((p_.images[1] - 3 * p_.vector) / p_.vector, p_.slots);
            if (fits()) return trim(image);
            p_.quotients = 1;
        }
        return fits() && trim(image);
    }
    void place_images(size_t image) {
        p_.images[0] = (p_.work - image) / Arena::ALIGN * Arena::ALIGN;
        p_.images[1] = (p_.images[0] - image) / Arena::ALIGN * Arena::ALIGN;
        p_.prefetched = p_.images[1] >= transforms() ? 2 : p_.images[0] >= transforms() ? 1 : 0;
    }
    // Leaves to other circuits what this plan does not use.
    bool trim(size_t image) {
        size_t end = std::max(transforms(),
                              p_.quotients > 1 ? p_.quotient(p_.quotients) : p_.h_sums_begin() + s_.h.work_bytes());
        s_.each([&](int i, auto& x) { end = std::max(end, i == CUZK_CUDA_H ? 0 : p_.witness_end + x.work_bytes()); });
        p_.work = std::min(p_.work, Arena::aligned(end) + 2 * Arena::aligned(image) + Arena::ALIGN);
        place_images(image);
        return fits();
    }
    // Offers every layout with so many sections on the device and pieces of at least
    // `least` positions, or makes the one with images of `only` bytes.
    void streaming(int staying, size_t least, size_t only = 0) {
        begin();
        p_.in_pieces = p_.small_tables = true;
        p_.witness_streamed = m_.witness > m_.kept;
        p_.slots = p_.witness_streamed
                       ? 2
                       : (unsigned)std::clamp<size_t>(m_.device / 16 / std::max<size_t>(m_.witness, 1), 1, SLOTS_MOST);
        p_.witness_end = p_.witness_streamed ? Arena::aligned(m_.witness) : 0;

        Home home[CUZK_CUDA_SECTIONS];
        const std::vector<int> order = this->order();
        if (!homes(order, staying, home)) return;
        size_t own = fixed(p_.witness_streamed ? 0 : p_.slots), stay = 0;
        for (int i = 0; i < staying; i++)
            stay += s_.with(order[i], [](auto& x) {
                return (x.bits() + x.bases()) * sizeof(typename std::decay_t<decltype(x)>::Point);
            });
        if (stay > m_.stay) return;
        own += stay;
        if (staying == 0) least_ = own + transforms();
        if (own + transforms() > m_.device) return;

        const size_t most = std::min(std::min(PIECE_MOST, m_.piece) * sizeof(G1) + 64 * sizeof(G2), longest(home)),
                     ahead = PIECE_AHEAD * sizeof(G1);
        const size_t area = (m_.device - own) / Arena::ALIGN * Arena::ALIGN, beyond = area - transforms();
        auto attempt = [&](size_t image) {
            p_.work = area;
            if (lay_out(home, image, least) && only == 0) offer({Candidate::PIECES, true, staying, least, image});
        };
        if (only > 0) return attempt(only);
        if (beyond >= std::min(ahead, most)) attempt(std::min(beyond, most));
        for (size_t image = std::min(most, area / 2); image >= std::min(most, 65 * sizeof(G2)); image = image / 8 * 6)
            attempt(image);
    }
    // Bytes of the work area that transforms take.
    size_t transforms() const {
        return p_.witness_streamed ? std::max(3 * p_.vector, 2 * p_.vector + m_.witness) : 3 * p_.vector;
    }
    // Bytes of the longest section that comes in pieces.
    size_t longest(const Home* home) {
        size_t n = 0;
        s_.each([&](int i, auto& x) {
            n = home[i] == Home::DEVICE
                    ? n
                    : std::max(n, x.bytes() + 64 * sizeof(typename std::decay_t<decltype(x)>::Point));
        });
        return n;
    }

    Sections& s_;
    const Means& m_;
    Plan p_;
    size_t least_ = 0, host_ = ~size_t(0); // bytes that would do, of the device and of host memory
    std::optional<Candidate> best_;
};

} // namespace

Plan Plan::make(Sections& s, const Means& m) { return Maker(s, m).make(); }

} // namespace cuzk::prove
