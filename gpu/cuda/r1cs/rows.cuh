// All rows of a and b on a stream. Most rows of a circuit of bits have one to
// three terms, but one in some hundreds, the sums of words, has hundreds: a
// thread takes a short row, a warp (on the host: a loop) a long one. Templates
// of products go by lanes instead (lanes.cuh).
#pragma once
#include <vector>

#include "../util/each.cuh"
#include "lanes.cuh"

namespace cuzk::r1cs {

// A compiled circuit in host memory.
struct Source {
    uint64_t rows, inputs;
    const Template* templates;
    size_t num_templates;
    const Instance* calls;
    size_t num_calls;
    const uint32_t* starts;
    size_t num_starts;
    const Term* terms;
    size_t num_terms;

    // That rows and terms of all templates exist.
    void check() const {
        for (size_t t = 0; t < num_templates; t++)
            for (const uint64_t at : templates[t].start) {
                if (at + templates[t].rows >= num_starts)
                    throw ArgumentError("a template's rows lie outside the circuit's");
                for (uint64_t r = 0; r < templates[t].rows; r++)
                    if (starts[at + r] > starts[at + r + 1] || starts[at + r + 1] > num_terms)
                        throw ArgumentError("a row's terms lie outside the circuit's");
            }
        for (size_t i = 0; i < num_calls; i++)
            if (calls[i].tmpl >= num_templates) throw ArgumentError("a call names a template that does not exist");
    }
};

// Rows block·ROW_BLOCK … of the listed blocks.
struct ShortRow {
    Circuit c;
    Witness w;
    const uint32_t* blocks;
    uint64_t n; // rows there are
    Fr *a, *b;
    CUZK_HD void operator()(size_t i) const {
        const uint64_t r = (uint64_t)blocks[i / ROW_BLOCK] * ROW_BLOCK + i % ROW_BLOCK;
        if (r < n) row_pair(c, w, r, a, b);
    }
};

#ifdef __CUDACC__

constexpr int LONG_THREADS = 256;

// The long rows of call blockIdx.x.
static __global__ void __launch_bounds__(LONG_THREADS) k_long_rows(Circuit c, Witness w, Fr* a, Fr* b) {
    const Instance in = c.calls[blockIdx.x];
    const uint32_t lane = threadIdx.x % 32, end = c.long_first[in.tmpl + 1];
    for (uint32_t i = c.long_first[in.tmpl] + threadIdx.x / 32; i < end; i += LONG_THREADS / 32) {
        const uint32_t r = c.long_rows[i] >> 1, m = c.long_rows[i] & 1;
        const Range t = terms_of(c, in, m, r);
        Partial p{Fr::zero(), 0};
        for (uint32_t k = t.begin + lane; k < t.end; k += 32) p.add(c, w, in, c.terms[k]);
        for (int d = 16; d > 0; d /= 2) {
            Fr other;
            CUZK_UNROLL for (int l = 0; l < Fr::N; l++) other.v[l] = __shfl_xor_sync(0xffffffffu, p.sum.v[l], d);
            p.sum = p.sum + other;
            p.units += __shfl_xor_sync(0xffffffffu, p.units, d);
        }
        if (lane == 0) (m ? b : a)[in.row + r] = p.total(c);
    }
}

#else

struct LongRow {
    Circuit c;
    Witness w;
    Fr *a, *b;
    void operator()(size_t call) const {
        const Instance in = c.calls[call];
        for (uint32_t i = c.long_first[in.tmpl]; i < c.long_first[in.tmpl + 1]; i++) {
            const uint32_t r = c.long_rows[i] >> 1, m = c.long_rows[i] & 1;
            (m ? b : a)[in.row + r] = row(c, w, in, terms_of(c, in, m, r));
        }
    }
};

#endif

// How the rows of a circuit are spread over threads.
class Rows {
  public:
    Rows() = default;
    // n: rows of a and b with the zeros at the end.
    Rows(const Source& x, size_t n, cudaStream_t s) : n_(n) {
        x.check();
        const LanePlan lanes(x.templates, x.num_templates, x.calls, x.num_calls, x.starts, x.terms);
        const std::vector<uint32_t> calls = first_calls(x), blocks = short_blocks(x, lanes.by_lane, n);
        std::vector<uint32_t> long_first, long_rows;
        list_long_rows(x, lanes.by_lane, long_first, long_rows);
        stripes_ = lanes.stripes;
        keep(first_, calls, s), keep(blocks_, blocks, s), keep(long_first_, long_first, s),
            keep(long_rows_, long_rows, s);
        keep(by_lane_, lanes.by_lane, s), keep(lane_calls_, lanes.calls, s), keep(lane_pieces_, lanes.pieces, s);
        CUZK_CHECK(cudaStreamSynchronize(s)); // the lists are on this stack
    }

