// Rows of templates that consist of products, as hashes do: neighbouring lanes
// evaluate the same row of different calls. So a warp has the same terms and
// coefficients, long rows beside short ones keep nobody waiting, and a sum of
// products is reduced once.
//
// Values of neighbouring lanes are far apart, but each is a whole sector of
// memory, and is read again by the next rows.
#pragma once
#include <vector>

#include "eval.cuh"

namespace cuzk::r1cs {

constexpr uint32_t LANES = 32;
constexpr uint32_t LANE_ROWS = 64;   // fewest rows of such a template
constexpr uint32_t LANE_TERMS = 128; // terms of a piece of it, about

// One template, cut into pieces of about as many terms, and its calls.
struct Stripe {
    uint32_t tmpl;
    uint32_t calls, pieces;
    size_t first_call, first_piece; // in LanePlan
};

// The templates that are evaluated so: of many calls, and at least one product
// a row.
struct LanePlan {
    std::vector<uint32_t> by_lane; // of each template
    std::vector<Stripe> stripes;
    std::vector<uint32_t> calls;  // of all stripes
    std::vector<uint32_t> pieces; // of all stripes: first rows, and the number of rows

    LanePlan(const Template* templates, size_t num_templates, const Instance* all, size_t num_calls,
             const uint32_t* starts, const Term* terms)
        : by_lane(num_templates, 0) {
        std::vector<uint32_t> count(num_templates, 0);
        for (size_t i = 0; i < num_calls; i++) count[all[i].tmpl]++;
        for (uint32_t t = 0; t < num_templates; t++) {
            if (count[t] < LANES || templates[t].rows < LANE_ROWS ||
                products(templates[t], starts, terms) < templates[t].rows)
                continue;
            by_lane[t] = 1;
            stripes.push_back({t, count[t], 0, calls.size(), pieces.size()});
            for (uint32_t i = 0; i < num_calls; i++)
                if (all[i].tmpl == t) calls.push_back(i);
            cut(templates[t], starts);
            stripes.back().pieces = (uint32_t)(pieces.size() - stripes.back().first_piece - 1);
        }
    }

  private:
    static size_t products(const Template& t, const uint32_t* starts, const Term* terms) {
        size_t n = 0;
        for (uint32_t m = 0; m < 2; m++)
            for (uint32_t k = starts[t.start[m]]; k < starts[t.start[m] + t.rows]; k++) {
                const uint32_t kind = terms[k].src & ~SRC_INDEX;
                n += terms[k].coef > 1 && (kind == SRC_SCALAR || kind == SRC_INPUT);
            }
        return n;
    }
    void cut(const Template& t, const uint32_t* starts) {
        uint32_t size = LANE_TERMS;
        for (uint32_t r = 0; r < t.rows; r++) {
            if (size >= LANE_TERMS) pieces.push_back(r), size = 0;
            for (uint32_t m = 0; m < 2; m++) size += starts[t.start[m] + r + 1] - starts[t.start[m] + r];
        }
        pieces.push_back(t.rows);
    }
};

// One row of a call's matrix: its products summed up before they are reduced.
CUZK_HD Fr dot_row(const Circuit& c, const Witness& w, const Instance& in, Range t) {
    Partial p{Fr::zero(), 0};
    Dot products;
    bool any = false;
    for (uint32_t k = t.begin; k < t.end; k++) {
        const Term term = c.terms[k];
        p.add(c, operand(c, w, in, term.src), term.coef,
              [&](const Fr& x, const Fr& y) { products.add(x, y), any = true; });
    }
    return any ? p.total(c) + products.total() : p.total(c);
}

// Index i is a lane: pieces of the same calls lie side by side, so that values
// are read from memory once.
struct LaneRows {
    Circuit c;
    Witness w;
    const uint32_t *calls, *pieces;
    uint32_t num_calls, num_pieces;
    Fr *a, *b;

    size_t size() const { return (size_t)(num_calls + LANES - 1) / LANES * LANES * num_pieces; }
    CUZK_HD void operator()(size_t i) const {
        const uint32_t warp = (uint32_t)(i / LANES), piece = warp % num_pieces,
                       k = warp / num_pieces * LANES + (uint32_t)(i % LANES);
        if (k >= num_calls) return;
        const Instance in = c.calls[calls[k]];
        for (uint32_t r = pieces[piece]; r < pieces[piece + 1]; r++) {
            a[in.row + r] = dot_row(c, w, in, terms_of(c, in, 0, r));
            b[in.row + r] = dot_row(c, w, in, terms_of(c, in, 1, r));
        }
    }
};

} // namespace cuzk::r1cs
