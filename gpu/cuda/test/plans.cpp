// Plans, checked on the CPU: that of a bucket reduction (msm/marginals.hpp) with integers for
// points, digits, the choice of options (prove/choice.hpp), and what the plan of a circuit's
// parameters becomes on cards of several sizes (prove/plan.hpp), which is printed
// as well. Nothing is allocated.
//
//	plans [seed]
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "../msm/digits.cuh"
#include "../msm/marginals.hpp"
#include "../ntt/domain.hpp"
#include "../prove/plan.hpp"

using namespace cuzk;
using namespace cuzk::prove;

static uint64_t state;
static uint32_t draw() { // splitmix64
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (uint32_t)(z ^ (z >> 31));
}

// choose against all combinations: fits, and costs no more than the best that
// fits into the budget less what rounding may take.
static int choices(int rounds) {
    int bad = 0;
    for (int k = 0; k < rounds; k++) {
        std::vector<std::vector<Option<int>>> lists(1 + draw() % 4);
        for (auto& list : lists) {
            for (int i = draw() % 6; i >= 0; i--) list.push_back({i, draw() % 100000, (double)(draw() % 1000)});
            list = worthwhile(list);
        }
        const size_t budget = draw() % 300000, rounding = (lists.size() + 1) * (budget / CHOICE_STEPS + 1);
        double best = -1;
        for (int at = 0, combinations = 6 * 6 * 6 * 6; at < combinations; at++) {
            size_t bytes = 0;
            double cost = 0;
            int rest = at;
            bool real = true;
            for (auto& list : lists) {
                real = real && rest % 6 < (int)list.size();
                if (!real) break;
                bytes += list[rest % 6].bytes, cost += list[rest % 6].cost, rest /= 6;
            }
            if (real && bytes + rounding <= budget && (best < 0 || cost < best)) best = cost;
        }
        const std::vector<size_t> got = choose(lists, budget);
        size_t bytes = 0;
        double cost = 0;
        for (size_t i = 0; i < got.size(); i++) bytes += lists[i][got[i]].bytes, cost += lists[i][got[i]].cost;
        bad += bytes > budget || (best >= 0 && (got.empty() || cost > best));
    }
    return bad;
}

// Bucket reduction by trees, with integers modulo 2^64 for points: the same cuts, levels
// and weights as reduce_by_trees takes.
static int marginals(int bits, int group, size_t sums, size_t parts) {
    const msm::MarginalCut cut = msm::MarginalCut::make(bits, group, sums, parts);
    if (cut.sets == 0) return 1;
    int bad = 0;
    for (int g = 0, n; g < group; g += n) {
        n = std::min(group - g, (int)cut.sets);
        std::vector<uint64_t> want(n), got(n);
        const uint32_t piece = 1u << (cut.p + cut.q);
        for (uint32_t k = 0; k < cut.pieces; k++) {
            const msm::MarginalTrees m{n * piece, cut.p, cut.q};
            std::vector<uint64_t> points(m.points);
            for (uint32_t i = 0; i < m.points; i++) {
                points[i] = draw() % 3 ? draw() : 0;
                want[i / piece] += points[i] * (k * piece + i % piece + 1);
            }
            for (int l = 0; l < m.levels(); l++) {
                points.resize(m.points + m.before(l));
                for (uint32_t i = 0, a, b; i < m.additions(l); i++) {
                    m.operands(l, i, &a, &b);
                    points.push_back(points.at(a) + points.at(b));
                }
            }
            bad += points.size() > m.points + sums + 32 * m.levels();
            for (uint32_t i = 0; i < m.sets() << m.p; i++)
                got[i >> m.p] += points.at(m.rows_at(m.q) + i) * ((k << m.p) + i % (1u << m.p)) << m.q;
            for (uint32_t i = 0; i < m.sets() << m.q; i++)
                got[i >> m.q] += points.at(m.columns_at(m.p) + i) * (i % (1u << m.q) + 1);
        }
        bad += got != want;
    }
    return bad;
}
static int all_marginals() {
    int bad = 0;
    for (int bits = 2; bits <= 14; bits++)
        for (int group : {1, 2, 3, 7})
            for (size_t sums : {size_t(8), size_t(64), size_t(1) << 12, size_t(1) << 20})
                for (size_t parts : {size_t(100), size_t(1) << 17})
                    if (msm::MarginalCut::make(bits, group, sums, parts).sets > 0)
                        bad += marginals(bits, group, sums, parts);
    return bad + marginals(2, 1, 8, 100) + marginals(14, 3, 1 << 12, 1 << 17) + marginals(14, 3, 1 << 16, 1 << 17);
}

