// Points and the bytes of a `.params` file: coordinates of 48 bytes big endian,
// of G2 the c1 part first, flags in the top three bits of the first byte, which
// must be clear; and back. Bytes are aligned to words. Twin: DecodeG1, EncodeG1
// and so on in core/internal/curve.
//
// Ceiling: the bytes crossing the bus (0.9 µs per 512 points); 5 products in G1.
#pragma once
#include "../cuzk_cuda.h"
#include "place.cuh"

namespace cuzk::setup {

// The bytes of a word in reverse order.
CUZK_HD uint32_t reverse_bytes(uint32_t w) {
#ifdef __CUDA_ARCH__
    return __byte_perm(w, 0, 0x0123);
#else
    return __builtin_bswap32(w);
#endif
}

// False if the value is not below p.
CUZK_HD bool decode_element(Fp& v, const uint8_t* p) {
    const uint32_t* words = reinterpret_cast<const uint32_t*>(p);
    FpCanonical read;
    uint32_t m[Fp::N], d[Fp::N];
    CUZK_UNROLL for (int i = 0; i < Fp::N; i++) {
        read.v[i] = reverse_bytes(words[Fp::N - 1 - i]);
        m[i] = FpParams::mod(i);
    }
    bool below = limbs_sub<Fp::N>(d, read.v, m) != 0;
    v = read.to_montgomery();
    return below;
}
CUZK_HD bool decode_element(Fp2& v, const uint8_t* p) {
    bool c1 = decode_element(v.c1, p), c0 = decode_element(v.c0, p + 48);
    return c0 && c1;
}

constexpr size_t ELEMENT_BYTES = 48;
template <class F>
CUZK_HD constexpr size_t point_bytes() {
    return 2 * ELEMENT_BYTES * (sizeof(F) / sizeof(Fp));
}

// Reason 0 or CUZK_CUDA_POINT_*.
template <class F>
CUZK_HD int decode_point(Affine<F>& p, const uint8_t* b) {
    if (b[0] & 0xe0) return b[0] & 0x40 ? CUZK_CUDA_POINT_INFINITY : CUZK_CUDA_POINT_FLAGS;
    bool x = decode_element(p.x, b), y = decode_element(p.y, b + point_bytes<F>() / 2);
    if (!x || !y) return CUZK_CUDA_POINT_COORDINATE;
    return on_curve(p) ? 0 : CUZK_CUDA_POINT_CURVE;
}

CUZK_HD void encode_element(uint8_t* p, const Fp& v) {
    uint32_t* words = reinterpret_cast<uint32_t*>(p);
    const FpCanonical plain = v.canonical();
    CUZK_UNROLL for (int i = 0; i < Fp::N; i++) words[Fp::N - 1 - i] = reverse_bytes(plain.v[i]);
}
CUZK_HD void encode_element(uint8_t* p, const Fp2& v) {
    encode_element(p, v.c1), encode_element(p + ELEMENT_BYTES, v.c0);
}

template <class F>
CUZK_HD void encode_point(uint8_t* b, const Affine<F>& p) {
    encode_element(b, p.x), encode_element(b + point_bytes<F>() / 2, p.y);
}

template <class F>
struct Decode {
    const uint8_t* bytes;
    size_t first; // position of the first point
    Place<F> place;
    unsigned long long* bad; // smallest position·8 + reason
    CUZK_HD void operator()(size_t i) const {
        Affine<F> p;
        int reason = decode_point(p, bytes + i * point_bytes<F>());
        if (reason != 0)
            atomic_min(bad, (unsigned long long)(first + i) * 8 + reason);
        else
            *place.at(first + i) = p;
    }
};

template <class F>
struct Encode {
    uint8_t* bytes;
    size_t first; // position of the first point
    Place<F> place;
    CUZK_HD void operator()(size_t i) const { encode_point(bytes + i * point_bytes<F>(), *place.at(first + i)); }
};

} // namespace cuzk::setup
