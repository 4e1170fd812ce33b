// Transforms over Fr of 2^k points, k ≤ 28, and the quotient h = (a·b − c)/Z of Groth16 by six of them.
// Inputs and outputs are vectors of 2^k elements in Montgomery form in device memory; the order is natural on the
// evaluation side and bit-reversed on the coefficient side. Kernels: kernels.cuh (from 2^12 points), small.cuh.
#include "domain.hpp"

#include <algorithm>

#include "small.cuh"
#include "tables.cuh"

namespace cuzk {

using namespace ntt;

namespace {

// Passes over at most this many points keep a table of pairs: 16 MB a direction.
constexpr int FEW_TWIDDLES = 18;

Fr inverse_of_size(int log_n) { return Fr::one().twice().pow((uint64_t)log_n).inv(); }

// Entries of the two tables that stand for 2^bits powers.
size_t powers_size(int bits) { return (size_t(1) << low_bits(bits)) + (size_t(1) << (bits - low_bits(bits))); }

template <class Kernel>
void allow(Kernel kernel) {
    CUZK_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)Tile::bytes(NTT_CONTIGUOUS)));
}

template <bool DIT, class Twiddles>
void launch(const Strided& a, const Twiddles& t, cudaStream_t s) {
    k_ntt_strided<DIT><<<a.tiles.blocks(), THREADS, Tile::bytes(a.pass.k), s>>>(a, t);
    CUZK_LAUNCHED("k_ntt_strided");
}

} // namespace

NttDomain::NttDomain(int log_n, cudaStream_t s, bool small) : n_(log_n) {
    if (log_n < 0 || log_n > NTT_MAX_LOG) throw ArgumentError("NTT: log2 of the size must be 0…28");
    roots_ = Buffer<uint4>(4 * (ROOTS + 1));
    k_roots<<<ROOTS / 128 + 1, 128, 0, s>>>(roots_, root_of_unity(NTT_TILE));
    CUZK_LAUNCHED("k_roots");
    if (n_ <= NTT_TILE) return;

    blocks_ = multiprocessors() * BLOCKS;
    drawn_ = Buffer<unsigned>(1);
    allow(k_ntt_strided<false, Table>), allow(k_ntt_strided<false, Pairs>), allow(k_ntt_strided<false, Powers>);
    allow(k_ntt_strided<true, Table>), allow(k_ntt_strided<true, Pairs>), allow(k_ntt_strided<true, Powers>);
    allow(k_ntt_contiguous<End::PLAIN>), allow(k_ntt_contiguous<End::TURN>), allow(k_ntt_contiguous<End::BACK>);
    for (NttPass p : ntt_plan(n_)) {
        if (p.log_stride == 0)
            last_ = p.stages;
        else
            levels_.push_back({p,
                               p.stages + p.log_stride <= FEW_TWIDDLES ? Level::SHORT
                               : small                                 ? Level::POWERS
                                                                       : Level::LONG,
                               {}});
    }
    for (Level& l : levels_)
        for (int d = 0; d < (&l == &levels_.back() ? DIRECTIONS : HALVES); d++) fill(l, d, s);

    const Fr g = root_of_unity(last_ + 1);
    turn_ = Buffer<uint4>(4 << last_), back_ = Buffer<uint4>(4 << last_);
    k_tile<<<blocks_for(1 << last_, 128), 128, 0, s>>>((Shoup*)turn_.get(), g, inverse_of_size(n_), last_);
    k_tile<<<blocks_for(1 << last_, 128), 128, 0, s>>>((Shoup*)back_.get(), g.inv(), inverse_of_size(n_ + 1), last_);
    CUZK_LAUNCHED("k_tile");
}

// The table of one direction of a level.
void NttDomain::fill(Level& l, int direction, cudaStream_t s) const {
    const Pass pass{l.pass.stages, l.pass.log_stride};
    const int bits = pass.bits(), odd = direction == COSET, low = low_bits(bits + 1);
    const size_t entries = l.form == Level::POWERS ? powers_size(bits + 1) : size_t(1) << bits;
    Buffer<uint4>& table = l.table[direction];
    table = Buffer<uint4>((l.form == Level::LONG ? 2 : 4) * entries);
    const Fr root = root_of_unity(bits + 1), g = odd ? root : root.inv();
    const Fr scale = direction == HALVES ? inverse_of_size(n_ + 1) : Fr::one();
    Shoup* pairs = reinterpret_cast<Shoup*>(table.get());
    const unsigned blocks = blocks_for(entries, 128, blocks_ * 16);
    if (l.form == Level::LONG) {
        k_twiddles<<<blocks, 128, 0, s>>>(reinterpret_cast<Fr*>(table.get()), g, scale, pass, odd);
    } else if (l.form == Level::SHORT) {
        k_twiddles<<<blocks, 128, 0, s>>>(pairs, g, scale, pass, odd);
    } else {
        k_powers<<<blocks_for(size_t(1) << low, 128), 128, 0, s>>>(pairs, g, scale, low);
        k_powers<<<blocks_for(size_t(1) << low, 128), 128, 0, s>>>(
            pairs + (size_t(1) << low), g.pow(uint64_t(1) << low), Fr::one(), bits + 1 - low);
    }
    CUZK_LAUNCHED("tables of twiddles");
}

size_t NttDomain::table_bytes() const {
    size_t b = roots_.bytes() + turn_.bytes() + back_.bytes();
    for (const Level& l : levels_)
        for (const auto& t : l.table) b += t.bytes();
    return b;
}

