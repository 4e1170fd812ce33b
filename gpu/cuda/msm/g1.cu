#include "msm_impl.cuh"

namespace cuzk {
template class MsmWorkspace<Fp>;
template class Bases<Fp>;
}  // namespace cuzk
