// Multiples of one point, for test parameters: j·2^(w·i)·G for all digits j and
// positions i in a table, one mixed addition per digit of a scalar.
//
// Ceiling for 32 GiB PoRep (427 M points in G1, 33 M in G2), 16 digits of 16
// bits: 10 products an addition and 30 for the affine form, 190 a point in G1,
// 81 G products, 3 s at 27.6 G/s; about 20 G products more in G2.
#pragma once
#include <vector>

#include "../ff/fr.cuh"
#include "place.cuh"

namespace cuzk::setup {

// The scalar of a position: an array, or a geometric sequence.
struct Scalars {
    const Fr* array;  // of the positions asked for; null: first·ratio^position
    Fr first, ratio;
    CUZK_HD Fr at(size_t i, size_t position) const { return array ? array[i] : first * ratio.pow(position); }
};

// Out of line: setup runs once, and the compiler takes minutes over copies.
#ifdef __CUDACC__
#define CUZK_OUT_OF_LINE __host__ __device__ __noinline__
#else
#define CUZK_OUT_OF_LINE __attribute__((noinline))
#endif
template <class F>
CUZK_OUT_OF_LINE void add_to(Xyzz<F>& sum, const Affine<F>& p) {
    sum.add(p);
}
template <class F>
CUZK_OUT_OF_LINE void double_it(Xyzz<F>& p) {
    p = p.twice();
}
template <class F>
CUZK_OUT_OF_LINE Affine<F> affine_of(const Xyzz<F>& p) {
    return p.affine();
}

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
    int width, count;

    CUZK_HD Affine<F> times(const Fr& scalar) const {
        Fr k = scalar.from_mont();
        Xyzz<F> sum = Xyzz<F>::infinity();
        for (int i = 0; i < count; i++) {
            int bit = i * width, word = bit >> 5, shift = bit & 31;
            uint64_t two = k.v[word] | (uint64_t)(word + 1 < Fr::N ? k.v[word + 1] : 0) << 32;
            uint32_t digit = (uint32_t)(two >> shift) & ((1u << width) - 1);
            add_to(sum, at[((size_t)i << width) + digit]);
        }
        return affine_of(sum);
    }
};

template <class F>
struct FillTable {
    Affine<F>* to;
    const Affine<F>* powers;  // 2^(width·i)·G
    int width;
    CUZK_HD void operator()(size_t at) const {
        Xyzz<F> sum = Xyzz<F>::infinity();
        for (int k = width - 1; k >= 0; k--) {
            double_it(sum);
            if (at >> k & 1) add_to(sum, powers[at >> width]);
        }
        to[at] = affine_of(sum);
    }
};

template <class F>
struct Multiply {
    Table<F> table;
    Scalars scalars;
    size_t first;
    Place<F> place;
    CUZK_HD void operator()(size_t i) const { *place.at(first + i) = table.times(scalars.at(i, first + i)); }
};

// The table of one generator on the device.
template <class F>
class FixedBase {
  public:
    FixedBase(const Affine<F>& g, size_t points, cudaStream_t s) : generator_(g), width_(digit_bits(points)), count_((255 + width_ - 1) / width_) {
        std::vector<Affine<F>> powers(count_);
        Xyzz<F> p = Xyzz<F>::from(g);
        for (int i = 0; i < count_; i++) {
            powers[i] = p.affine();
            for (int k = 0; k < width_; k++) p = p.twice();
        }
        Buffer<Affine<F>> d(count_);
        table_ = Buffer<Affine<F>>((size_t)count_ << width_);
        d.upload(powers.data(), powers.size(), s);
        each(table_.size(), s, "fixed_table", FillTable<F>{table_, d, width_});
        CUZK_CHECK(cudaStreamSynchronize(s));  // powers and d end here
    }
    // Device memory of a table, and while it is made.
    static size_t bytes(size_t points) {
        const size_t width = digit_bits(points), count = (255 + width - 1) / width;
        return ((count << width) + count) * sizeof(Affine<F>);
    }
    const Affine<F>& generator() const { return generator_; }
    Table<F> table() const { return {table_, width_, count_}; }

  private:
    Affine<F> generator_;
    int width_, count_;
    Buffer<Affine<F>> table_;
};

}  // namespace cuzk::setup
