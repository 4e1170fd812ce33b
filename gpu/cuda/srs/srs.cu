#include "decode.hpp"
#include "fixed_base_impl.cuh"

namespace cuzk {
namespace srs {

// 48 bytes, most significant first; false unless below p.
static __device__ bool read_fp(Fp& out, const uint8_t* bytes) {
    const uint32_t* w = reinterpret_cast<const uint32_t*>(bytes);  // encodings are multiples of 16 bytes
    for (int i = 0; i < 12; i++) out.v[i] = __byte_perm(w[11 - i], 0, 0x0123);
    uint32_t m[12], t[12];
    for (int i = 0; i < 12; i++) m[i] = FpParams::mod(i);
    if (limbs_sub<12>(t, out.v, m) == 0) return false;  // flag bits make it too large as well
    out = out.to_mont();
    return true;
}
static __device__ bool read(Fp& out, const uint8_t* bytes) { return read_fp(out, bytes); }
static __device__ bool read(Fp2& out, const uint8_t* bytes) { return read_fp(out.c1, bytes) && read_fp(out.c0, bytes + 48); }

template <class F>
__global__ void __launch_bounds__(128) k_decode(Affine<F>* out, const uint8_t* bytes, uint32_t n, uint32_t* bad) {
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Affine<F> p = Affine<F>::infinity();
        const uint8_t* at = bytes + (size_t)i * sizeof(p);
        bool ok = read(p.x, at) && read(p.y, at + sizeof(F)) && on_curve(p);
        if (!ok) atomicMin(bad, i);
        out[i] = p;
    }
}

}  // namespace srs

template <class F>
void decode_points(Affine<F>* out, const uint8_t* bytes, uint32_t n, uint32_t* bad, cudaStream_t s) {
    CUZK_CHECK(cudaMemsetAsync(bad, 0xff, sizeof *bad, s));
    if (n == 0) return;
    srs::k_decode<F><<<blocks_for(n, 128, multiprocessors() * 64), 128, 0, s>>>(out, bytes, n, bad);
    CUZK_LAUNCHED("k_decode");
}

template class FixedBase<Fp>;
template class FixedBase<Fp2>;
template void decode_points<Fp>(Affine<Fp>*, const uint8_t*, uint32_t, uint32_t*, cudaStream_t);
template void decode_points<Fp2>(Affine<Fp2>*, const uint8_t*, uint32_t, uint32_t*, cudaStream_t);

}  // namespace cuzk
