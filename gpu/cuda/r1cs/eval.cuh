// Rows a = A·w and b = B·w from a circuit's templates and a packed witness.
// The arrays are those of core/internal/r1cs (type Flat), copied once per
// circuit; only the packed witness changes.
//
// Ceiling: 2·n·32 bytes written (8.6 GB for a 2^27 domain, 2.2 ms at 4 TB/s);
// reads come from L2 (templates of a megabyte, a bitmap of 16 MiB) and the
// arithmetic is an addition per term, so the stores are the work.
#pragma once
#include "../ff/fr.cuh"

namespace cuzk::r1cs {

struct Term {
    uint32_t src, coef;
};
struct Template {
    uint32_t rows;
    uint32_t start[2];  // of A and of B in Circuit::starts
};
struct Instance {
    uint32_t tmpl, row, wire, input, aux, scalar;
};

// Kinds of sources, in the top three bits of a source.
enum : uint32_t { SRC_ONE = 0u << 29, SRC_INPUT = 1u << 29, SRC_BIT = 2u << 29, SRC_SCALAR = 3u << 29, SRC_WIRE = 4u << 29, SRC_INDEX = (1u << 29) - 1 };

// A compiled circuit in the memory of the device that evaluates it.
struct Circuit {
    uint64_t rows, inputs, instances;
    const Fr* coefs;  // 0 is one, 1 is minus one
    const Template* templates;
    const Instance* calls;
    const uint32_t* wires;
    const uint32_t* starts;
    const Term* terms;
    const uint32_t* first;  // first[k]: the call that row k·ROW_BLOCK belongs to; one more entry at the end: the last call
};

constexpr uint32_t ROW_BLOCK = 256;

struct Witness {
    const Fr* inputs;  // ONE first
    const uint32_t* bits;
    const Fr* scalars;
};

// One row of a call's matrix m (0 A, 1 B). Bits with coefficients ±1, nearly
// all terms, are counted in a small integer and added at the end.
CUZK_HD Fr row(const Circuit& c, const Witness& w, const Instance& in, uint32_t m, uint32_t r) {
    const uint32_t* s = c.starts + c.templates[in.tmpl].start[m] + r;
    Fr sum = Fr::zero();
    int small = 0;
    for (uint32_t k = s[0], end = s[1]; k < end; k++) {
        Term t = c.terms[k];
        uint32_t src = t.src, aux = in.aux, scalar = in.scalar, input = in.input;
        if (src >= SRC_WIRE) {
            src = c.wires[in.wire + (src & SRC_INDEX)];
            aux = scalar = input = 0;
        }
        uint32_t i = src & SRC_INDEX;
        const Fr* value = nullptr;
        uint32_t bit = 1;
        switch (src & ~SRC_INDEX) {
            case SRC_INPUT: value = w.inputs + input + i; break;
            case SRC_SCALAR: value = w.scalars + scalar + i; break;
            case SRC_BIT: i += aux, bit = w.bits[i >> 5] >> (i & 31) & 1; break;
            default: break;
        }
        if (value == nullptr) {
            if (bit == 0) continue;
            if (t.coef == 0) small++;
            else if (t.coef == 1) small--;
            else sum = sum + c.coefs[t.coef];
        } else if (t.coef == 0) {
            sum = sum + *value;
        } else if (t.coef == 1) {
            sum = sum - *value;
        } else {
            sum = sum + *value * c.coefs[t.coef];
        }
    }
    const Fr& unit = small < 0 ? c.coefs[1] : c.coefs[0];
    for (int n = small < 0 ? -small : small; n > 0; n--) sum = sum + unit;
    return sum;
}

// The call that row r belongs to, among calls lo … hi (both included). Calls
// without rows share their row number with the next one that has some: take the
// last call that starts at or before r.
CUZK_HD uint32_t call_of(const Circuit& c, uint64_t r, uint32_t lo, uint32_t hi) {
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo + 1) / 2;
        if (c.calls[mid].row <= r) lo = mid;
        else hi = mid - 1;
    }
    return lo;
}

// Rows 0 … n−1 of a and b: circuit rows, then input_i·0 = 0, then zeros.
template <class Place>
CUZK_HD void row_pair(const Circuit& c, const Witness& w, uint64_t r, Fr* a, Fr* b, Place place) {
    Fr x = Fr::zero(), y = x;
    if (r < c.rows) {
        uint64_t k = r / ROW_BLOCK;
        const Instance in = c.calls[call_of(c, r, c.first[k], c.first[k + 1])];
        x = row(c, w, in, 0, (uint32_t)r - in.row);
        y = row(c, w, in, 1, (uint32_t)r - in.row);
    } else if (r < c.rows + c.inputs) {
        x = w.inputs[r - c.rows];
    }
    uint64_t at = place(r);
    a[at] = x;
    b[at] = y;
}

}  // namespace cuzk::r1cs
