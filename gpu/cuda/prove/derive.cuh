// Completing a sketched witness: scalars that follow from others by rules
// (core/internal/r1cs, Program). A thread takes a call of a template; calls that
// depend on each other are in different launches.
#pragma once
#include "../r1cs/eval.cuh"

namespace cuzk::prove {

struct Rule {
    uint32_t fn, out, n, arg;
};

// Poseidon's constants for states of t elements (core/internal/poseidon): tag,
// round constants, both matrices by rows, then column and row of each sparse one.
struct Hash {
    uint32_t t, partial;
    const Fr* constants;

    static constexpr uint32_t FULL = 8, WIDEST = 9;
    static constexpr size_t length(size_t t, size_t partial) {
        return 1 + FULL * t + partial + 2 * t * t + partial * (2 * t - 1);
    }
    // Values that the circuit has for one hash.
    static constexpr size_t variables(size_t t, size_t partial) {
        return 3 * (t - 1) + 4 * ((FULL - 1) * t + partial) + 1;
    }
};

// A permutation that writes down what the circuit's variables are: of an S-box
// its argument, the second, fourth and fifth power, the last with the constant.
struct Permutation {
    const Hash& h;
    Fr* out;
    Fr s[Hash::WIDEST];

    CUZK_HD void sbox(uint32_t i, const Fr* constant) {
        const Fr l = s[i], l2 = l * l, l4 = l2 * l2;
        Fr l5 = l * l4;
        if (constant) l5 = l5 + *constant;
        out[0] = l, out[1] = l2, out[2] = l4, out[3] = l5;
        out += 4;
        s[i] = l5;
    }
    CUZK_HD void layer(const Fr* constants) {
        for (uint32_t i = 0; i < h.t; i++) sbox(i, constants ? constants + i : nullptr);
    }
    // The inputs are variables already, and constants come before the S-box too.
    CUZK_HD void first(const Fr* before, const Fr* after) {
        for (uint32_t i = 0; i < h.t; i++) {
            const Fr l = s[i] + before[i], l2 = l * l, l4 = l2 * l2, l5 = l * l4 + after[i];
            if (i > 0) {
                out[0] = l2, out[1] = l4, out[2] = l5;
                out += 3;
            }
            s[i] = l5;
        }
    }
    CUZK_HD void dense(const Fr* m) {
        Fr next[Hash::WIDEST];
        for (uint32_t j = 0; j < h.t; j++) {
            Fr sum = s[0] * m[j];
            for (uint32_t i = 1; i < h.t; i++) sum = sum + s[i] * m[i * h.t + j];
            next[j] = sum;
        }
        for (uint32_t j = 0; j < h.t; j++) s[j] = next[j];
    }
    CUZK_HD void sparse(const Fr* column, const Fr* row) {
        Fr sum = s[0] * column[0];
        for (uint32_t i = 1; i < h.t; i++) sum = sum + s[i] * column[i];
        for (uint32_t i = 1; i < h.t; i++) s[i] = s[i] + s[0] * row[i - 1];
        s[0] = sum;
    }
    // After s[1 …] are the inputs.
    CUZK_HD void run() {
        const uint32_t t = h.t;
        const Fr *c = h.constants + 1, *m = c + Hash::FULL * t + h.partial, *pre = m + t * t, *rounds = pre + t * t;
        s[0] = h.constants[0];
        first(c, c + t);
        dense(m);
        c += 2 * t;
        for (uint32_t r = 1; r < Hash::FULL / 2; r++, c += t) {
            layer(c);
            dense(r < Hash::FULL / 2 - 1 ? m : pre);
        }
        for (uint32_t r = 0; r < h.partial; r++, rounds += 2 * t - 1) {
            sbox(0, c + r);
            sparse(rounds, rounds + t);
        }
        c += h.partial;
        for (uint32_t r = 1; r < Hash::FULL / 2; r++, c += t) {
            layer(c);
            dense(m);
        }
        layer(nullptr);
        dense(m);
        *out = s[1];
    }
};

struct Derive {
    const r1cs::Instance* calls;
    const uint32_t *wires, *args, *starts, *order; // order: of the wave
    const Rule* rules;
    const Hash* hashes; // by arity
    const uint32_t* bits;
    Fr* scalars;

    // Where an argument stands, among bits or scalars.
    CUZK_HD uint32_t place(const r1cs::Instance& in, uint32_t src) const {
        if (src >= r1cs::SRC_WIRE) return wires[in.wire + (src & r1cs::SRC_INDEX)] & r1cs::SRC_INDEX;
        const bool scalar = (src & ~r1cs::SRC_INDEX) == r1cs::SRC_SCALAR;
        return (src & r1cs::SRC_INDEX) + (scalar ? in.scalar : in.aux);
    }
    CUZK_HD void operator()(size_t i) const {
        const r1cs::Instance in = calls[order[i]];
        for (uint32_t k = starts[in.tmpl]; k < starts[in.tmpl + 1]; k++) {
            const Rule r = rules[k];
            const uint32_t* a = args + r.arg;
            Fr* out = scalars + in.scalar + r.out;
            if (r.fn == 0) {
                const uint32_t bit = place(in, a[0]);
                *out = scalars[place(in, bits[bit / 32] >> (bit % 32) & 1 ? a[1] : a[2])];
                continue;
            }
            Permutation p{hashes[r.fn], out};
            for (uint32_t j = 0; j < r.fn; j++) p.s[j + 1] = scalars[place(in, a[j])];
            p.run();
        }
    }
};

struct Scatter {
    const Fr* from;
    const uint32_t* place;
    Fr* to;
    CUZK_HD void operator()(size_t i) const { to[place[i]] = from[i]; }
};

} // namespace cuzk::prove