size_t NttDomain::table_bytes(int log_n, bool small) {
    size_t b = 0;
    const auto plan = ntt_plan(log_n);
    for (size_t i = 0; i + 1 < plan.size(); i++) {
        const int bits = plan[i].stages + plan[i].log_stride;
        const size_t one = bits <= FEW_TWIDDLES ? sizeof(Shoup) << bits
                           : small              ? sizeof(Shoup) * powers_size(bits + 1)
                                                : sizeof(Fr) << bits;
        b += one * (i + 2 == plan.size() ? DIRECTIONS : HALVES);
    }
    return b;
}

Tiles NttDomain::tiles(cudaStream_t s) const {
    CUZK_CHECK(cudaMemsetAsync(drawn_, 0, drawn_.bytes(), s));
    return {1u << (n_ - NTT_TILE), blocks_, drawn_};
}

void NttDomain::strided(bool dit, const Level& l, int direction, bool back, const Fr* in, const Fr* factor, Fr* out,
                        bool last, cudaStream_t s) const {
    const Strided a{in, out, factor, roots_, {l.pass.stages, l.pass.log_stride}, tiles(s), back, last};
    const uint4* table = l.table[direction];
    auto with = [&](auto t) { dit ? launch<true>(a, t, s) : launch<false>(a, t, s); };
    switch (l.form) {
    case Level::LONG: return with(Table{reinterpret_cast<const Fr*>(table)});
    case Level::SHORT: return with(Pairs{reinterpret_cast<const Shoup*>(table)});
    case Level::POWERS: return with(Powers{reinterpret_cast<const Shoup*>(table), direction == COSET});
    }
}

void NttDomain::contiguous(End end, const Fr* in, Fr* out, const Fr* minuend, cudaStream_t s) const {
    const Contiguous a{
        in,      out,   roots_,  reinterpret_cast<const Shoup*>(end == End::BACK ? back_.get() : turn_.get()),
        minuend, last_, tiles(s)};
    auto kernel = end == End::PLAIN  ? k_ntt_contiguous<End::PLAIN>
                  : end == End::TURN ? k_ntt_contiguous<End::TURN>
                                     : k_ntt_contiguous<End::BACK>;
    kernel<<<a.tiles.blocks(), THREADS, Tile::bytes(last_), s>>>(a);
    CUZK_LAUNCHED("k_ntt_contiguous");
}

void NttDomain::down(int direction, bool back, const Fr* in, const Fr* factor, Fr* out, cudaStream_t s) const {
    for (const Level& l : levels_) {
        const bool first = &l == &levels_.front(), scaled = direction == HALVES && &l == &levels_.back();
        strided(false, l, direction != HALVES || scaled ? direction : INVERSE, back, first ? in : out,
                first ? factor : nullptr, out, false, s);
    }
}

// The inverse transform of one tile or less, coefficient i times scale·g^i.
void NttDomain::small_inverse(const Fr* in, const Fr* factor, const Fr& g, const Fr& scale, Fr* out,
                              cudaStream_t s) const {
    if (factor)
        k_mul_small<<<1, SMALL_THREADS, 0, s>>>(out, in, factor, size());
    else if (in != out)
        CUZK_CHECK(cudaMemcpyAsync(out, in, size() * sizeof(Fr), cudaMemcpyDeviceToDevice, s));
    k_ntt_small<false><<<1, SMALL_THREADS, 0, s>>>(out, roots_, n_);
    k_twist_small<<<1, SMALL_THREADS, 0, s>>>(out, g, scale, n_);
    CUZK_LAUNCHED("k_ntt_small");
}

void NttDomain::half_coefficients(const Fr* values, const Fr* factor, Fr* out, cudaStream_t s) const {
    if (n_ <= NTT_TILE) return small_inverse(values, factor, Fr::one(), inverse_of_size(n_ + 1), out, s);
    down(HALVES, false, values, factor, out, s);
    contiguous(End::PLAIN, out, out, nullptr, s);
}

void NttDomain::to_coset(Fr* x, cudaStream_t s) const {
    if (n_ <= NTT_TILE) {
        small_inverse(x, nullptr, root_of_unity(n_ + 1), inverse_of_size(n_), x, s);
        k_ntt_small<true><<<1, SMALL_THREADS, 0, s>>>(x, roots_, n_);
        CUZK_LAUNCHED("k_ntt_small");
        return;
    }
    down(INVERSE, false, x, nullptr, x, s);
    contiguous(End::TURN, x, x, nullptr, s);
    for (size_t i = levels_.size(); i-- > 0;) strided(true, levels_[i], COSET, false, x, nullptr, x, i == 0, s);
}

void NttDomain::subtract_half_of_coset(Fr* x, const Fr* factor, const Fr* minuend, cudaStream_t s) const {
    if (n_ <= NTT_TILE) {
        small_inverse(x, factor, root_of_unity(n_ + 1).inv(), inverse_of_size(n_ + 1), x, s);
        k_sub_small<<<1, SMALL_THREADS, 0, s>>>(x, minuend, x, size());
        CUZK_LAUNCHED("k_sub_small");
        return;
    }
    down(COSET, true, x, factor, x, s);
    contiguous(End::BACK, x, x, minuend, s);
}

void NttDomain::quotient(Fr* a, Fr* b, Fr* c, cudaStream_t s) const {
    half_coefficients(a, b, c, s);
    to_coset(a, s);
    to_coset(b, s);
    subtract_half_of_coset(a, b, c, s);
}

} // namespace cuzk
