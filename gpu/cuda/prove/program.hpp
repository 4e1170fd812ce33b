// How the scalars of a witness follow from those that a sketch gives.
#pragma once
#include <vector>

#include "../cuzk_cuda.h"
#include "derive.cuh"
#include "../util/device.cuh"

namespace cuzk::prove {

class Program {
  public:
    Program() = default;
    // `scalars` and `calls` are those of the circuit. Waits for the copies.
    Program(const cuzk_cuda_program& p, size_t templates, size_t calls, size_t scalars, cudaStream_t s);

    // Scalars of a sketch; 0: the circuit has no program.
    size_t given() const { return given_.size(); }
    // Fills `scalars` from those given.
    void complete(const Fr* given, const uint32_t* bits, Fr* scalars, const r1cs::Instance* calls,
                  const uint32_t* wires, cudaStream_t s) const;

  private:
    void check(const cuzk_cuda_program& p, size_t templates, size_t calls, size_t scalars) const;

    Buffer<Rule> rules_;
    Buffer<Hash> hashes_;
    Buffer<Fr> constants_;
    Buffer<uint32_t> args_, starts_, order_, given_;
    std::vector<uint32_t> waves_;
};

} // namespace cuzk::prove