    size_t stripes() const { return stripes_.size(); }
    // Rows 0 … n − 1 of a and b; c has everything but what is kept here.
    void evaluate(Circuit c, const Witness& w, Fr* a, Fr* b, cudaStream_t s) const {
        c.first = first_, c.long_first = long_first_, c.long_rows = long_rows_, c.by_lane = by_lane_;
        each(blocks_.size() * ROW_BLOCK, s, "rows", ShortRow{c, w, blocks_, n_, a, b});
        for (const Stripe& x : stripes_) {
            const LaneRows body{c, w, lane_calls_ + x.first_call, lane_pieces_ + x.first_piece, x.calls, x.pieces,
                                a, b};
            each(body.size(), s, "rows by lane", body);
        }
        if (c.instances == 0 || long_rows_.size() == 0) return;
#ifdef __CUDACC__
        k_long_rows<<<(unsigned)c.instances, LONG_THREADS, 0, s>>>(c, w, a, b);
        CUZK_LAUNCHED("long rows");
#else
        each(c.instances, s, "long rows", LongRow{c, w, a, b});
#endif
    }

  private:
    static void keep(Buffer<uint32_t>& to, const std::vector<uint32_t>& from, cudaStream_t s) {
        to = Buffer<uint32_t>(from.size());
        if (!from.empty()) to.upload(from.data(), from.size(), s);
    }
    // The call of every ROW_BLOCK-th row, so that a row searches few calls.
    static std::vector<uint32_t> first_calls(const Source& x) {
        std::vector<uint32_t> first;
        size_t call = 0;
        for (size_t row = 0; row < x.rows; row += ROW_BLOCK) {
            while (call + 1 < x.num_calls && x.calls[call + 1].row <= row) call++;
            first.push_back((uint32_t)call);
        }
        first.push_back((uint32_t)x.num_calls - 1);
        return first;
    }
    // Blocks with a row that no lane evaluates.
    static std::vector<uint32_t> short_blocks(const Source& x, const std::vector<uint32_t>& by_lane, size_t n) {
        std::vector<uint32_t> blocks;
        auto add = [&](uint64_t from, uint64_t to) {
            for (uint64_t k = from / ROW_BLOCK; k * ROW_BLOCK < to; k++)
                if (blocks.empty() || blocks.back() < k) blocks.push_back((uint32_t)k);
        };
        for (size_t i = 0; i < x.num_calls; i++)
            if (const uint32_t rows = x.templates[x.calls[i].tmpl].rows; rows > 0 && !by_lane[x.calls[i].tmpl])
                add(x.calls[i].row, (uint64_t)x.calls[i].row + rows);
        add(x.rows, n);
        return blocks;
    }
    static void list_long_rows(const Source& x, const std::vector<uint32_t>& by_lane, std::vector<uint32_t>& first,
                               std::vector<uint32_t>& rows) {
        first.push_back(0);
        for (size_t t = 0; t < x.num_templates; t++) {
            for (uint32_t m = 0; m < 2 && !by_lane[t]; m++)
                for (uint32_t r = 0; r < x.templates[t].rows; r++) {
                    const uint32_t* s = x.starts + x.templates[t].start[m] + r;
                    if (Range{s[0], s[1]}.is_long()) rows.push_back(2 * r + m);
                }
            first.push_back((uint32_t)rows.size());
        }
    }

    uint64_t n_ = 0;
    std::vector<Stripe> stripes_;
    Buffer<uint32_t> first_, blocks_, long_first_, long_rows_, by_lane_, lane_calls_, lane_pieces_;
};

} // namespace cuzk::r1cs
