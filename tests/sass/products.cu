// One product of each kind in a loop, for sass_test.go, which counts the machine
// instructions: the multiplier's time is what everything else is held against.
// Loops, because the assembler does not join the halves of all wide products in
// code that runs once.
#include "ff/field.cuh"
#include "ff/fr.cuh"

using namespace cuzk;

template <class T, class Step>
__device__ __forceinline__ void repeat(T *x, int n, Step step)
{
    T a = x[threadIdx.x];
#pragma unroll 1
    for (int k = 0; k < n; k++)
        a = step(a);
    x[threadIdx.x] = a;
}

extern "C" {
__global__ void fp_mul(Fp *x, int n)
{
    const Fp b = x[blockDim.x];
    repeat(x, n, [&](const Fp &a) { return a * b; });
}
__global__ void fp_sqr(Fp *x, int n)
{
    repeat(x, n, [](const Fp &a) { return a.sqr(); });
}
__global__ void fr_mul(Fr *x, int n)
{
    const Fr b = x[blockDim.x];
    repeat(x, n, [&](const Fr &a) { return a * b; });
}
__global__ void fr_mul_shoup(FrLazy *x, const Shoup *w, int n)
{
    const Shoup s = *w;
    repeat(x, n, [&](const FrLazy &a) { return a * s; });
}
}
