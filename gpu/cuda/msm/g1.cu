// Multi-scalar multiplication and selected sums in G1: the kernels of msm_impl.cuh over Fp.
#include "msm_impl.cuh"

namespace cuzk {
template class MsmWorkspace<Fp>;
template class Bases<Fp>;
template void msm::reduce_by_trees<Fp>(Xyzz<Fp>*, const Affine<Fp>*, int, int, const msm::ReductionWork<Fp>&,
                                       cudaStream_t);
template void msm::reduce_by_running_sums<Fp>(Xyzz<Fp>*, const Affine<Fp>*, int, int, const msm::ReductionWork<Fp>&,
                                              cudaStream_t);
} // namespace cuzk
