// The device's arithmetic on the CPU: the carry chains run over a software flag
// (CUZK_EMULATE_PTX in ff/limbs.cuh) and are compared with gnark-crypto's values
// and, for lazy operands, with each other. Any machine can run this.
//
//	emulate gnark.bin [seed]
#define CUZK_EMULATE_PTX
#include <cstdlib>
#include <ctime>

#include "gnark.hpp"

using namespace cuzk;

static uint64_t state;
static uint32_t draw() { // splitmix64
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (uint32_t)(z ^ (z >> 31));
}
template <class F>
static F element(uint32_t top) {
    F f;
    for (int i = 0; i < F::N; i++) f.v[i] = draw() % 8 ? draw() : 0u - draw() % 2;
    f.v[F::N - 1] &= top;
    f.reduce_once();
    return f;
}

// Products of values up to 2r, as butterflies have them, and Karatsuba on limbs
// without spare bits.
static int lazy_operands(int rounds) {
    int bad = 0;
    uint32_t r[8];
    for (int i = 0; i < 8; i++) r[i] = FrParams::mod(i);
    for (int k = 0; k < rounds; k++) {
        Fr a = element<Fr>(0x7fffffffu), b = element<Fr>(0x7fffffffu), twin = a;
        limbs_add<8>(twin.v, twin.v, r);
        const Fr want = a * b;
        const Shoup s = Shoup::make(b);
        bad += twin * b != want;
        bad += (FrLazy::from(a) * s).canonical() != want || (FrLazy::from(twin) * s).canonical() != want;

        uint32_t x[12], y[12], t[24], u[24];
        for (int i = 0; i < 12; i++) x[i] = draw() % 4 ? draw() : ~0u, y[i] = draw() % 4 ? draw() : ~0u;
        limbs_mul<12>(t, x, y);
        limbs_mul_karatsuba<12>(u, x, y);
        bad += !limbs_equal<24>(t, u);
        limbs_sqr<12>(t, x);
        limbs_mul<12>(u, x, x);
        bad += !limbs_equal<24>(t, u);

        Fp p = element<Fp>(0x1fffffffu), q = element<Fp>(0x1fffffffu);
        Fp l = Fp::times_lazy(Fp::minus_lazy(p, q), Fp::minus_lazy(q, p));
        l.reduce_once();
        bad += l != (p - q) * (q - p);
    }
    return bad;
}

int main(int argc, char** argv) {
    state = argc > 2 ? strtoull(argv[2], nullptr, 0) : (uint64_t)time(nullptr);
    printf("seed %llu\n", (unsigned long long)state);
    int passed = 0, failed = 0;
    auto check = [&](const char* name, int bad) {
        (bad == 0 ? passed : failed)++;
        if (bad) printf("FAIL %s: %d\n", name, bad);
    };
    for (const test::GnarkResult& r : test::compare_with_gnark(argc > 1 ? argv[1] : "gpu/cuda/test/gnark.bin"))
        check(r.name, r.bad);
    check("lazy operands", lazy_operands(100000));
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