// Digits of scalars in windows of both kinds: they make up the scalar, fit into
// the buckets of their sets, and the copies' windows begin where the copies do.
static int digits(int rounds) {
    int bad = 0;
    for (int k = 0; k < rounds; k++) {
        const int c = 10 + draw() % 17, windows = msm::Windows::make(c, 1).windows, copies = 1 + draw() % windows;
        for (const msm::Windows& w : {msm::Windows::make(c, copies), msm::Windows::narrow(c, copies)}) {
            Fr x = Fr::zero(), half = Fr::one().twice().inv(); // (r + 1)/2
            for (uint32_t& v : x.v) v = draw() % 8 ? draw() : 0u - draw() % 2;
            x.v[7] &= 0x7fffffffu, x.reduce_once();
            switch (draw() % 8) {
            case 0: x = Fr::zero(); break;
            case 1: x = Fr::one(); break;
            case 2: x = Fr::one().neg(); break;
            case 3: x = half; break;
            case 4: x = half - Fr::one(); break;
            }
            const msm::Recoder r(x.canonical(), w);
            Fr sum = Fr::zero();
            for (int set = 0; set < w.sets; set++)
                for (int j = 0; j < w.copies_of(set); j++) {
                    const int32_t d = r.digit(set, j, w);
                    const uint64_t size = d < 0 ? -(int64_t)d : d;
                    bad += size > uint64_t(1) << w.filled(set);
                    Fr term = Fr::one();
                    for (int i = 0; i < w.round() * j + w.before(set); i++) term = term.twice();
                    term = term * FrCanonical::of(size).to_montgomery();
                    sum = (d < 0) != r.negative ? sum - term : sum + term;
                }
            bad += sum != x || w.bits() < 255 || (w.halved() && c < 10);
        }
    }
    return bad;
}

// The four circuits of 32 GiB sectors: positions and scalars of l, a and b.
struct Kind {
    const char* name;
    int log_domain;
    size_t inputs, aux, scalars, l[2], a[2], b[2];
};
static const Kind kinds[] = {
    {"PoRep", 27, 328, 130169893, 1699102, {130169893, 1699102}, {129753620, 1288589}, {33112282, 1229275}},
    {"update", 27, 5, 80978488, 965038, {80978488, 965038}, {80743586, 733576}, {20983608, 683638}},
    {"WinningPoSt", 19, 133, 375210, 371910, {375210, 371910}, {284329, 282349}, {272185, 268885}},
    {"WindowPoSt", 27, 25840, 126902376, 125727876, {126902376, 125727876}, {96205645, 95500945}, {91925767, 90751267}},
};

static Query query(const size_t* counts) {
    Query q;
    q.length = counts[0], q.scalars = counts[1];
    return q;
}

// Bytes of a plan: tables, waiting witnesses, bases with copies, the work area.
static size_t bytes(Sections& s, const Plan& p, const Means& m) {
    size_t n = NttDomain::table_bytes(m.log_domain, p.small_tables) + (p.witness_streamed ? 0 : p.slots) * m.witness +
               m.staging + p.work + p.second_work;
    s.each([&](int, auto& x) {
        if (x.home() == Home::DEVICE)
            n += (x.bits() + x.bases() * x.windows().copies) * sizeof(typename std::decay_t<decltype(x)>::Point);
    });
    return n;
}

