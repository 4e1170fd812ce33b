#include "msm_impl.cuh"

namespace cuzk {
template class MsmWorkspace<Fp>;
template class Bases<Fp>;
template void msm::weigh_levels<Fp>(Xyzz<Fp>*, const Affine<Fp>*, int, int, const msm::WeighRoom<Fp>&, cudaStream_t);
template void msm::weigh_stretches<Fp>(Xyzz<Fp>*, const Affine<Fp>*, int, int, const msm::WeighRoom<Fp>&, cudaStream_t);
} // namespace cuzk
