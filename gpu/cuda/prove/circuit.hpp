// A compiled circuit on the device: its matrices as templates and calls, and for
// each section of the parameters which variable stands where.
#pragma once
#include <vector>

#include "../cuzk_cuda.h"
#include "../r1cs/rows.cuh"
#include "bits.cuh"
#include "program.hpp"

namespace cuzk::prove {

// Domains of at most 2^22 points are small: their sums do not fill a device. 32 GiB
// PoRep (2^27) took 7.91 s on one stream and 7.96 s on two, WinningPoSt (2^19) 39.7
// ms and 35.2.
constexpr int SMALL_DOMAIN = 22;

// The variables of one section. Its bases are kept in two runs: bit variables
// in the order of aux, and the rest (inputs, then scalar variables).
struct Query {
    size_t length = 0;                   // positions
    size_t scalars = 0;                  // positions that are not bit variables
    Selection bits;                      // over aux: bit variables of the section
    Buffer<uint32_t> source;             // for the rest: place in inputs ‖ scalars of a witness
    std::vector<uint32_t> bit_positions; // bitmap over positions, kept here until bases are loaded
};

class Circuit {
  public:
    Circuit(const cuzk_cuda_circuit_info& info, cudaStream_t s);

    size_t inputs() const { return inputs_; }
    size_t aux() const { return aux_; }
    size_t scalars() const { return scalars_; }
    size_t bit_words() const { return (aux_ + 63) / 64; } // of 64 bits
    int log_domain() const { return log_domain_; }
    const Query& l() const { return l_; }
    const Query& a() const { return a_; }
    const Query& b() const { return b_; }

    // Bytes of a packed witness: inputs ‖ scalars ‖ bits.
    size_t witness_bytes() const { return (inputs_ + scalars_) * sizeof(Fr) + bit_words() * 8; }
    // The same with the scalars of a partial witness (sketch).
    size_t slot_bytes() const { return witness_bytes() + program_.given() * sizeof(Fr); }
    size_t given() const { return program_.given(); }
    // Completes a witness of which the scalars are sketched.
    void complete(uint8_t* witness, const Fr* given, cudaStream_t s) const;
    // a = A·w and b = B·w over the whole domain, in natural order.
    void rows(const uint8_t* witness, Fr* a, Fr* b, cudaStream_t s) const;

  private:
    void check(const cuzk_cuda_circuit_info& info) const;
    void matrices(const cuzk_cuda_circuit_info& info, cudaStream_t s);
    void query(Query& q, const cuzk_cuda_query& from, const cuzk_cuda_circuit_info& info, cudaStream_t s) const;

    size_t rows_, inputs_, aux_, scalars_;
    int log_domain_ = 0;
    size_t calls_ = 0;
    Buffer<Fr> coefs_;
    Buffer<r1cs::Template> templates_;
    Buffer<r1cs::Instance> instances_;
    Buffer<uint32_t> wires_, starts_;
    Buffer<r1cs::Term> terms_;
    r1cs::Rows spread_;
    Query l_, a_, b_;
    Program program_;
};

} // namespace cuzk::prove
