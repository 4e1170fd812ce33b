#include "domain.hpp"

#include "small.cuh"

namespace cuzk {
namespace ntt {

// w_{2^k}, a primitive 2^k-th root of unity.
__host__ __device__ inline Fr root_of_unity(int k) {
    Fr w;
    CUZK_UNROLL for (int i = 0; i < 8; i++) w.v[i] = FrParams::root32(i);
    for (int i = k; i < 32; i++) w = w.sqr();
    return w;
}

__global__ void k_roots(uint4* out, Fr w) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= ROOTS) return;
    Shoup s = Shoup::make(w.pow(e));
    out[e] = make_uint4(s.w[0], s.w[1], s.w[2], s.w[3]);
    out[ROOTS + e] = make_uint4(s.w[4], s.w[5], s.w[6], s.w[7]);
    out[2 * ROOTS + e] = make_uint4(s.quot[0], s.quot[1], s.quot[2], s.quot[3]);
    out[3 * ROOTS + e] = make_uint4(s.quot[4], s.quot[5], s.quot[6], s.quot[7]);
}

// out[row·2^s + col] = w^(rev_k(row)·col), w of order 2^(k+s).
__global__ void k_twiddles(Fr* out, Fr w, int k, int s) {
    size_t n = size_t(1) << (k + s), step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        uint64_t j = __brev((uint32_t)(i >> s)) >> (32 - k), col = i & ((size_t(1) << s) - 1);
        out[i] = w.pow(j * col);
    }
}

// out[i] = w^i for i < 2^bits
__global__ void k_powers(Fr* out, Fr w, int bits) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size_t(1) << bits) out[i] = w.pow(i);
}

// out[i] = scale·g^rev_bits(i)
__global__ void k_reversed_powers(Fr* out, Fr g, Fr scale, int bits) {
    size_t n = size_t(1) << bits, step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = g.pow(bits ? __brev((uint32_t)i) >> (32 - bits) : 0) * scale;
}

static size_t shared_bytes(int k) { return sizeof(uint4) * (2 * PADDED + (size_t(4) << (k - 1))); }

static Fr inverse_of_size(int log_n) {
    Fr two = Fr::one().twice();
    return two.pow((uint64_t)log_n).inv();
}

}  // namespace ntt

using namespace ntt;

// Passes over at most this many points keep a table of all twiddles: 16 MB.
constexpr int FEW_TWIDDLES = 18;

NttDomain::NttDomain(int log_n, cudaStream_t s, bool small) : n_(log_n) {
    if (log_n < 0 || log_n > NTT_MAX_LOG) throw ArgumentError("NTT: log2 of the size must be 0…28");
    Fr w2048 = root_of_unity(NTT_TILE);
    roots_ = Buffer<uint4>(4 * ROOTS), inv_roots_ = Buffer<uint4>(4 * ROOTS);
    k_roots<<<ROOTS / 128, 128, 0, s>>>(roots_, w2048);
    k_roots<<<ROOTS / 128, 128, 0, s>>>(inv_roots_, w2048.inv());
    CUZK_LAUNCHED("k_roots");
    Fr scale[2] = {inverse_of_size(n_), inverse_of_size(n_ + 1)};
    scale_ = Buffer<Fr>(2);
    scale_.upload(scale, 2, s);
    CUZK_CHECK(cudaStreamSynchronize(s));  // scale is on this stack
    for (auto kernel :
         {k_ntt_strided<false, false>, k_ntt_strided<true, false>, k_ntt_strided<false, true>, k_ntt_strided<true, true>, k_ntt_contiguous<0>, k_ntt_contiguous<1>, k_ntt_contiguous<2>})
        CUZK_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes(NTT_CONTIGUOUS)));
    if (n_ < NTT_TILE) return;

    const unsigned most = multiprocessors() * 16;
    for (NttPass p : ntt_plan(n_)) {
        if (p.log_stride == 0) {
            last_ = p.stages;
            continue;
        }
        const int bits = p.stages + p.log_stride;
        const bool powers = small && bits > FEW_TWIDDLES;
        const int low = low_bits(bits);
        const size_t size = powers ? (size_t(1) << low) + (size_t(1) << (bits - low)) : size_t(1) << bits;
        Level l{p, powers, {Buffer<Fr>(size), Buffer<Fr>(size)}};
        Fr w = root_of_unity(bits);
        for (auto* t : {&l.twiddle[0], &l.twiddle[1]}) {
            if (powers) {
                k_powers<<<blocks_for(size_t(1) << low, 128), 128, 0, s>>>(*t, w, low);
                k_powers<<<blocks_for(size_t(1) << low, 128), 128, 0, s>>>(t->get() + (size_t(1) << low), w.pow(uint64_t(1) << low), bits - low);
            } else {
                k_twiddles<<<blocks_for(size, 128, most), 128, 0, s>>>(*t, w, p.stages, p.log_stride);
            }
            w = w.inv();
        }
        CUZK_LAUNCHED("k_twiddles");
        levels_.push_back(std::move(l));
    }
    Fr g = root_of_unity(n_ + 1), gi = g.inv();
    tile_ = Buffer<Fr>(POINTS), inv_tile_ = Buffer<Fr>(POINTS);
    block_ = Buffer<Fr>(size() >> NTT_TILE), inv_block_ = Buffer<Fr>(size() >> NTT_TILE);
    auto powers = [&](Fr* out, Fr base, Fr factor, int bits) {
        k_reversed_powers<<<blocks_for(size_t(1) << bits, 128, most), 128, 0, s>>>(out, base, factor, bits);
        CUZK_LAUNCHED("k_reversed_powers");
    };
    const uint64_t wide = uint64_t(1) << (n_ - NTT_TILE);
    powers(tile_, g.pow(wide), Fr::one(), NTT_TILE);
    powers(inv_tile_, gi.pow(wide), Fr::one(), NTT_TILE);
    powers(block_, g, scale[0], n_ - NTT_TILE);
    powers(inv_block_, gi, scale[1], n_ - NTT_TILE);
}