// Plans one circuit on a card; the milliseconds that its sums are expected to
// take, negative for a plan that does not fit or none.
static double plan(const Kind& k, size_t card) {
    static Stream stream;
    const Query l = query(k.l), a = query(k.a), b = query(k.b);
    Sections s(k.log_domain, l, a, b, stream);
    const size_t context = size_t(600) << 20, witness = (k.inputs + k.scalars) * sizeof(Fr) + k.aux / 8;
    const Means m{card - context,
                  size_t(64) << 30,
                  witness,
                  size_t(384) << 20,
                  size_t(1) << 19,
                  3,
                  k.log_domain,
                  ~size_t(0),
                  (card - context) / 32,
                  ~size_t(0) / sizeof(G1) / 2,
                  true,
                  true};
    try {
        const clock_t start = clock();
        const Plan p = Plan::make(s, m);
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC, gib = 1 << 30;
        std::printf("%s, %.1f GiB: work areas %.2f and %.2f GiB, %s tables, planned in %.2f s\n", k.name,
                    (double)card / gib, (double)p.work / gib, (double)p.second_work / gib,
                    p.small_tables ? "small" : "large", seconds);
        double sum = 0;
        const char* const names[] = {"h", "l", "a", "b_g1", "b_g2"};
        s.each([&](int i, auto& x) {
            using F = typename std::decay_t<decltype(x)>::Field;
            const msm::Windows& w = x.windows();
            const WorkSize& z = x.multiply_work();
            double ms = 0;
            for (const Piece& piece : x.pieces()) ms += msm_ms<F>(piece.rest, w, z);
            std::printf(
                "  %-4s %9zu scalars, %9zu bits %s: %3zu pieces, %2d bits (%d sets), %2d copies, %2d sets (%zu "
                "together), chunk 2^%.1f, %5.2f GiB: %.0f ms\n",
                names[i], x.rest(), x.bits(),
                x.home() == Home::DEVICE ? "stay"
                : x.home() == Home::HOST ? "host"
                                         : "file",
                x.pieces().size(), w.c, w.wide, w.copies, w.sets, z.buckets / w.buckets(),
                std::log2((double)std::min(z.chunk, z.entries)),
                (double)((x.bits() + x.bases() * w.copies) * sizeof(typename std::decay_t<decltype(x)>::Point)) / gib,
                ms);
            sum += ms;
        });
        const size_t used = bytes(s, p, m);
        std::printf("  %.2f GiB in all, sums %.0f ms of scalars, %.0f with selections and waits\n", (double)used / gib,
                    sum, p.sums);
        bool pieces = false; // nothing of a layout in pieces is left in a plan without
        s.each([&](int, auto& x) { pieces = pieces || x.home() != Home::DEVICE; });
        if (pieces != p.in_pieces || (!pieces && (p.quotients != 1 || p.witness_streamed || p.witness_end > 0)))
            return -1;
        return used <= m.device ? p.sums : -1;
    } catch (const std::exception& e) {
        std::printf("%s, %zu bytes: %s\n", k.name, card, e.what());
        return -1;
    }
}

int main(int argc, char** argv) {
    state = argc > 1 ? strtoull(argv[1], nullptr, 0) : (uint64_t)time(nullptr);
    std::printf("seed %llu\n", (unsigned long long)state);
    const int bad[] = {choices(2000), all_marginals(), digits(2000)};
    int failed = (bad[0] != 0) + (bad[1] != 0) + (bad[2] != 0);
    if (failed) std::printf("FAIL choices: %d, marginals: %d, digits: %d\n", bad[0], bad[1], bad[2]);
    for (const Kind& k : kinds) {
        double before = 0;
        for (size_t gb : {8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 120, 150}) {
            const double ms = plan(k, gb * 1000000000);
            if ((ms < 0 && gb >= 16) || (before > 0 && ms > 1.02 * before))
                std::printf("FAIL %s with %zu GB\n", k.name, gb), failed++;
            before = ms;
        }
    }
    std::printf("%d failed\n", failed);
    return failed != 0;
}
