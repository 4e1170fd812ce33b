#include "msm_impl.cuh"

namespace cuzk {
template class MsmWorkspace<Fp2>;
template class Bases<Fp2>;
}  // namespace cuzk
