// Multi-scalar multiplication and selected sums in G2: the kernels of msm_impl.cuh over Fp2.
#include "msm_impl.cuh"

namespace cuzk {
template class MsmWorkspace<Fp2>;
template class Bases<Fp2>;
template void msm::reduce_by_trees<Fp2>(Xyzz<Fp2>*, const Affine<Fp2>*, int, int, const msm::ReductionWork<Fp2>&,
                                        cudaStream_t);
template void msm::reduce_by_running_sums<Fp2>(Xyzz<Fp2>*, const Affine<Fp2>*, int, int, const msm::ReductionWork<Fp2>&,
                                               cudaStream_t);
} // namespace cuzk
