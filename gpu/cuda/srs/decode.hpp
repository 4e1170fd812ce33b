// Points of a .params file: big-endian, uncompressed (facts 4.5).
#pragma once
#include "../ec/curve.cuh"
#include "../util/device.cuh"

namespace cuzk {

constexpr uint32_t DECODE_OK = 0xffffffffu;

// out[i] = the i-th point of n encoded ones (96 bytes each in G1: x, y; 192 in
// G2: x.c1, x.c0, y.c1, y.c0). *bad = the lowest index of a point that has flag
// bits (compressed, infinity), a coordinate not below p, or is not on the curve;
// DECODE_OK when there is none. Device pointers; *bad is set by the call.
template <class F>
void decode_points(Affine<F>* out, const uint8_t* bytes, uint32_t n, uint32_t* bad, cudaStream_t s);

}  // namespace cuzk