size_t NttDomain::table_bytes() const {
    size_t b = roots_.bytes() * 2 + tile_.bytes() * 2 + block_.bytes() * 2 + scale_.bytes();
    for (const Level& l : levels_) b += 2 * l.twiddle[0].bytes();
    return b;
}

size_t NttDomain::table_bytes(int log_n, bool small) {
    size_t b = 0;
    for (NttPass p : ntt_plan(log_n)) {
        const int bits = p.stages + p.log_stride;
        if (p.log_stride > 0) b += small && bits > FEW_TWIDDLES ? 2 * sizeof(Fr) << (low_bits(bits) + 1) : 2 * sizeof(Fr) << bits;
    }
    return b + (log_n > NTT_TILE ? 2 * sizeof(Fr) << (log_n - NTT_TILE) : 0);
}

void NttDomain::strided(bool dit, const Level& l, bool inverse, const Fr* in, const Fr* factor, Fr* out, bool last,
                        cudaStream_t s) const {
    Args a{};
    a.in = in, a.out = out, a.factor = factor, a.twiddle = l.twiddle[inverse];
    a.roots = inverse ? inv_roots_ : roots_;
    a.k = l.pass.stages, a.s = l.pass.log_stride;
    a.last = last;
    const unsigned grid = 1u << (n_ - NTT_TILE);
    auto kernel = dit ? l.powers ? k_ntt_strided<true, true> : k_ntt_strided<true, false>
                      : l.powers ? k_ntt_strided<false, true> : k_ntt_strided<false, false>;
    kernel<<<grid, THREADS, shared_bytes(a.k), s>>>(a);
    CUZK_LAUNCHED("k_ntt_strided");
}

void NttDomain::to_reversed(Fr* data, bool inverse, cudaStream_t s) const {
    const uint4* roots = inverse ? inv_roots_ : roots_;
    if (n_ < NTT_TILE) {
        k_ntt_small<false><<<1, SMALL_THREADS, 0, s>>>(data, roots, n_);
        if (inverse) k_twist_small<<<1, SMALL_THREADS, 0, s>>>(data, Fr::one(), inverse_of_size(n_), n_);
        CUZK_LAUNCHED("k_ntt_small");
        return;
    }
    for (const Level& l : levels_) strided(false, l, inverse, data, nullptr, data, false, s);
    Args a{};
    a.in = data, a.out = data, a.roots = roots, a.k = last_, a.last = true;
    if (inverse) a.op = OP_SCALE, a.block = scale_;
    k_ntt_contiguous<0><<<1u << (n_ - NTT_TILE), THREADS, shared_bytes(last_), s>>>(a);
    CUZK_LAUNCHED("k_ntt_contiguous");
}

void NttDomain::to_natural(Fr* data, bool inverse, cudaStream_t s) const {
    const uint4* roots = inverse ? inv_roots_ : roots_;
    if (n_ < NTT_TILE) {
        k_ntt_small<true><<<1, SMALL_THREADS, 0, s>>>(data, roots, n_);
        if (inverse) k_twist_small<<<1, SMALL_THREADS, 0, s>>>(data, Fr::one(), inverse_of_size(n_), n_);
        CUZK_LAUNCHED("k_ntt_small");
        return;
    }
    Args a{};
    a.in = data, a.out = data, a.roots = roots, a.k = last_, a.last = levels_.empty();
    if (inverse) a.op = OP_SCALE, a.block = scale_;
    k_ntt_contiguous<1><<<1u << (n_ - NTT_TILE), THREADS, shared_bytes(last_), s>>>(a);
    CUZK_LAUNCHED("k_ntt_contiguous");
    for (size_t i = levels_.size(); i-- > 0;) strided(true, levels_[i], inverse, data, nullptr, data, i == 0, s);
}

