#include "msm_impl.cuh"

namespace cuzk {
template class MsmWorkspace<Fp2>;
template class Bases<Fp2>;
template void msm::weigh_levels<Fp2>(Xyzz<Fp2>*, const Affine<Fp2>*, int, int, const msm::WeighRoom<Fp2>&,
                                     cudaStream_t);
template void msm::weigh_stretches<Fp2>(Xyzz<Fp2>*, const Affine<Fp2>*, int, int, const msm::WeighRoom<Fp2>&,
                                        cudaStream_t);
} // namespace cuzk
