// Multiples of one point, for test parameters: j·2^(w·i)·G for all positions i
// and j = 1 … 2^(w−1) in a table, and one mixed addition per signed digit of a
// scalar. Four scalars share an inversion. Twin: curve.FixedG1 and FixedG2 in
// core/internal/curve.
//
// Ceiling: 16 digits of 16 bits, 10 products an addition and 20 for the affine
// form, 180 a point in G1: 0.9 s for 2^27 points at 26.9 G/s. The table has 50
// MB in G1, as much as the second-level cache.
#pragma once
#include <vector>

#include "../ff/fr.cuh"
#include "place.cuh"

namespace cuzk::setup {

// The scalar of a position: an array, or a geometric sequence.
struct Scalars {
    const Fr* array; // of the positions asked for, Montgomery form; null: first·ratio^position
    Fr first, ratio;
};

// How many bits a digit has: wide for many points, so that the table costs a
// small part of them.
inline int digit_bits(size_t points) {
    int w = 4;
    while (w < 16 && (size_t(64) << w) < points) w++;
    return w;
}

template <class F>
struct Table {
    const Affine<F>* at;
    int width, count; // count · width is 256 at least, so that the last digit needs no carry

    CUZK_HD size_t half() const { return size_t(1) << (width - 1); }

    CUZK_HD Xyzz<F> times(const Fr& scalar) const {
        const FrCanonical k = scalar.canonical();
        Xyzz<F> sum = Xyzz<F>::infinity();
        uint32_t negative = 0; // the last digit was, and borrows from this one
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
        for (int i = 0; i < count; i++) {
            const int bit = i * width, word = bit >> 5, shift = bit & 31;
            const uint64_t two = k.v[word] | (uint64_t)(word + 1 < Fr::N ? k.v[word + 1] : 0) << 32;
            uint32_t digit = ((uint32_t)(two >> shift) & ((1u << width) - 1)) + negative;
            negative = digit > half();
            if (negative) digit = (1u << width) - digit;
            if (digit == 0) continue;
            Affine<F> p = at[i * half() + digit - 1];
            p.y = p.y.neg_if(negative);
            sum.add(p);
        }
        return sum;
    }
};

template <class F>
struct FillTable {
    Affine<F>* to;
    const Affine<F>* powers; // 2^(width·i)·G
    int width;
    CUZK_HD void operator()(size_t at) const {
        const uint64_t digit = (at & ((size_t(1) << (width - 1)) - 1)) + 1;
        Xyzz<F> sum = Xyzz<F>::infinity();
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
        for (int k = width - 1; k >= 0; k--) {
            sum = sum.twice();
            if (digit >> k & 1) sum.add(powers[at >> (width - 1)]);
        }
        to[at] = sum.affine();
    }
};

template <class F>
struct Multiply {
    static constexpr size_t TOGETHER = 4; // points of a thread, which share an inversion
    Table<F> table;
    Scalars scalars;
    size_t first, count;
    Place<F> place;

    CUZK_HD void operator()(size_t i) const {
        const size_t from = i * TOGETHER, n = count - from < TOGETHER ? count - from : TOGETHER;
        Xyzz<F> sums[TOGETHER];
        F before[TOGETHER], all = F::one(); // products of the denominators before each, and of all
        Fr power = scalars.array ? Fr::zero() : scalars.first * scalars.ratio.pow(first + from);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
        for (size_t k = 0; k < n; k++) {
            sums[k] = table.times(scalars.array ? scalars.array[from + k] : power);
            if (!scalars.array) power = power * scalars.ratio;
            before[k] = all;
            if (!sums[k].is_infinity()) all = all * (sums[k].zz * sums[k].zzz);
        }
        all = all.inv();
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
        for (size_t k = n; k-- > 0;) {
            const Xyzz<F> p = sums[k];
            Affine<F>* to = place.at(first + from + k);
            if (p.is_infinity()) {
                *to = Affine<F>::infinity();
                continue;
            }
            const F inverse = all * before[k];
            all = all * (p.zz * p.zzz);
            *to = {p.x * (inverse * p.zzz), p.y * (inverse * p.zz)};
        }
    }
};

// The table of one generator on the device.
template <class F>
class FixedBase {
  public:
    FixedBase(const Affine<F>& g, size_t points, cudaStream_t s)
        : generator_(g), width_(digit_bits(points)), count_(positions(width_)) {
        std::vector<Affine<F>> powers(count_);
        Xyzz<F> p = Xyzz<F>::from(g);
        for (int i = 0; i < count_; i++) {
            powers[i] = p.affine();
            for (int k = 0; k < width_; k++) p = p.twice();
        }
        Buffer<Affine<F>> d(count_);
        table_ = Buffer<Affine<F>>((size_t)count_ << (width_ - 1));
        d.upload(powers.data(), powers.size(), s);
        each(table_.size(), s, "fixed_table", FillTable<F>{table_, d, width_});
        CUZK_CHECK(cudaStreamSynchronize(s)); // powers and d end here
    }
    // Device memory of a table, and while it is made.
    static size_t bytes(size_t points) {
        const int width = digit_bits(points), count = positions(width);
        return (((size_t)count << (width - 1)) + count) * sizeof(Affine<F>);
    }
    const Affine<F>& generator() const { return generator_; }

    // Points of positions first … first+count−1 to their places.
    void multiply(const Scalars& scalars, size_t first, size_t count, const Place<F>& to, cudaStream_t s) const {
        constexpr unsigned THREADS = 128, BLOCKS = sizeof(F) == sizeof(Fp) ? 4 : 2;
        const Multiply<F> body{{table_, width_, count_}, scalars, first, count, to};
        each<THREADS, BLOCKS>((count + body.TOGETHER - 1) / body.TOGETHER, s, "multiply", body);
    }

  private:
    static int positions(int width) { return (256 + width - 1) / width; }

    Affine<F> generator_;
    int width_, count_;
    Buffer<Affine<F>> table_;
};

} // namespace cuzk::setup