void NttDomain::quotient(Fr* pa, Fr* pb, Fr* pc, cudaStream_t s) const {
    if (n_ < NTT_TILE) return small_quotient(pa, pb, pc, s);
    const unsigned grid = 1u << (n_ - NTT_TILE);
    const size_t shared = shared_bytes(last_);
    auto contiguous = [&](void (*kernel)(Args), const Fr* in, Fr* out, Op op, bool last, bool coset_inverse) {
        Args a{};
        a.in = in, a.out = out, a.roots = inv_roots_, a.roots2 = roots_, a.k = last_, a.last = last, a.op = op;
        if (op == OP_SCALE)
            a.block = scale_.get() + 1;
        else
            a.tile = coset_inverse ? inv_tile_ : tile_, a.block = coset_inverse ? inv_block_ : block_, a.minuend = pc;
        kernel<<<grid, THREADS, shared, s>>>(a);
        CUZK_LAUNCHED("k_ntt_contiguous");
    };
    if (levels_.empty()) {  // one tile: the product has no strided pass to ride on
        k_mul_small<<<1, SMALL_THREADS, 0, s>>>(pc, pa, pb, size());
        contiguous(k_ntt_contiguous<0>, pc, pc, OP_SCALE, true, false);
        for (Fr* x : {pa, pb}) contiguous(k_ntt_contiguous<2>, x, x, OP_TWIST, true, false);
        k_mul_small<<<1, SMALL_THREADS, 0, s>>>(pa, pa, pb, size());
        contiguous(k_ntt_contiguous<0>, pa, pa, OP_TWIST_SUB, true, true);
        return;
    }
    // c: inverse of a∘b, times 1/(2n)
    for (size_t i = 0; i < levels_.size(); i++)
        strided(false, levels_[i], true, i ? pc : pa, i ? nullptr : pb, pc, false, s);
    contiguous(k_ntt_contiguous<0>, pc, pc, OP_SCALE, true, false);
    // a and b onto the odd coset; the inverse's last pass joins the forward's first
    for (Fr* x : {pa, pb}) {
        for (const Level& l : levels_) strided(false, l, true, x, nullptr, x, false, s);
        contiguous(k_ntt_contiguous<2>, x, x, OP_TWIST, false, false);
        for (size_t i = levels_.size(); i-- > 0;) strided(true, levels_[i], false, x, nullptr, x, i == 0, s);
    }
    // d, and h = c − d
    for (size_t i = 0; i < levels_.size(); i++) strided(false, levels_[i], true, pa, i ? nullptr : pb, pa, false, s);
    contiguous(k_ntt_contiguous<0>, pa, pa, OP_TWIST_SUB, true, true);
}

void NttDomain::small_quotient(Fr* a, Fr* b, Fr* c, cudaStream_t s) const {
    Fr g = root_of_unity(n_ + 1), one = inverse_of_size(n_), half = inverse_of_size(n_ + 1);
    k_mul_small<<<1, SMALL_THREADS, 0, s>>>(c, a, b, size());
    k_ntt_small<false><<<1, SMALL_THREADS, 0, s>>>(c, inv_roots_, n_);
    k_twist_small<<<1, SMALL_THREADS, 0, s>>>(c, Fr::one(), half, n_);
    for (Fr* x : {a, b}) {
        k_ntt_small<false><<<1, SMALL_THREADS, 0, s>>>(x, inv_roots_, n_);
        k_twist_small<<<1, SMALL_THREADS, 0, s>>>(x, g, one, n_);
        k_ntt_small<true><<<1, SMALL_THREADS, 0, s>>>(x, roots_, n_);
    }
    k_mul_small<<<1, SMALL_THREADS, 0, s>>>(a, a, b, size());
    k_ntt_small<false><<<1, SMALL_THREADS, 0, s>>>(a, inv_roots_, n_);
    k_twist_small<<<1, SMALL_THREADS, 0, s>>>(a, g.inv(), half, n_);
    k_sub_small<<<1, SMALL_THREADS, 0, s>>>(a, c, a, size());
    CUZK_LAUNCHED("k_ntt_small");
}

}  // namespace cuzk
