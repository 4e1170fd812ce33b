// What of the parameters stays on the device, and how large the pieces are of
// what does not.
#pragma once
#include <algorithm>

#include "section.hpp"

namespace cuzk::prove {

// The sections of one circuit.
struct Sections {
    Section<Fp> h, l, a, b1;
    Section<Fp2> b2;

    Sections(const Circuit& c, cudaStream_t s) : Sections(c.log_domain(), c.l(), c.a(), c.b(), s) {}
    Sections(int log_domain, const Query& l, const Query& a, const Query& b, cudaStream_t s)
        : h(log_domain), l(l, s), a(a, s), b1(b, s), b2(b, s) {}

    // Calls fn with the section of a number of cuzk_cuda.h.
    template <class Fn>
    auto with(int section, Fn fn) {
        switch (section) {
        case CUZK_CUDA_H: return fn(h);
        case CUZK_CUDA_L: return fn(l);
        case CUZK_CUDA_A: return fn(a);
        case CUZK_CUDA_B1: return fn(b1);
        case CUZK_CUDA_B2: return fn(b2);
        default: throw ArgumentError("no such section");
        }
    }
    template <class Fn>
    void each(Fn fn) {
        for (int i = 0; i < CUZK_CUDA_SECTIONS; i++) with(i, [&](auto& x) { fn(i, x); });
    }
};

// What a plan is made from; sizes in bytes.
struct Means {
    size_t device;  // that may be allocated, the shared work area included
    size_t host;    // for sections
    size_t witness; // packed, of one partition
    size_t staging; // device memory for loading
    size_t part;    // points of G1 that are loaded at a time
    unsigned slots; // wanted partitions in flight
    int log_domain;
    size_t stay;  // bytes of bases that may stay on the device
    size_t kept;  // bytes of a witness that may wait on the device
    size_t piece; // points of G1 in a piece, at most
    bool again;   // the source can be read more than once
    bool overlap; // sums may run at the same time
};

// Decides where each section lives and reserves memory there. Resident, where
// all fits: bases, as many copies as pay, tables of twiddles, the work area.
// Sums of small circuits run on two streams, where memory for a second work area is
// there.
// Otherwise some sections come in pieces through two images at the end of the
// work area. Of all ways to divide sections and memory that fit, the plan takes the
// one whose sums are expected to take least time, so that more memory never makes a
// proof slower.
struct Plan {
    bool in_pieces = false;        // some sections come in pieces
    bool small_tables = false;     // of twiddles
    bool witness_streamed = false; // witnesses go through the work area
    unsigned slots = 1;            // witnesses in flight
    size_t quotients = 1;          // that are kept while h passes by
    size_t work = 0;               // bytes of the work area
    size_t second_work = 0;        // of one for the sums over l, a and b; 0: they run after that over h, in the same
    size_t images[2] = {};         // where they begin there
    size_t prefetched = 0;         // how many of them do not lie where transforms are
    double sums = 0;               // milliseconds that the sums of a partition are expected to take

    size_t vector = 0; // bytes of a vector of the transforms
    // Room of the sums, beginning at from: what lies between it and the images.
    size_t sums_end() const { return in_pieces ? std::min(images[0], images[1]) : work; }
    // Where the quotients are while h passes by, and where the sums' room begins.
    size_t quotient(size_t i) const { return quotients > 1 ? (3 + i) * vector : 0; }
    size_t h_sums_begin() const { return quotients > 1 ? 0 : vector; }
    size_t h_sums_end() const { return quotients > 1 ? 3 * vector : sums_end(); }
    size_t witness_end = 0; // of a streamed witness, while a section comes in pieces

    static Plan make(Sections& s, const Means& m);
};

} // namespace cuzk::prove
