// Rows a = A·w and b = B·w from a circuit's templates and a packed witness.
// The arrays are those of core/internal/r1cs (type Flat), copied once per
// circuit; only the packed witness changes.
//
// Ceiling: 2·n·32 bytes written (8.6 GB for a 2^27 domain, 2.2 ms at 4 TB/s).
// Where the witness is bits, reads come from L2 (templates of a megabyte, a
// bitmap of 16 MiB) and a term is an addition, so the stores are the work. Where
// it is scalars, 4 GB of them are read, and a term is a product: 32 GiB
// WindowPoSt has 753 million, 12 ms at 64 G/s if each were reduced.
//
// How rows are spread over threads: rows.cuh.
#pragma once
#include "dot.cuh"

namespace cuzk::r1cs {

struct Term {
    uint32_t src, coef;
};
struct Template {
    uint32_t rows;
    uint32_t start[2]; // of A and of B in Circuit::starts
};
struct Instance {
    uint32_t tmpl, row, wire, input, aux, scalar;
};

// Kinds of sources, in the top three bits of a source.
enum : uint32_t {
    SRC_ONE = 0u << 29,
    SRC_INPUT = 1u << 29,
    SRC_BIT = 2u << 29,
    SRC_SCALAR = 3u << 29,
    SRC_WIRE = 4u << 29,
    SRC_INDEX = (1u << 29) - 1
};

// A compiled circuit in the memory of the device that evaluates it.
struct Circuit {
    uint64_t rows, inputs, instances;
    const Fr* coefs; // 0 is one, 1 is minus one
    const Template* templates;
    const Instance* calls;
    const uint32_t* wires;
    const uint32_t* starts;
    const Term* terms;
    const uint32_t*
        first; // first[k]: the call that row k·ROW_BLOCK belongs to; one more entry at the end: the last call
    const uint32_t* long_first; // of each template: its long rows, from long_first[t] to long_first[t + 1]
    const uint32_t* long_rows;  // 2·row + matrix
    const uint32_t* by_lane;    // of each template: whether its rows are evaluated for many calls at once
};

constexpr uint32_t LONG_ROW = 12; // terms from which a warp shares a row

constexpr uint32_t ROW_BLOCK = 256;

struct Witness {
    const Fr* inputs; // ONE first
    const uint32_t* bits;
    const Fr* scalars;
};

// Terms begin … end − 1 of a row.
struct Range {
    uint32_t begin, end;
    CUZK_HD bool is_long() const { return end - begin >= LONG_ROW; }
};
CUZK_HD Range terms_of(const Circuit& c, const Instance& in, uint32_t m, uint32_t r) {
    const uint32_t* s = c.starts + c.templates[in.tmpl].start[m] + r;
    return {s[0], s[1]};
}

// What a term multiplies: a field element, or a bit.
struct Operand {
    const Fr* value;
    uint32_t bit; // if value is null
};
CUZK_HD Operand operand(const Circuit& c, const Witness& w, const Instance& in, uint32_t src) {
    uint32_t aux = in.aux, scalar = in.scalar, input = in.input;
    if (src >= SRC_WIRE) {
        src = c.wires[in.wire + (src & SRC_INDEX)];
        aux = scalar = input = 0;
    }
    uint32_t i = src & SRC_INDEX;
    switch (src & ~SRC_INDEX) {
    case SRC_INPUT: return {w.inputs + input + i, 0};
    case SRC_SCALAR: return {w.scalars + scalar + i, 0};
    case SRC_BIT: i += aux; return {nullptr, w.bits[i >> 5] >> (i & 31) & 1};
    default: return {nullptr, 1};
    }
}

// A sum of terms. Bits with coefficients ±1 are counted in a small integer and
// added at the end; products go where the caller keeps them.
struct Partial {
    Fr sum;
    int32_t units;

    CUZK_HD void add(const Circuit& c, const Witness& w, const Instance& in, Term t) {
        add(c, operand(c, w, in, t.src), t.coef, [&](const Fr& x, const Fr& y) { sum = sum + x * y; });
    }
    template <class Product>
    CUZK_HD void add(const Circuit& c, Operand x, uint32_t coef, Product product) {
        if (x.value == nullptr) {
            if (x.bit == 0) return;
            if (coef == 0)
                units++;
            else if (coef == 1)
                units--;
            else
                sum = sum + c.coefs[coef];
        } else if (coef == 0) {
            sum = sum + *x.value;
        } else if (coef == 1) {
            sum = sum - *x.value;
        } else {
            product(*x.value, c.coefs[coef]);
        }
    }
    CUZK_HD Fr total(const Circuit& c) const {
        const Fr& unit = c.coefs[units < 0];
        uint32_t n = (uint32_t)(units < 0 ? -units : units);
        Fr all = sum;
        if (n > 4) { // a product costs more than some additions
            return all + FrCanonical::of(n).to_montgomery() * unit;
        }
        for (; n > 0; n--) all = all + unit;
        return all;
    }
};

// One row of a call's matrix m (0 A, 1 B).
CUZK_HD Fr row(const Circuit& c, const Witness& w, const Instance& in, Range t) {
    Partial p{Fr::zero(), 0};
    for (uint32_t k = t.begin; k < t.end; k++) p.add(c, w, in, c.terms[k]);
    return p.total(c);
}

// The call that row r belongs to, among calls lo … hi (both included). Calls
// without rows share their row number with the next one that has some: take the
// last call that starts at or before r.
CUZK_HD uint32_t call_of(const Circuit& c, uint64_t r, uint32_t lo, uint32_t hi) {
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo + 1) / 2;
        if (c.calls[mid].row <= r)
            lo = mid;
        else
            hi = mid - 1;
    }
    return lo;
}

// Row r of a and b, long ones and those of templates by lane left out: circuit
// rows, then input_i·0 = 0, then zeros.
CUZK_HD void row_pair(const Circuit& c, const Witness& w, uint64_t r, Fr* a, Fr* b) {
    if (r >= c.rows) {
        a[r] = r < c.rows + c.inputs ? w.inputs[r - c.rows] : Fr::zero();
        b[r] = Fr::zero();
        return;
    }
    const uint64_t k = r / ROW_BLOCK;
    const Instance in = c.calls[call_of(c, r, c.first[k], c.first[k + 1])];
    const Range x = terms_of(c, in, 0, (uint32_t)r - in.row), y = terms_of(c, in, 1, (uint32_t)r - in.row);
    if (c.by_lane[in.tmpl]) return;
    if (!x.is_long()) a[r] = row(c, w, in, x);
    if (!y.is_long()) b[r] = row(c, w, in, y);
}

} // namespace cuzk::r1cs
